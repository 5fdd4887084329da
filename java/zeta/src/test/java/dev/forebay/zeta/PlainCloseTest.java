// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;
import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceReader;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.source.SourceSplitEnumerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** On the plain lane a connector is closed once, and not called after that, whoever closes. */
@Timeout(30)
class PlainCloseTest {
    private static final int CLOSERS = 8;

    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicInteger callsAfterClose = new AtomicInteger();
    private final AtomicInteger wakeups = new AtomicInteger();
    private final CountDownLatch polling = new CountDownLatch(1);
    private final CountDownLatch wokenTwice = new CountDownLatch(2);

    private void called() {
        if (closes.get() > 0) {
            callsAfterClose.incrementAndGet();
        }
    }

    private final class Reader implements ManagedSourceReader<Object, SourceSplit> {
        @Override
        public ManagedSourceCapability managedSourceCapability() {
            return Source.CAPABILITY;
        }

        /** Misses the first wake-up. */
        @Override
        public PollStatus pollNextManaged(Collector<Object> output, PollContext context)
                throws Exception {
            called();
            polling.countDown();
            wokenTwice.await();
            return PollStatus.NOTHING_AVAILABLE;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return new CompletableFuture<>();
        }

        @Override
        public void wakeup() {
            wakeups.incrementAndGet();
            wokenTwice.countDown();
        }

        @Override
        public List<SourceSplit> snapshotState(long checkpointId) {
            called();
            return Collections.emptyList();
        }

        @Override
        public void addSplits(List<SourceSplit> splits) {
            called();
        }

        @Override
        public void handleNoMoreSplits() {
            called();
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            called();
        }

        @Override
        public void close() throws IOException {
            closes.incrementAndGet();
        }
    }

    private final class Enumerator implements ManagedSplitEnumerator<SourceSplit, String> {
        @Override
        public void open() {
            called();
        }

        @Override
        public void run() {
            called();
        }

        @Override
        public void addSplitsBack(List<SourceSplit> splits, int subtaskId) {
            called();
        }

        @Override
        public int currentUnassignedSplitSize() {
            called();
            return 1;
        }

        @Override
        public void handleSplitRequest(int subtaskId) {
            called();
        }

        @Override
        public void registerReader(int subtaskId) {
            called();
        }

        @Override
        public String snapshotState(long checkpointId) {
            called();
            return "state";
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            called();
        }

        @Override
        public void close() throws IOException {
            closes.incrementAndGet();
        }
    }

    private static final class Text<T> implements VersionedSerializer<T> {
        @Override
        public int version() {
            return 1;
        }

        @Override
        public byte[] serialize(T value) {
            return value.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public T deserialize(int version, byte[] bytes) {
            throw new UnsupportedOperationException("nothing is restored here");
        }
    }

    private static final class Source extends ManagedSource<Object, SourceSplit, String> {
        private static final long serialVersionUID = 1L;
        static final ManagedSourceCapability CAPABILITY = ManagedSourceCapability.of("Plain", 1);

        private final transient PlainCloseTest test;

        Source(PlainCloseTest test) {
            this.test = test;
        }

        @Override
        public String getPluginName() {
            return "Plain";
        }

        @Override
        public Boundedness getBoundedness() {
            return Boundedness.UNBOUNDED;
        }

        @Override
        protected ManagedSourceCapability capability() {
            return CAPABILITY;
        }

        @Override
        protected ManagedSourceReader<Object, SourceSplit> createManagedReader(
                ManagedReaderContext context) {
            return test.new Reader();
        }

        @Override
        protected ManagedSplitEnumerator<SourceSplit, String> createManagedEnumerator(
                ManagedSplitEnumerator.Context<SourceSplit> context, String restored) {
            return test.new Enumerator();
        }

        @Override
        protected VersionedSerializer<SourceSplit> splitSerializer() {
            return new Text<>();
        }

        @Override
        protected VersionedSerializer<String> enumeratorStateSerializer() {
            return new Text<>();
        }
    }

