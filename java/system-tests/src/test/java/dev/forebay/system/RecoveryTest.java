// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.ENUMERATOR_CREATE;
import static dev.forebay.system.probe.Callback.READER_COMPLETE;
import static dev.forebay.system.probe.Callback.READER_POLL;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Call;
import dev.forebay.system.probe.Callback;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * A job whose connector fails once goes on from its last completed checkpoint and loses nothing.
 */
@SystemTest
class RecoveryTest {
    private static final int SPLITS = 4;
    private static final int ROWS = 200;
    private static final int BEFORE = 50;

    /** What the readers had emitted when the checkpoint was complete does not come again. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "READER_POLL",
                "READER_SNAPSHOT",
                "ENUMERATOR_SNAPSHOT",
                "ENUMERATOR_COMPLETE"
            })
    void afterACheckpointItGoesOnThere(Callback callback) throws Exception {
        String name = "recovery-" + callback;
        Probe probe = Probe.named(name);
        probe.gates().limitAll(BEFORE);
        Run run = job(name).submit();
        Rows.await(name, SPLITS * BEFORE);
        long before = probe.count(READER_COMPLETE, 1);
        // Two more: one of them began after the rows had arrived.
        Await.until(
                "two checkpoints",
                Duration.ofSeconds(10),
                () -> probe.count(READER_COMPLETE, 1) >= before + 2);
        List<String> proven = Rows.recorded(name);
        failOnce(probe, callback, call -> true);
        probe.gates().limitAll(BEFORE + 1);
        Await.until(
                "a second life", Duration.ofSeconds(10), () -> probe.count(ENUMERATOR_CREATE) == 2);
        probe.gates().open();
        run.awaitFinished();
        List<String> recorded = Rows.recorded(name);
        Rows.assertEachAtLeastOnce(recorded, Rows.expected(SPLITS, ROWS));
        assertThat(recorded.subList(proven.size(), recorded.size()))
                .as("rows after those of the completed checkpoint")
                .doesNotContainAnyElementsOf(proven);
    }

    @Test
    void beforeACheckpointItBeginsAgain() throws Exception {
        Probe probe = Probe.named("recovery-before");
        failOnce(probe, READER_POLL, poll -> poll.subtask() == 1 && poll.number() > 0);
        job("recovery-before").submit().awaitFinished();
        Rows.assertEachAtLeastOnce(Rows.recorded("recovery-before"), Rows.expected(SPLITS, ROWS));
        assertThat(probe.count(ENUMERATOR_CREATE)).as("lives of the enumerator").isEqualTo(2);
    }

    private static void failOnce(Probe probe, Callback callback, Predicate<Call> when) {
        AtomicBoolean failed = new AtomicBoolean();
        probe.on(
                callback,
                call -> {
                    if (when.test(call) && failed.compareAndSet(false, true)) {
                        throw new IllegalStateException("once");
                    }
                });
    }

    private static Job job(String name) {
        return Job.probing(name)
                .option("splits", SPLITS)
                .option("rows", ROWS)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(300)
                .retrying(1);
    }
}
