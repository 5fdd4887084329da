// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollStatus;
import dev.forebay.runtime.driver.ManagedSourceException;
import dev.forebay.runtime.driver.PollBudget;
import dev.forebay.runtime.driver.PollTurn;
import dev.forebay.runtime.driver.Returned;
import dev.forebay.runtime.driver.SplitCodec;
import dev.forebay.runtime.driver.Wakeups;

import org.apache.seatunnel.api.common.metrics.MetricsContext;
import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceReader;
import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The plain lane: the connector's reader driven by whichever engine thread calls, under a monitor,
 * as readers of the public API are. The connector still sees one call at a time.
 */
final class PlainReader<T, SplitT extends SourceSplit> implements SourceReader<T, EngineSplit> {
    private final SourceReader.Context engine;
    private final ManagedSourceReader<T, SplitT> connector;
    private final PollTurn<T> turn;
    private final SplitCodec<SplitT> codec;
    private final ClassLoader loader;

    /**
     * Sent outside all monitors: the engine waits for the enumerator, which may wait for {@link
     * #addSplits}.
     */
    private final AtomicBoolean wantsSplit = new AtomicBoolean();

    private boolean ended;

    /** A close is on its way: the connector is not called any more. */
    private volatile boolean closing;

    /** Guarded by the connector. */
    private boolean closed;

    PlainReader(ManagedSource<T, SplitT, ?> source, SourceReader.Context engine) throws Exception {
        this.engine = engine;
        this.loader = source.getClass().getClassLoader();
        this.codec = new SplitCodec<>(source.splits());
        this.connector = source.newReader(new Context());
        this.turn = new PollTurn<>(connector);
    }

    @Override
    public void open() throws Exception {
        synchronized (connector) {
            if (closing) {
                throw new InterruptedException("the reader was closed before it was opened");
            }
            connector.open();
        }
    }

    @Override
    public void pollNext(Collector<T> output) throws Exception {
        if (wantsSplit.getAndSet(false)) {
            engine.sendSplitRequest();
        }
        PollStatus status;
        synchronized (output.getCheckpointLock()) {
            synchronized (connector) {
                status =
                        ended || closing
                                ? PollStatus.NOTHING_AVAILABLE
                                : turn.poll(output, PollBudget.DEFAULT);
                ended |= status == PollStatus.END_OF_INPUT;
            }
        }
        if (status == PollStatus.END_OF_INPUT) {
            engine.signalNoMoreElement();
        }
    }

    @Override
    public List<EngineSplit> snapshotState(long checkpointId) throws Exception {
        synchronized (connector) {
            if (closed) {
                throw new ManagedSourceException(
                        "checkpoint " + checkpointId + " is declined: the reader is closed");
            }
            List<EngineSplit> parts = new ArrayList<>();
            List<SplitT> splits =
                    Returned.notNull(
                            connector.snapshotState(checkpointId), connector, "snapshotState");
            for (byte[] part : codec.encode(splits)) {
                parts.add(new EngineSplit(EngineSplit.PLAIN, part));
            }
            return parts;
        }
    }

    @Override
    public void addSplits(List<EngineSplit> splits) {
        unlessClosed(
                () -> {
                    for (EngineSplit split : splits) {
                        connector.addSplits(Plain.decode(codec, Collections.singletonList(split)));
                    }
                });
    }

    @Override
    public void handleNoMoreSplits() {
        unlessClosed(connector::handleNoMoreSplits);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        unlessClosed(() -> connector.notifyCheckpointComplete(checkpointId));
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        unlessClosed(() -> connector.notifyCheckpointAborted(checkpointId));
    }

    private interface Call<E extends Exception> {
        void run() throws E;
    }

    /** The engine's calls and its close come from several threads: a close may be in front. */
    private <E extends Exception> void unlessClosed(Call<E> call) throws E {
        synchronized (connector) {
            if (!closed) {
                call.run();
            }
        }
    }

    /**
     * Any thread; waits for the connector's call that is under way, which it asks to return.
     * Harmless twice.
     */
    @Override
    public void close() throws IOException {
        closing = true;
        Wakeups wakeups = new Wakeups(connector, loader);
        synchronized (connector) {
            wakeups.stop();
            if (!closed) {
                closed = true;
                connector.close();
            }
        }
    }

    private final class Context implements ManagedReaderContext {
        @Override
        public int getIndexOfSubtask() {
            return engine.getIndexOfSubtask();
        }

        @Override
        public Boundedness getBoundedness() {
            return engine.getBoundedness();
        }

        @Override
        public void sendSplitRequest() {
            wantsSplit.set(true);
        }

        @Override
        public MetricsContext getMetricsContext() {
            return engine.getMetricsContext();
        }
    }
}
