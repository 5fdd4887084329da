// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.ENUMERATOR_COMPLETE;
import static dev.forebay.system.probe.Callback.ENUMERATOR_SNAPSHOT;
import static dev.forebay.system.probe.Callback.READER_COMPLETE;
import static dev.forebay.system.probe.Callback.READER_SNAPSHOT;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Call;
import dev.forebay.system.probe.Callback;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A streaming job completes checkpoints from its start on, one an interval, whether it is idle or
 * busy.
 */
@SystemTest
class CheckpointTest {
    private static final int INTERVAL_MILLIS = 300;
    private static final int MORE = 5;

    /**
     * This is about being alive: an interval may take this many times as long on a busy machine.
     */
    private static final int PATIENCE = 4;

    @Test
    void anIdleJobCompletesCheckpoints() throws Exception {
        Probe.named("checkpoint-idle").gates().limitAll(0);
        assertCheckpointsGoOn("checkpoint-idle", 1);
    }

    @Test
    void aBusyJobCompletesCheckpoints() throws Exception {
        assertCheckpointsGoOn("checkpoint-busy", Long.MAX_VALUE);
    }

    /** The engine opens the enumerator up to 100 ms after it begins to take checkpoints. */
    @Test
    void aCheckpointMayComeBeforeTheEnumeratorIsOpen() throws Exception {
        for (int i = 0; i < 3; i++) {
            String name = "checkpoint-early-" + i;
            Job.probing(name)
                    .option("splits", 2)
                    .parallelism(2)
                    .streaming()
                    .checkpointEveryMillis(10)
                    .submit()
                    .awaitFinished();
            Rows.assertEachOnce(Rows.recorded(name), Rows.expected(2, 100));
        }
    }

    private static void assertCheckpointsGoOn(String name, long rows) throws Exception {
        Probe probe = Probe.named(name);
        Job.probing(name)
                .option("bounded", false)
                .option("splits", 2)
                .option("rows", rows)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(INTERVAL_MILLIS)
                .submit()
                .awaitRunning();
        awaitCompleted(probe, 1, Duration.ofSeconds(5));
        awaitCompleted(probe, 1 + MORE, Duration.ofMillis(PATIENCE * MORE * INTERVAL_MILLIS));
        for (Callback snapshot : new Callback[] {READER_SNAPSHOT, ENUMERATOR_SNAPSHOT}) {
            assertThat(numbers(probe, snapshot)).containsAll(firstCheckpoints());
        }
        assertThat(numbers(probe, ENUMERATOR_COMPLETE))
                .startsWith(firstCheckpoints().toArray(new Long[0]));
    }

    private static void awaitCompleted(Probe probe, int checkpoints, Duration limit) {
        Await.until(
                checkpoints + " checkpoints are complete on both readers and the enumerator",
                limit,
                () ->
                        probe.count(READER_COMPLETE, 0) >= checkpoints
                                && probe.count(READER_COMPLETE, 1) >= checkpoints
                                && probe.count(ENUMERATOR_COMPLETE) >= checkpoints);
    }

    private static List<Long> firstCheckpoints() {
        return LongStream.rangeClosed(1, 1 + MORE).boxed().collect(Collectors.toList());
    }

    private static List<Long> numbers(Probe probe, Callback callback) {
        return probe.calls(callback).stream().map(Call::number).collect(Collectors.toList());
    }
}
