// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A savepoint can be restored with more or fewer subtasks: every row comes once. */
@SystemTest
class RescaleTest {
    private static final int SPLITS = 7;
    private static final int ROWS = 300;

    @ParameterizedTest
    @CsvSource({"2, 3", "3, 1"})
    void everyRowComesOnce(int before, int after) throws Exception {
        String name = "rescale-" + before + "-" + after;
        Run first = job(name, before).option("rows_per_second", 500).submit();
        Rows.await(name, SPLITS * ROWS / 3);
        first.savepoint();
        job(name, after).restore(first).awaitFinished();
        Rows.assertEachOnce(Rows.recorded(name), Rows.expected(SPLITS, ROWS));
    }

    private static Job job(String name, int parallelism) {
        return Job.reading("ManagedFake", name)
                .option("splits", SPLITS)
                .option("rows", ROWS)
                .parallelism(parallelism)
                .streaming()
                .checkpointEveryMillis(300);
    }
}
