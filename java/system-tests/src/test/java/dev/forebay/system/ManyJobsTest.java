// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testkit.Await;
import dev.forebay.zeta.Diagnostics;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Jobs share a process without a trace of one in another, or of any of them afterwards. */
@SystemTest
class ManyJobsTest {
    private static final int SPLITS = 4;
    private static final int ROWS = 500;
    private static final int JOBS = 10;

    /** The shared pools: loops, connector calls, timers, and the connectors' pace. */
    private static final String SHARED_THREADS =
            "forebay-((loop|call|callback|handler|timer)-\\d+|pace)";

    private static Job job(String name) {
        return Job.reading("ManagedFake", name)
                .option("splits", SPLITS)
                .option("rows", ROWS)
                .parallelism(2);
    }

    @Test
    void twoJobsAtTheSameTime() throws Exception {
        Run first =
                job("many-left")
                        .option("rows_per_second", 2_000)
                        .checkpointEveryMillis(200)
                        .submit();
        Run second =
                job("many-right")
                        .option("rows_per_second", 2_000)
                        .checkpointEveryMillis(200)
                        .submit();
        first.awaitFinished();
        second.awaitFinished();
        Rows.assertEachOnce(Rows.recorded("many-left"), Rows.expected(SPLITS, ROWS));
        Rows.assertEachOnce(Rows.recorded("many-right"), Rows.expected(SPLITS, ROWS));
    }

    @Test
    void nothingStaysOfTenJobs() throws Exception {
        for (int i = 0; i < JOBS; i++) {
            job("many-" + i).submit().awaitFinished();
            Rows.assertEachOnce(Rows.recorded("many-" + i), Rows.expected(SPLITS, ROWS));
        }
        Await.until(
                "no loop is left", Duration.ofSeconds(10), () -> Diagnostics.describe().isEmpty());
        assertThat(Diagnostics.mailboxBytes())
                .as("bytes of the budget that all mailboxes share")
                .isZero();
        assertThat(threadsOfTheRuntime())
                .allSatisfy(name -> assertThat(name).matches(SHARED_THREADS));
        assertThat(threadsInOurCode()).isEmpty();
    }

    /** The names of the engine's own threads hold the cluster's name, which has an id in it. */
    private static List<String> threadsOfTheRuntime() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("forebay-[a-z]+(-\\d+)?"))
                .collect(Collectors.toList());
    }

    /**
     * What stands in a frame of ours, this test apart: waiting workers of the shared pools do not.
     */
    private static List<String> threadsInOurCode() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey() != Thread.currentThread())
                .filter(thread -> Stream.of(thread.getValue()).anyMatch(ManyJobsTest::isOurs))
                .map(thread -> thread.getKey().getName())
                .collect(Collectors.toList());
    }

    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("dev.forebay.");
    }
}
