// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.READER_COMPLETE;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;
import dev.forebay.zeta.Lane;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;

/** A connector runs on either lane, and stays on the one that took its checkpoint. */
@SystemTest
class LaneTest {

    @ParameterizedTest
    @EnumSource(Lane.class)
    void eachLaneBringsEveryRowOnceAcrossASavepoint(Lane lane) throws Exception {
        String name = "lane-" + lane;
        Probe probe = Probe.named(name);
        Run first = stopAfterFive(name, lane);
        probe.gates().open();
        job(name, lane).restore(first).awaitFinished();
        Rows.assertEachOnce(Rows.recorded(name), Rows.expected(1, 100));
    }

    @ParameterizedTest
    @CsvSource({"MANAGED, PLAIN", "PLAIN, MANAGED"})
    void aSwitchIsRefusedWithAMessageThatNamesBoth(Lane taken, Lane restored) throws Exception {
        String name = "lane-switch-" + taken;
        Run first = stopAfterFive(name, taken);
        String error = job(name, restored).restore(first).awaitFailure();
        assertThat(error)
                .contains("taken on the " + taken + " lane")
                .contains("runs on the " + restored + " lane")
                .contains("restore it on the lane that took the checkpoint");
    }

    private static Run stopAfterFive(String name, Lane lane) throws Exception {
        Probe probe = Probe.named(name);
        probe.gates().limitAll(5);
        Run run = job(name, lane).submit();
        Await.until("a checkpoint", Duration.ofSeconds(10), () -> probe.count(READER_COMPLETE) > 0);
        run.savepoint();
        return run;
    }

    private static Job job(String name, Lane lane) {
        return Job.probing(name).option("lane", lane.name()).streaming().checkpointEveryMillis(200);
    }
}