    /** An engine that is not asked for anything. */
    private static <T> T engine(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            throw new UnsupportedOperationException(method.toString());
                        }));
    }

    private static final class Output implements Collector<Object> {
        @Override
        public void collect(Object row) {}

        @Override
        public Object getCheckpointLock() {
            return this;
        }
    }

    private interface Body {
        void run() throws Exception;
    }

    private static FutureTask<Void> start(Body body) {
        FutureTask<Void> task =
                new FutureTask<>(
                        () -> {
                            body.run();
                            return null;
                        });
        Thread thread = new Thread(task, "engine");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void closeFromManyThreads(Body close) throws Exception {
        List<FutureTask<Void>> closers = new ArrayList<>();
        for (int i = 0; i < CLOSERS; i++) {
            closers.add(start(close));
        }
        for (FutureTask<Void> closer : closers) {
            closer.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void aReaderIsClosedOnceAndNotCalledAfterThat() throws Exception {
        PlainReader<Object, SourceSplit> reader =
                new PlainReader<>(new Source(this), engine(SourceReader.Context.class));
        reader.open();
        FutureTask<Void> task = start(() -> reader.pollNext(new Output()));
        polling.await();
        closeFromManyThreads(reader::close);
        task.get(10, TimeUnit.SECONDS);
        assertThat(closes).hasValue(1);
        reader.pollNext(new Output());
        reader.addSplits(
                Collections.singletonList(new EngineSplit(EngineSplit.PLAIN, new byte[8])));
        reader.handleNoMoreSplits();
        reader.notifyCheckpointComplete(1);
        reader.notifyCheckpointAborted(1);
        assertThatThrownBy(() -> reader.snapshotState(7))
                .hasMessage("checkpoint 7 is declined: the reader is closed");
        assertThat(callsAfterClose).hasValue(0);
    }

    @Test
    void aPollThatMissesAWakeUpIsWokenAgain() throws Exception {
        PlainReader<Object, SourceSplit> reader =
                new PlainReader<>(new Source(this), engine(SourceReader.Context.class));
        FutureTask<Void> task = start(() -> reader.pollNext(new Output()));
        polling.await();
        start(reader::close).get(10, TimeUnit.SECONDS);
        task.get(10, TimeUnit.SECONDS);
        assertThat(wakeups.get()).isGreaterThan(1);
        assertThat(closes).hasValue(1);
    }

    @Test
    void anEnumeratorIsClosedOnceAndNotCalledAfterThat() throws Exception {
        PlainEnumerator<SourceSplit, String> enumerator =
                new PlainEnumerator<>(new Source(this), engine(enumeratorContext()), null);
        enumerator.open();
        enumerator.run();
        closeFromManyThreads(enumerator::close);
        assertThat(closes).hasValue(1);
        enumerator.registerReader(0);
        enumerator.handleSplitRequest(0);
        enumerator.addSplitsBack(Collections.emptyList(), 0);
        enumerator.notifyCheckpointComplete(1);
        enumerator.notifyCheckpointAborted(1);
        assertThat(enumerator.currentUnassignedSplitSize()).isZero();
        assertThatThrownBy(() -> enumerator.snapshotState(7))
                .hasMessage("checkpoint 7 is declined: the enumerator is closed");
        assertThat(callsAfterClose).hasValue(0);
    }

    @Test
    void anEnumeratorThatIsClosedIsNotOpened() throws Exception {
        PlainEnumerator<SourceSplit, String> enumerator =
                new PlainEnumerator<>(new Source(this), engine(enumeratorContext()), null);
        enumerator.close();
        assertThatThrownBy(enumerator::open).hasMessageContaining("it was closed before");
        assertThatThrownBy(enumerator::run).hasMessageContaining("it was closed before");
        assertThat(callsAfterClose).hasValue(0);
    }

    @SuppressWarnings("unchecked") // a class literal knows no type variables
    private static Class<SourceSplitEnumerator.Context<EngineSplit>> enumeratorContext() {
        return (Class<SourceSplitEnumerator.Context<EngineSplit>>)
                (Class<?>) SourceSplitEnumerator.Context.class;
    }
}
