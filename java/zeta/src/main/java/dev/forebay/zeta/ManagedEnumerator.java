// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.natives.LoopSettings;
import dev.forebay.natives.NativeCoordinator;
import dev.forebay.runtime.CoordinatorScheduler;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.runtime.driver.CoordinatorDriver;
import dev.forebay.runtime.driver.ManagedSourceException;

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
 * What the engine takes for an enumerator on the managed lane: translates its calls for the loop's
 * driver.
 */
final class ManagedEnumerator<SplitT extends SourceSplit, StateT>
        implements SourceSplitEnumerator<EngineSplit, EngineState> {
    private final SourceRegistry.Key key;
    private final CoordinatorDriver<SplitT, StateT> driver;

    ManagedEnumerator(
            ManagedSource<?, SplitT, StateT> source,
            SourceSplitEnumerator.Context<EngineSplit> engine,
            byte[] checkpoint)
            throws Exception {
        Member member = Member.of(engine);
        key = SourceRegistry.Key.ofCoordinator(member.id(), source.runtimeId());
        // Before the loop is made: it would stay open if the connector failed here.
        VersionedSerializer<SplitT> splits = source.splits();
        VersionedSerializer<StateT> states = source.states();
        NativeCoordinator loop =
                new NativeCoordinator(
                        SourceRegistry.budget(),
                        source.newIdentity(),
                        System.currentTimeMillis(),
                        engine.currentParallelism(),
                        LoopSettings.defaults());
        driver =
                new CoordinatorDriver<>(
                        source.getPluginName() + ' ' + source.runtimeId(),
                        loop,
                        new HazelcastTransport(member, source.runtimeId()),
                        splits,
                        states,
                        source.getClass().getClassLoader());
        try {
            StateT restored = checkpoint == null ? null : driver.restore(checkpoint);
            driver.host(source.newEnumerator(new Context<>(engine, driver), restored));
        } catch (Throwable t) {
            loop.close();
            throw t;
        }
        SourceRegistry.add(key, driver);
    }

    @Override
    public void open() {
        await(driver::open, "open");
    }

    @Override
    public void run() throws Exception {
        driver.run();
    }

    private static void await(Closing.Close order, String what) {
        try {
            order.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ManagedSourceException(
                    "the enumerator failed to " + what + ": " + e.getMessage(), e);
        }
    }

    @Override
    public EngineState snapshotState(long checkpointId) throws Exception {
        return new EngineState(Lane.MANAGED.tag, driver.snapshot(checkpointId));
    }

    /**
     * Only on a restore, with all that the reader of a subtask had snapshotted: the runtime's part
     * comes first.
     */
    @Override
    public void addSplitsBack(List<EngineSplit> parts, int subtaskId) {
        List<byte[]> splits = new ArrayList<>();
        byte[] metadata = null;
        for (EngineSplit part : parts) {
            Lane.MANAGED.check(part.tag);
            if (part.tag == EngineSplit.METADATA) {
                // A restore with less parallelism brings the parts of several readers one after the
                // other.
                restore(subtaskId, metadata, splits);
                metadata = part.bytes;
                splits = new ArrayList<>();
            } else {
                splits.add(part.bytes);
            }
        }
        restore(subtaskId, metadata, splits);
    }

    private void restore(int subtaskId, byte[] metadata, List<byte[]> splits) {
        if (metadata != null) {
            driver.restoreReader(subtaskId, metadata, splits);
        } else if (!splits.isEmpty()) {
            throw new ManagedSourceException(
                    "the state of subtask " + subtaskId + " in the checkpoint is incomplete");
        }
    }

    /** The runtime hears of its readers by their own registration, which tells where they are. */
    @Override
    public void registerReader(int subtaskId) {}

    @Override
    public int currentUnassignedSplitSize() {
        return 0;
    }

    @Override
    public void handleSplitRequest(int subtaskId) {
        throw new IllegalStateException(
                "a managed reader asks for splits through its channel only");
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        driver.checkpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        driver.checkpointAborted(checkpointId);
    }

    @Override
    public void close() throws IOException {
        SourceRegistry.remove(key, driver);
        Closing.close(driver::close, "enumerator");
    }

    private static final class Context<SplitT extends SourceSplit>
            implements ManagedSplitEnumerator.Context<SplitT> {
        private final SourceSplitEnumerator.Context<EngineSplit> engine;
        private final CoordinatorDriver<SplitT, ?> driver;

        Context(
                SourceSplitEnumerator.Context<EngineSplit> engine,
                CoordinatorDriver<SplitT, ?> driver) {
            this.engine = engine;
            this.driver = driver;
        }

        @Override
        public CoordinatorScheduler getCoordinatorScheduler() {
            return driver.scheduler();
        }

        @Override
        public boolean isAssignmentCapacityAvailable() {
            return driver.hasAssignmentCapacity();
        }

        @Override
        public int currentParallelism() {
            return engine.currentParallelism();
        }

        @Override
        public Set<Integer> registeredReaders() {
            return driver.registeredReaders();
        }

        @Override
        public void assignSplit(int subtaskId, List<SplitT> splits) {
            driver.assign(subtaskId, splits);
        }

        @Override
        public void signalNoMoreSplits(int subtask) {
            driver.noMoreSplits(subtask);
        }

        @Override
        public void sendEventToSourceReader(int subtaskId, SourceEvent event) {
            throw new UnsupportedOperationException(
                    "source events are not carried by the runtime: put what the reader must know into a split");
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
