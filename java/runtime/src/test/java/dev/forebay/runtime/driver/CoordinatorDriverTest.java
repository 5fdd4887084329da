// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** What the engine's calls on a coordinator answer when something goes wrong behind them. */
@Timeout(30)
class CoordinatorDriverTest {
    private static final Duration USUAL_LIMIT = Duration.ofSeconds(30);

    /** How long the core lets a channel rest. */
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(1);

    /** Stays in a snapshot until the test lets it go. */
    private static class HeldInSnapshot extends TestEnumerator {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);

        @Override
        public String snapshotState(long checkpointId) throws Exception {
            inside.countDown();
            go.await();
            return "state";
        }
    }

    private static FutureTask<byte[]> snapshot(TestJob job, long checkpoint) {
        return Await.start("snapshot " + checkpoint, () -> job.coordinator.snapshot(checkpoint));
    }

    @Test
    void anExhaustedReserveIsToldToWhoWaits() throws Exception {
        HeldInSnapshot enumerator = new HeldInSnapshot();
        TestJob job = new TestJob(TestJob.USUAL, TestJob.SMALL, USUAL_LIMIT).start(enumerator);
        FutureTask<byte[]> first = snapshot(job, 1);
        enumerator.inside.await();
        FutureTask<byte[]> second = snapshot(job, 2);
        Await.until(
                "the second order waits",
                () -> job.coordinator.describe().contains("1 commands and"));
        assertThatThrownBy(() -> offerNotices(job, 3, 40))
                .hasMessageContaining("the reserve of the coordinator's mailbox is exhausted");
        job.coordinator.checkpointComplete(41);
        enumerator.go.countDown();
        assertThat(Await.thrownBy(second))
                .isInstanceOf(ManagedSourceException.class)
                .hasMessageContaining("the reserve of the coordinator's mailbox is exhausted");
        assertThatThrownBy(() -> job.coordinator.snapshot(50))
                .hasMessageContaining("the reserve of the coordinator's mailbox is exhausted");
        Await.result(first);
        job.close();
    }

    private static void offerNotices(TestJob job, int first, int last) {
        for (int checkpoint = first; checkpoint <= last; checkpoint++) {
            job.coordinator.checkpointComplete(checkpoint);
        }
    }

    @Test
    void aSecondSnapshotOfTheSameCheckpointIsRefusedAndTheFirstAnswered() throws Exception {
        HeldInSnapshot enumerator = new HeldInSnapshot();
        TestJob job = new TestJob().start(enumerator);
        FutureTask<byte[]> first = snapshot(job, 1);
        enumerator.inside.await();
        assertThat(Await.thrownBy(snapshot(job, 1)))
                .hasMessageContaining("checkpoint 1 of source test is being taken already");
        enumerator.go.countDown();
        assertThat(Await.result(first)).isNotEmpty();
        job.close();
    }

    @Test
    void aCloseInterruptsAgainWhatSwallowsAnInterrupt() throws Exception {
        AtomicInteger interrupts = new AtomicInteger();
        CountDownLatch inside = new CountDownLatch(1);
        TestEnumerator enumerator =
                new TestEnumerator() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) {
                        inside.countDown();
                        while (interrupts.get() < 2) {
                            LockSupport.park();
                            if (Thread.interrupted()) {
                                interrupts.incrementAndGet();
                            }
                        }
                    }
                };
        TestJob job = new TestJob().start(enumerator);
        job.coordinator.checkpointComplete(1);
        inside.await();
        job.coordinator.close();
        assertThat(interrupts).hasValue(2);
        assertThat(enumerator.closes).hasValue(1);
        job.close();
    }

    /** Its turn is not over as long as there is something to do; its callbacks are short. */
    @Test
    void aCloseWaitsForOneCallbackOfABusyEnumerator() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<String> threads = new CopyOnWriteArrayList<>();
        TestEnumerator enumerator =
                new TestEnumerator() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) throws Exception {
                        inside.countDown();
                        go.await();
                        threads.add(Thread.currentThread().getName());
                    }
                };
        TestJob job = new TestJob().start(enumerator);
        offerNotices(job, 1, 3);
        inside.await();
        AtomicReference<Thread> closer = new AtomicReference<>();
        FutureTask<Void> close =
                Await.start(
                        "closer",
                        () -> {
                            closer.set(Thread.currentThread());
                            job.coordinator.close();
                            return null;
                        });
        Await.until(
                "the close waits",
                () ->
                        closer.get() != null
                                && closer.get().getState() == Thread.State.TIMED_WAITING);
        go.countDown();
        Await.result(close);
        assertThat(threads.get(0)).startsWith("forebay-loop");
        assertThat(threads.subList(1, 3)).as("what the close delivers").containsOnly("closer");
        assertThat(enumerator.closes).hasValue(1);
        job.close();
    }

    @Test
    void aCloseGivesUpAndTheEnumeratorIsClosedWhenItReturns() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        TestEnumerator enumerator =
                new TestEnumerator() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) {
                        inside.countDown();
                        awaitWhateverComes(go);
                    }
                };
        TestJob job =
                new TestJob(TestJob.USUAL, TestJob.USUAL, Duration.ofMillis(100)).start(enumerator);
        job.coordinator.checkpointComplete(1);
        inside.await();
        FutureTask<byte[]> waiting = snapshot(job, 2);
        Await.until("an order waits", () -> job.coordinator.describe().contains("1 commands and"));
        assertThatThrownBy(job.coordinator::close)
                .isInstanceOf(ManagedSourceException.class)
                .hasMessageContaining(enumerator.getClass().getName())
                .hasMessageContaining("of source test cannot be closed");
        assertThat(Await.thrownBy(waiting)).hasMessageContaining("cannot be closed");
        assertThat(enumerator.closes).as("it is inside still").hasValue(0);
        job.coordinator.close();
        go.countDown();
        Await.until("the enumerator is closed", () -> enumerator.closes.get() == 1);
        job.close();
    }

    private static void awaitWhateverComes(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                continue;
            }
        }
    }

    @Test
    void aCoordinatorThatHostsNothingCanBeClosed() throws Exception {
        TestJob job = new TestJob();
        job.coordinator.close();
        job.coordinator.close();
        assertThat(job.coordinator.describe()).endsWith("closed");
        job.close();
    }

    @Test
    void whatIsNeitherErrorNorExceptionIsTheCauseOfWhatIsThrown() throws Exception {
        Throwable plain = new Throwable("plain");
        TestJob job =
                new TestJob()
                        .start(
                                new TestEnumerator() {
                                    @Override
                                    public String snapshotState(long checkpointId) {
                                        throw Sneaky.<RuntimeException>asItIs(plain);
                                    }
                                });
        assertThatThrownBy(() -> job.coordinator.snapshot(1))
                .isInstanceOf(ManagedSourceException.class)
                .hasCause(plain);
        job.close();
    }

    @Test
    void aSnapshotThatIsNullNamesClassAndMethod() throws Exception {
        TestEnumerator enumerator =
                new TestEnumerator() {
                    @Override
                    public String snapshotState(long checkpointId) {
                        return null;
                    }
                };
        TestJob job = new TestJob().start(enumerator);
        assertThatThrownBy(() -> job.coordinator.snapshot(1))
                .hasMessage(enumerator.getClass().getName() + ".snapshotState returned null");
        job.close();
    }

    /** As many as there are threads, and more. */
    @Test
    void enumeratorsThatNeverReturnStopThemselvesOnly() throws Exception {
        int count = 5;
        CountDownLatch inside = new CountDownLatch(count);
        CountDownLatch go = new CountDownLatch(1);
        List<TestJob> blocked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TestJob job =
                    new TestJob()
                            .start(
                                    new TestEnumerator() {
                                        @Override
                                        public void notifyCheckpointComplete(long checkpointId) {
                                            inside.countDown();
                                            awaitWhateverComes(go);
                                        }
                                    });
            blocked.add(job);
        }
        blocked.forEach(job -> job.coordinator.checkpointComplete(1));
        assertThat(inside.await(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                .as("all of them have a thread")
                .isTrue();
        FutureTask<TestJob> other =
                Await.start("other", () -> new TestJob().start(new TestEnumerator()));
        Await.result(other).close();
        go.countDown();
        for (TestJob job : blocked) {
            job.close();
        }
    }

    /**
     * Few threads serve the loops of all sources: a blocked coordinator may keep one of them, and
     * not two, though the time comes for it to try again what did not reach its reader.
     */
    @Test
    void aBlockedCoordinatorKeepsOneSharedThread() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        TestJob job = new TestJob();
        job.start(
                new TestEnumerator() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) throws Exception {
                        job.coordinator.assign(
                                0, Collections.singletonList(new TestSplit("undelivered")));
                    }

                    @Override
                    public void notifyCheckpointAborted(long checkpointId) throws Exception {
                        inside.countDown();
                        go.await();
                    }
                });
        job.startIdle(new TestReader());
        job.holdsBack = true;
        job.lastToReader.set(null);
        job.coordinator.checkpointComplete(1);
        Await.until("a split did not arrive", () -> job.lastToReader.get() != null);
        job.coordinator.checkpointAborted(2);
        inside.await();
        long end = System.nanoTime() + LONGEST_BACKOFF.multipliedBy(2).toNanos();
        while (System.nanoTime() - end < 0) {
            Await.result(Await.start("other", () -> new TestJob().start(new TestEnumerator())))
                    .close();
        }
        go.countDown();
        job.close();
    }
}
