// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import org.junit.jupiter.api.Test;

/** A job whose input ends, ends by itself, with every row once. */
@SystemTest
class BoundedJobTest {
    private static final int SPLITS = 8;
    private static final int ROWS = 2_000;

    private static Job fake(String name) {
        return Job.reading("ManagedFake", name)
                .option("splits", SPLITS)
                .option("rows", ROWS)
                .parallelism(2);
    }

    @Test
    void aBatchJobEndsWithEveryRowOnce() throws Exception {
        fake("bounded-batch").submit().awaitFinished();
        Rows.assertEachOnce(Rows.recorded("bounded-batch"), Rows.expected(SPLITS, ROWS));
    }

    @Test
    void aBatchJobThatTakesCheckpointsEndsWithEveryRowOnce() throws Exception {
        Job job =
                fake("bounded-checkpoints")
                        .option("rows_per_second", 10_000)
                        .checkpointEveryMillis(200);
        job.submit().awaitFinished();
        Rows.assertEachOnce(Rows.recorded("bounded-checkpoints"), Rows.expected(SPLITS, ROWS));
    }

    @Test
    void aStreamingJobWithABoundedSourceEndsWithEveryRowOnce() throws Exception {
        fake("bounded-streaming").streaming().checkpointEveryMillis(300).submit().awaitFinished();
        Rows.assertEachOnce(Rows.recorded("bounded-streaming"), Rows.expected(SPLITS, ROWS));
    }

    /** More than fit into one command. */
    @Test
    void thousandsOfSplitsAtOnceEnd() throws Exception {
        int splits = 60_000;
        Job.probing("bounded-splits")
                .option("splits", splits)
                .option("rows", 1)
                .parallelism(2)
                .submit()
                .awaitFinished();
        Rows.assertEachOnce(Rows.recorded("bounded-splits"), Rows.expected(splits, 1));
    }

    /** A reader that gets no split at all must end too. */
    @Test
    void moreSubtasksThanSplitsEnd() throws Exception {
        Job.reading("ManagedFake", "bounded-few")
                .option("splits", 1)
                .option("rows", ROWS)
                .parallelism(3)
                .submit()
                .awaitFinished();
        Rows.assertEachOnce(Rows.recorded("bounded-few"), Rows.expected(1, ROWS));
    }

    @Test
    void anEmptyInputEnds() throws Exception {
        Job.reading("ManagedFake", "bounded-empty")
                .option("rows", 0)
                .parallelism(2)
                .submit()
                .awaitFinished();
        Rows.assertEachOnce(Rows.recorded("bounded-empty"), Rows.expected(0, 0));
    }
}
