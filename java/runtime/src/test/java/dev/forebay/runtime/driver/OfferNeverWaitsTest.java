// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.natives.Admission;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What comes on an operation thread of the engine returns at once, though the checkpoint lock is
 * held and both threads that serve the loops are inside connectors that do not return.
 */
@Timeout(30)
class OfferNeverWaitsTest {
    /** Microseconds are the rule; this is for a machine that does much else. */
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private static final int LOOP_THREADS = 2;
    private static final long ASSIGN = 1;
    private static final long BLOCK = 2;

    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch blocked = new CountDownLatch(LOOP_THREADS);

    /** Does what the number of a checkpoint says. */
    private final class Obeys extends TestEnumerator {
        private final TestJob job;

        Obeys(TestJob job) {
            this.job = job;
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) throws Exception {
            if (checkpointId == ASSIGN) {
                job.coordinator.assign(0, Collections.singletonList(new TestSplit("held back")));
            } else if (checkpointId == BLOCK) {
                blocked.countDown();
                go.await();
            }
        }
    }

    private TestJob newJob() throws Exception {
        TestJob job = new TestJob();
        return job.start(new Obeys(job));
    }

    private static <V> V soon(String what, Callable<V> offer) throws Exception {
        return Await.start(what, offer).get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void soon(String what, Runnable offer) throws Exception {
        soon(
                what,
                () -> {
                    offer.run();
                    return null;
                });
    }

    /** Leaves a batch in each direction that is to be offered yet. */
    private static void holdBatchesBack(TestJob job) {
        job.holdsBack = true;
        job.lastToReader.set(null);
        job.lastToCoordinator.set(null);
        job.reader.checkpointComplete(ASSIGN);
        job.coordinator.checkpointComplete(ASSIGN);
        Await.until(
                "both have something to send",
                () -> job.lastToReader.get() != null && job.lastToCoordinator.get() != null);
    }

    @Test
    void noOfferWaitsForALockOrForAConnector() throws Exception {
        TestJob job = newJob();
        TestJob other = newJob();
        TestReader connector =
                new TestReader() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) {
                        job.reader.requestSplit();
                    }
                };
        job.startIdle(connector);
        holdBatchesBack(job);
        job.coordinator.checkpointComplete(BLOCK);
        other.coordinator.checkpointComplete(BLOCK);
        blocked.await();
        synchronized (job.output.lock) {
            offerEverything(job);
            assertThat(connector.splits).as("the lock is held").isEmpty();
        }
        go.countDown();
        Await.until("the split has arrived", () -> connector.splits.size() == 1);
        job.close();
        other.close();
    }

    private static void offerEverything(TestJob job) throws Exception {
        byte[] toReader = job.lastToReader.get();
        byte[] toCoordinator = job.lastToCoordinator.get();
        assertThat(soon("a batch for the reader", () -> job.reader.offerBatch(toReader)))
                .matches(Admission::isTaken);
        assertThat(
                        soon(
                                "a batch for the coordinator",
                                () -> job.coordinator.offerBatch(toCoordinator)))
                .matches(Admission::isTaken);
        soon("a reader's notice", () -> job.reader.checkpointComplete(3));
        soon("a reader's abort", () -> job.reader.checkpointAborted(4));
        soon("a coordinator's notice", () -> job.coordinator.checkpointComplete(3));
        soon("a coordinator's abort", () -> job.coordinator.checkpointAborted(4));
        soon("a dump of the reader", () -> job.reader.describe());
        soon("a dump of the coordinator", () -> job.coordinator.describe());
    }
}
