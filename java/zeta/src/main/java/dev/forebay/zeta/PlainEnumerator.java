// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.runtime.CoordinatorScheduler;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.runtime.driver.ManagedSourceException;
import dev.forebay.runtime.driver.MonitorScheduler;
import dev.forebay.runtime.driver.Returned;
import dev.forebay.runtime.driver.SplitCodec;

import org.apache.seatunnel.api.common.metrics.MetricsContext;
import org.apache.seatunnel.api.event.EventListener;
import org.apache.seatunnel.api.source.SourceEvent;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.source.SourceSplitEnumerator;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The plain lane: the connector's enumerator driven by whichever engine thread calls, under a
 * monitor, as enumerators of the public API are. The connector still sees one call at a time and in
 * the promised order, so calls that the engine makes too early wait here.
 */
final class PlainEnumerator<SplitT extends SourceSplit, StateT>
        implements SourceSplitEnumerator<EngineSplit, EngineState> {
    private final ManagedSplitEnumerator<SplitT, StateT> connector;
    private final SplitCodec<SplitT> codec;
    private final VersionedSerializer<StateT> stateSerializer;
    private final MonitorScheduler scheduler;
    private final List<Runnable> beforeOpen = new ArrayList<>();
    private final List<Runnable> beforeRun = new ArrayList<>();
    private boolean opened;
    private boolean running;
    private boolean closed;

    PlainEnumerator(
            ManagedSource<?, SplitT, StateT> source,
            SourceSplitEnumerator.Context<EngineSplit> engine,
            byte[] checkpoint)
            throws Exception {
        codec = new SplitCodec<>(source.splits());
        stateSerializer = source.states();
        scheduler = new MonitorScheduler(this, source.getClass().getClassLoader());
        StateT restored =
                checkpoint == null ? null : SplitCodec.decode(stateSerializer, checkpoint);
        connector = source.newEnumerator(new Context(engine), restored);
    }

    @Override
    public synchronized void open() {
        checkNotClosed("open");
        connector.open();
        opened = true;
        beforeOpen.forEach(Runnable::run);
    }

    @Override
    public synchronized void run() throws Exception {
        checkNotClosed("run");
        connector.run();
        running = true;
        beforeRun.forEach(Runnable::run);
    }

    private void checkNotClosed(String what) {
        if (closed) {
            throw new IllegalStateException(
                    "the enumerator cannot " + what + ": it was closed before");
        }
    }

    @Override
    public synchronized void addSplitsBack(List<EngineSplit> parts, int subtaskId) {
        List<SplitT> splits = Plain.decode(codec, parts);
        whenReady(opened, beforeOpen, () -> connector.addSplitsBack(splits, subtaskId));
    }

    @Override
    public synchronized void registerReader(int subtaskId) {
        whenReady(opened, beforeOpen, () -> connector.registerReader(subtaskId));
    }

    @Override
    public synchronized void handleSplitRequest(int subtaskId) {
        scheduler.rethrow();
        whenReady(running, beforeRun, () -> connector.handleSplitRequest(subtaskId));
    }

    private void whenReady(boolean ready, List<Runnable> early, Runnable call) {
        if (closed) {
            return; // the engine's other threads do not know yet
        }
        if (ready) {
            call.run();
        } else {
            early.add(call);
        }
    }

    @Override
    public synchronized int currentUnassignedSplitSize() {
        return closed ? 0 : connector.currentUnassignedSplitSize();
    }

    @Override
    public synchronized EngineState snapshotState(long checkpointId) throws Exception {
        scheduler.rethrow();
        if (closed) {
            throw new ManagedSourceException(
                    "checkpoint " + checkpointId + " is declined: the enumerator is closed");
        }
        byte[] state =
                SplitCodec.encode(
                        stateSerializer,
                        Returned.notNull(
                                connector.snapshotState(checkpointId), connector, "snapshotState"));
        return new EngineState(EngineSplit.PLAIN, state);
    }

    @Override
    public synchronized void notifyCheckpointComplete(long checkpointId) throws Exception {
        scheduler.rethrow();
        if (!closed) {
            connector.notifyCheckpointComplete(checkpointId);
        }
    }

    @Override
    public synchronized void notifyCheckpointAborted(long checkpointId) throws Exception {
        if (!closed) {
            connector.notifyCheckpointAborted(checkpointId);
        }
    }

    /** Any thread; waits for the connector's call that is under way. Harmless twice. */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            scheduler.close();
        } finally {
            connector.close();
        }
    }

    private final class Context implements ManagedSplitEnumerator.Context<SplitT> {
        private final SourceSplitEnumerator.Context<EngineSplit> engine;

        Context(SourceSplitEnumerator.Context<EngineSplit> engine) {
            this.engine = engine;
        }

        @Override
        public CoordinatorScheduler getCoordinatorScheduler() {
            return scheduler;
        }

        @Override
        public boolean isAssignmentCapacityAvailable() {
            return true;
        }

        @Override
        public int currentParallelism() {
            return engine.currentParallelism();
        }

        @Override
        public Set<Integer> registeredReaders() {
            return engine.registeredReaders();
        }

        @Override
        public void assignSplit(int subtaskId, List<SplitT> splits) {
            List<EngineSplit> parts = new ArrayList<>();
            try {
                for (byte[] split : codec.encode(splits)) {
                    parts.add(new EngineSplit(EngineSplit.PLAIN, split));
                }
            } catch (IOException e) {
                throw new ManagedSourceException(
                        "splits cannot be serialized: " + e.getMessage(), e);
            }
            engine.assignSplit(subtaskId, parts);
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            engine.signalNoMoreSplits(subtask);
        }

        @Override
        public void sendEventToSourceReader(int subtaskId, SourceEvent event) {
            engine.sendEventToSourceReader(subtaskId, event);
        }

        @Override
        public MetricsContext getMetricsContext() {
            return engine.getMetricsContext();
        }

        @Override
        public EventListener getEventListener() {
            return engine.getEventListener();
        }
    }
}
