// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** A reader whose input has ended still hears of checkpoints, on threads that others share. */
@Timeout(30)
class ReaderAfterEndTest {
    /** The upper bound of all sources together. */
    private static final int CALLS = 32;

    @Test
    void callsThatNeverEndKeepNoNoticeFromIt() throws Exception {
        TestJob job = new TestJob().startWithoutSplits(new TestEnumerator());
        EndingReader connector = new EndingReader();
        Await.result(job.startTask(connector));
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(CALLS);
        try {
            for (int i = 0; i < CALLS; i++) {
                Workers.calls().execute(() -> waitFor(begun, end));
            }
            begun.await();
            job.reader.checkpointComplete(1);
            Await.until("the notice", () -> connector.completed.contains(1L));
        } finally {
            end.countDown();
        }
        job.close();
    }

    private static void waitFor(CountDownLatch begun, CountDownLatch end) {
        begun.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void itsCallbacksHaveTheConnectorsClassLoader() throws Exception {
        AtomicReference<ClassLoader> seen = new AtomicReference<>();
        TestJob job = new TestJob().startWithoutSplits(new TestEnumerator());
        Await.result(
                job.startTask(
                        new EndingReader() {
                            @Override
                            public void notifyCheckpointComplete(long checkpointId) {
                                seen.set(Thread.currentThread().getContextClassLoader());
                            }
                        }));
        job.reader.checkpointComplete(1);
        Await.until("the notice", () -> seen.get() != null);
        assertThat(seen.get()).isSameAs(job.loader);
        job.close();
    }
}
