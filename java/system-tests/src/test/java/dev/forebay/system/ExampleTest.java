// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import org.junit.jupiter.api.Test;

/** The connector that README points to does what one expects of a connector. */
@SystemTest
class ExampleTest {
    @Test
    void eachRowComesOnce() throws Exception {
        Job job = Job.reading("Counting", "example").option("splits", 5).option("rows", 300);
        job.parallelism(2).checkpointEveryMillis(100).submit().awaitFinished();
        Rows.assertEachOnce(Rows.recorded("example"), Rows.expected(5, 300));
    }
}
