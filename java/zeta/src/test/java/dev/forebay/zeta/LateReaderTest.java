// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What was made is closed once, whenever the close comes. */
@Timeout(30)
class LateReaderTest {
    private final AtomicInteger opens = new AtomicInteger();
    private final AtomicInteger closes = new AtomicInteger();
    private Error failure;

    private final class Made implements SourceReader<Object, EngineSplit> {
        @Override
        public void open() {
            opens.incrementAndGet();
        }

        @Override
        public void close() {
            if (closes.incrementAndGet() == 1 && failure != null) {
                throw new IllegalStateException("and the valve is stuck");
            }
        }

        @Override
        public void pollNext(Collector<Object> output) {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public List<EngineSplit> snapshotState(long checkpointId) {
            return Collections.emptyList();
        }

        @Override
        public void addSplits(List<EngineSplit> splits) {}

        @Override
        public void handleNoMoreSplits() {}

        @Override
        public void notifyCheckpointComplete(long checkpointId) {}
    }

    @Test
    void aReaderThatIsClosedWhileItIsMadeIsClosedByWhoMakesIt() throws Exception {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        LateReader<Object> late =
                new LateReader<>(
                        () -> {
                            making.countDown();
                            go.await();
                            return new Made();
                        });
        FutureTask<Void> task = open(late);
        making.await();
        late.close();
        go.countDown();
        assertThatThrownBy(() -> task.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(InterruptedException.class)
                .hasMessageContaining("closed while it was made");
        assertThat(closes).hasValue(1);
        assertThat(opens).hasValue(0);
    }

    private static FutureTask<Void> open(LateReader<Object> late) {
        FutureTask<Void> task =
                new FutureTask<>(
                        () -> {
                            late.open();
                            return null;
                        });
        Thread thread = new Thread(task, "task");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void aReaderThatIsClosedBeforeItIsOpenedIsNotMade() throws Exception {
        LateReader<Object> late = new LateReader<>(Made::new);
        late.close();
        assertThatThrownBy(late::open).isInstanceOf(InterruptedException.class);
        assertThat(opens).hasValue(0);
        assertThat(closes).hasValue(0);
    }

    @Test
    void aReaderThatIsOpenIsClosed() throws Exception {
        LateReader<Object> late = new LateReader<>(Made::new);
        late.open();
        late.close();
        assertThat(opens).hasValue(1);
        assertThat(closes).hasValue(1);
    }

    /** Engine 2.3.8 does not close it if another task of its group ends at the same time. */
    @Test
    void aReaderThatFailsIsClosedAtOnce() throws Exception {
        LateReader<Object> late = new LateReader<>(Made::new);
        late.open();
        failure = new StackOverflowError("the pump is broken");
        assertThatThrownBy(() -> late.pollNext(null))
                .isSameAs(failure)
                .satisfies(
                        told ->
                                assertThat(told.getSuppressed()[0])
                                        .hasMessage("and the valve is stuck"));
        assertThat(closes).hasValue(1);
    }
}
