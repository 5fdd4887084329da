// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.READER_COMPLETE;
import static dev.forebay.system.probe.Callback.READER_SNAPSHOT;

import dev.forebay.connectors.fake.ManagedFakeFeed;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A record that comes to an idle source is emitted although nothing else happens: no wake-up is
 * ever lost.
 */
@SystemTest
class WakeUpTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Long enough that no checkpoint comes to the rescue. */
    private static final int NO_CHECKPOINT_MILLIS = 600_000;

    /**
     * Half of the pushes come as soon as the record before has arrived, half when the reader has
     * parked again.
     */
    @Test
    void aThousandRecordsOneByOne() throws Exception {
        feeding("wake-push").checkpointEveryMillis(NO_CHECKPOINT_MILLIS).submit();
        ManagedFakeFeed feed = ManagedFakeFeed.named("wake-push");
        for (int pushed = 1; pushed <= 1_000; pushed++) {
            feed.push(pushed);
            if (pushed % 2 == 0) {
                Rows.await("wake-push", pushed);
            } else {
                spinUntilArrived("wake-push", pushed);
            }
        }
    }

    private static void spinUntilArrived(String name, int rows) {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (Rows.count(name) < rows) {
            if (System.nanoTime() - limit > 0) {
                throw new AssertionError("record " + rows + " did not arrive within " + LIMIT);
            }
            Thread.yield();
        }
    }

    @Test
    void rightAfterACheckpoint() throws Exception {
        Probe probe = Probe.named("wake-after");
        probe.gates().limitAll(0);
        probing("wake-after").submit();
        for (int i = 1; i <= 5; i++) {
            int rows = i;
            Await.until("checkpoint " + i, LIMIT, () -> probe.count(READER_COMPLETE) >= rows);
            probe.gates().limitAll(rows);
            Rows.await("wake-after", rows);
        }
    }

    /** The record comes while the engine's barrier thread holds the turn. */
    @Test
    void duringACheckpoint() throws Exception {
        Probe probe = Probe.named("wake-during");
        probe.gates().limitAll(0);
        AtomicLong rows = new AtomicLong();
        probe.on(READER_SNAPSHOT, snapshot -> probe.gates().limitAll(rows.incrementAndGet()));
        probing("wake-during").submit();
        for (int i = 1; i <= 5; i++) {
            int checkpoints = i;
            Await.until("checkpoint " + i, LIMIT, () -> rows.get() >= checkpoints);
            Rows.await("wake-during", checkpoints);
        }
    }

    private static Job feeding(String name) {
        return Job.reading("ManagedFake", name)
                .option("splits", 1)
                .option("rows", -1)
                .option("feed", name)
                .streaming();
    }

    private static Job probing(String name) {
        return Job.probing(name).option("bounded", false).streaming().checkpointEveryMillis(300);
    }
}
