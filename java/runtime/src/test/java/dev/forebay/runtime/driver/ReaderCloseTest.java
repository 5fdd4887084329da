// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** A reader can be closed by any thread, whatever its task is doing. */
@Timeout(30)
class ReaderCloseTest {
    private static FutureTask<Void> closeElsewhere(TestJob job) {
        return Await.start("close", closing(job));
    }

    private static Callable<Void> closing(TestJob job) {
        return () -> {
            job.reader.close();
            return null;
        };
    }

    /** The coordinator cannot be reached, so the task waits for it. */
    @Test
    void aCloseEndsATaskThatRegisters() throws Exception {
        TestJob job = new TestJob();
        job.holdsBack = true;
        TestReader connector = new TestReader();
        CountDownLatch opened = new CountDownLatch(1);
        FutureTask<Void> task =
                job.startTask(
                        new TestReader() {
                            @Override
                            public void open() {
                                opened.countDown();
                            }

                            @Override
                            public void close() {
                                connector.close();
                            }
                        });
        opened.await();
        Await.result(closeElsewhere(job));
        assertThat(Await.thrownBy(task))
                .isInstanceOf(InterruptedException.class)
                .hasMessageContaining("closed before");
        assertThat(connector.closes).hasValue(1);
        job.close();
    }

    @Test
    void anInterruptEndsATaskThatRegisters() throws Exception {
        TestJob job = new TestJob();
        job.holdsBack = true;
        job.reader.host(new TestReader());
        FutureTask<Void> task =
                Await.start(
                        "task",
                        () -> {
                            Thread.currentThread().interrupt();
                            job.reader.open();
                            return null;
                        });
        assertThat(Await.thrownBy(task)).isInstanceOf(InterruptedException.class);
        job.close();
    }

    @Test
    void aConnectorIsNotClosedWhileItIsBeingOpened() throws Exception {
        AtomicBoolean inside = new AtomicBoolean();
        AtomicBoolean overlapped = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        // Needs some wake-ups, so that a close that did not wait would be first.
        Semaphore awake = new Semaphore(-2);
        TestJob job = new TestJob();
        FutureTask<Void> task =
                job.startTask(
                        new TestReader() {
                            @Override
                            public void open() throws Exception {
                                inside.set(true);
                                begun.countDown();
                                awake.acquire();
                                inside.set(false);
                            }

                            @Override
                            public void wakeup() {
                                awake.release();
                            }

                            @Override
                            public void close() {
                                overlapped.set(inside.get());
                            }
                        });
        begun.await();
        Await.result(closeElsewhere(job));
        assertThat(overlapped).isFalse();
        assertThat(Await.thrownBy(task)).isInstanceOf(InterruptedException.class);
        job.close();
    }

    @Test
    void aCloseWakesAPollThatWaits() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch awake = new CountDownLatch(1);
        TestReader connector =
                new TestReader() {
                    @Override
                    public PollStatus pollNextManaged(
                            Collector<SeaTunnelRow> output, PollContext context) throws Exception {
                        inside.countDown();
                        awake.await();
                        return PollStatus.MORE_AVAILABLE;
                    }

                    @Override
                    public void wakeup() {
                        awake.countDown();
                    }
                };
        TestJob job = new TestJob().start(new TestEnumerator());
        FutureTask<Void> task = job.startTask(connector);
        inside.await();
        Await.result(closeElsewhere(job));
        assertThat(Await.thrownBy(task)).isNull();
        assertThat(connector.closes).hasValue(1);
        job.close();
    }

    /** A connector may take the first wake-up for one of an earlier poll. */
    @Test
    void aPollThatMissesTheFirstWakeUpGetsAnother() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        Semaphore awake = new Semaphore(-2);
        TestJob job = new TestJob().start(new TestEnumerator());
        FutureTask<Void> task =
                job.startTask(
                        new TestReader() {
                            @Override
                            public PollStatus pollNextManaged(
                                    Collector<SeaTunnelRow> output, PollContext context)
                                    throws Exception {
                                inside.countDown();
                                awake.acquire();
                                return PollStatus.MORE_AVAILABLE;
                            }

                            @Override
                            public void wakeup() {
                                awake.release();
                            }
                        });
        inside.await();
        Await.result(closeElsewhere(job));
        assertThat(Await.thrownBy(task)).isNull();
        job.close();
    }

    @Test
    void aReaderThatHostsNothingCanBeClosed() throws Exception {
        TestJob job = new TestJob();
        job.reader.close();
        job.reader.close();
        assertThat(job.reader.describe()).endsWith("closed");
        job.close();
    }

    @Test
    void aNoticeBeforeTheCloseIsDelivered() throws Exception {
        TestJob job = new TestJob().start(new TestEnumerator());
        TestReader connector = new TestReader();
        FutureTask<Void> task = job.startIdle(connector);
        synchronized (job.output.lock) {
            job.reader.checkpointComplete(1);
            job.reader.close();
        }
        assertThat(connector.completed).containsExactly(1L);
        assertThat(Await.thrownBy(task)).isNull();
        job.close();
    }
}
