// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.READER_COMPLETE;
import static dev.forebay.system.probe.Callback.READER_NO_MORE_SPLITS;
import static dev.forebay.system.probe.Callback.READER_POLL;
import static dev.forebay.system.probe.Callback.READER_SNAPSHOT;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/**
 * A reader whose input has ended takes part in the checkpoints of the others until the job ends.
 */
@SystemTest
class EndOfInputTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int ROWS = 20;
    private static final int CHECKPOINTS = 3;

    private static Job job(String name) {
        return Job.probing(name)
                .option("splits", 2)
                .option("rows", ROWS)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(200);
    }

    @Test
    void aFinishedReaderStillHearsOfCheckpoints() throws Exception {
        Probe probe = Probe.named("end-early");
        probe.gates().limit(1, ROWS / 2);
        Run run = job("end-early").submit();
        Rows.await("end-early", ROWS + ROWS / 2);
        Await.until("no more splits", LIMIT, () -> probe.count(READER_NO_MORE_SPLITS, 0) == 1);
        long notices = probe.count(READER_COMPLETE, 0);
        long snapshots = probe.count(READER_SNAPSHOT, 0);
        Await.until(
                "notices of checkpoints at the finished reader",
                LIMIT,
                () -> probe.count(READER_COMPLETE, 0) >= notices + CHECKPOINTS);
        assertThat(probe.count(READER_SNAPSHOT, 0)).isGreaterThanOrEqualTo(snapshots + CHECKPOINTS);
        long polls = probe.count(READER_POLL, 0);
        probe.gates().open();
        run.awaitFinished();
        assertThat(probe.count(READER_POLL, 0))
                .as("polls after the end of the input")
                .isEqualTo(polls);
        Rows.assertEachOnce(Rows.recorded("end-early"), Rows.expected(2, ROWS));
    }

    /** The readers go on to where they were: one at its end. */
    @Test
    void aFinishedReaderStaysFinishedAcrossASavepoint() throws Exception {
        Probe probe = Probe.named("end-restored");
        probe.gates().limit(1, ROWS / 2);
        Run first = job("end-restored").submit();
        Rows.await("end-restored", ROWS + ROWS / 2);
        Await.until("a checkpoint", LIMIT, () -> probe.count(READER_COMPLETE, 0) >= 2);
        first.savepoint();
        probe.gates().open();
        job("end-restored").restore(first).awaitFinished();
        Rows.assertEachOnce(Rows.recorded("end-restored"), Rows.expected(2, ROWS));
    }
}
