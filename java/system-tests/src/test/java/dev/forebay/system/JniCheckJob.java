// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

/**
 * The process of {@link JniCheckTest}: everything that a source does in its life, and an exit call
 * at the end.
 */
final class JniCheckJob {
    private static final String NAME = "jni";

    private JniCheckJob() {}

    public static void main(String[] args) throws Exception {
        Run first = job().option("rows_per_second", 500).submit();
        Rows.await(NAME, 300);
        first.savepoint();
        job().restore(first).awaitFinished();
        Rows.assertEachOnce(Rows.recorded(NAME), Rows.expected(4, 200));
        System.exit(0);
    }

    private static Job job() {
        return Job.reading("ManagedFake", NAME)
                .option("splits", 4)
                .option("rows", 200)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(100);
    }
}
