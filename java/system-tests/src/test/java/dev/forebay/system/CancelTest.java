// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.DISCOVER;
import static dev.forebay.system.probe.Callback.ENUMERATOR_CLOSE;
import static dev.forebay.system.probe.Callback.ENUMERATOR_REQUEST_SPLIT;
import static dev.forebay.system.probe.Callback.READER_CLOSE;
import static dev.forebay.system.probe.Callback.READER_CREATE;
import static dev.forebay.system.probe.Callback.READER_IS_AVAILABLE;
import static dev.forebay.system.probe.Callback.READER_POLL;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Callback;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;
import dev.forebay.zeta.Diagnostics;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A cancelled job ends whatever its source is doing, and every part of the connector is closed
 * exactly once.
 */
@SystemTest
class CancelTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int READERS = 2;

    @Test
    void whileTheReadersAreParked() throws Exception {
        Probe probe = Probe.named("cancel-idle");
        probe.gates().limitAll(0);
        cancelOnceBothHave(READER_IS_AVAILABLE, "cancel-idle");
    }

    @Test
    void whileTheReadersAreBusy() throws Exception {
        cancelOnceBothHave(READER_POLL, "cancel-busy");
    }

    @Test
    void whileAPollWaits() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Probe.named("cancel-waiting").on(READER_POLL, call -> never.await());
        cancelOnceBothHave(READER_POLL, "cancel-waiting");
    }

    /**
     * A connector that neither waits nor looks at interrupts can hold its task up only as long as
     * its turn.
     */
    @Test
    void whileAPollTakesLong() throws Exception {
        Probe.named("cancel-long").on(READER_POLL, call -> spin(Duration.ofMillis(300)));
        cancelOnceBothHave(READER_POLL, "cancel-long");
    }

    @Test
    void whileACallBesideTheEnumeratorWaits() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        Probe probe =
                Probe.named("cancel-call")
                        .on(
                                DISCOVER,
                                call -> {
                                    try {
                                        new CountDownLatch(1).await();
                                    } catch (InterruptedException e) {
                                        interrupted.countDown();
                                    }
                                });
        Run run = submit("cancel-call");
        Await.until("discovery runs", LIMIT, () -> probe.count(DISCOVER) == 1);
        run.cancel();
        assertClosedOnce(probe);
        assertThat(interrupted.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    }

    /**
     * It must not, and keeps a thread from all sources of the process: two more could stop them
     * all.
     */
    @Test
    void whileTheEnumeratorWaits() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 3; i++) {
            String name = "cancel-enumerator-" + i;
            Probe probe = Probe.named(name).on(ENUMERATOR_REQUEST_SPLIT, call -> never.await());
            Run run = submit(name);
            Await.until(
                    "the enumerator waits",
                    LIMIT,
                    () -> probe.count(ENUMERATOR_REQUEST_SPLIT) == 1);
            run.cancel();
            Await.until(
                    "the enumerator is closed", LIMIT, () -> probe.count(ENUMERATOR_CLOSE) == 1);
        }
    }

    /** At any moment of the start, too: what was made is closed. */
    @Test
    void rightAfterTheSubmission() throws Exception {
        for (int i = 0; i < 5; i++) {
            Probe probe = Probe.named("cancel-early-" + i);
            Run run = submit("cancel-early-" + i);
            int readers = i % (READERS + 1);
            Await.until("readers are made", LIMIT, () -> probe.count(READER_CREATE) >= readers);
            run.cancel();
            Await.until("all is closed", LIMIT, () -> Diagnostics.describe().isEmpty());
            assertThat(probe.count(READER_CLOSE)).isEqualTo(probe.count(READER_CREATE));
            assertThat(probe.count(ENUMERATOR_CLOSE))
                    .isEqualTo(probe.count(Callback.ENUMERATOR_CREATE));
        }
    }

    private static Run submit(String name) throws Exception {
        return Job.probing(name)
                .option("bounded", false)
                .option("splits", READERS)
                .option("rows", Long.MAX_VALUE)
                .parallelism(READERS)
                .streaming()
                .submit();
    }

    private static void cancelOnceBothHave(Callback callback, String name) throws Exception {
        Probe probe = Probe.named(name);
        Run run = submit(name);
        Await.until(
                "both readers are there",
                LIMIT,
                () -> probe.count(callback, 0) > 0 && probe.count(callback, 1) > 0);
        run.cancel();
        assertClosedOnce(probe);
    }

    private static void assertClosedOnce(Probe probe) {
        Await.until("all is closed", LIMIT, () -> Diagnostics.describe().isEmpty());
        for (int subtask = 0; subtask < READERS; subtask++) {
            assertThat(probe.count(READER_CLOSE, subtask)).isEqualTo(1);
        }
        assertThat(probe.count(ENUMERATOR_CLOSE)).isEqualTo(1);
    }

    static void spin(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - end < 0) {
            Thread.yield();
        }
    }
}
