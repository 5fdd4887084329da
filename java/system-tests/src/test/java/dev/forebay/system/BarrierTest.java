// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.ENUMERATOR_SNAPSHOT;
import static dev.forebay.system.probe.Callback.READER_COMPLETE;
import static dev.forebay.system.probe.Callback.READER_POLL;
import static dev.forebay.system.probe.Callback.READER_SNAPSHOT;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Call;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** A barrier waits for one poll turn at most, however busy the reader is. */
@SystemTest
class BarrierTest {
    private static final int CHECKPOINTS = 10;

    @Test
    void aBarrierWaitsForOnePollTurnAtMost() throws Exception {
        Probe probe =
                Probe.named("barrier")
                        .on(READER_POLL, call -> CancelTest.spin(Duration.ofMillis(100)));
        Job.probing("barrier")
                .option("bounded", false)
                .option("rows", Long.MAX_VALUE)
                .streaming()
                .checkpointEveryMillis(300)
                .submit();
        Await.until(
                "checkpoints",
                Duration.ofSeconds(20),
                () -> probe.count(READER_COMPLETE) >= CHECKPOINTS);
        List<Call> snapshots = probe.calls(READER_SNAPSHOT);
        assertThat(snapshots).hasSizeGreaterThanOrEqualTo(CHECKPOINTS);
        for (Call snapshot : snapshots) {
            assertThat(
                            pollsBetween(
                                    probe,
                                    coordinatorSnapshot(probe, snapshot.number()).end(),
                                    snapshot.begin()))
                    .as("poll turns that began between the coordinator's snapshot and %s", snapshot)
                    .isLessThanOrEqualTo(1);
        }
    }

    private static Call coordinatorSnapshot(Probe probe, long checkpoint) {
        return probe.calls(ENUMERATOR_SNAPSHOT).stream()
                .filter(call -> call.number() == checkpoint)
                .findFirst()
                .get();
    }

    private static long pollsBetween(Probe probe, long from, long to) {
        return probe.calls(READER_POLL).stream()
                .filter(poll -> poll.begin() > from && poll.begin() < to)
                .count();
    }
}
