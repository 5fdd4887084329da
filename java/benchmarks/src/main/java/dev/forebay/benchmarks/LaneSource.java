// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.benchmarks;

import dev.forebay.connectors.ConnectorFactory;
import dev.forebay.connectors.PendingSplits;
import dev.forebay.connectors.fake.FakeSplit;
import dev.forebay.connectors.fake.ManagedFakeOptions;
import dev.forebay.connectors.fake.ManagedFakeSource;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.zeta.Lane;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.configuration.util.OptionRule;

import java.io.IOException;
import java.util.List;

/**
 * {@code ManagedFake} on one lane or the other; its enumerator tells {@link Checkpoints} what it
 * hears.
 */
public final class LaneSource extends ManagedFakeSource {
    private static final long serialVersionUID = 1L;

    private final Lane lane;

    private LaneSource(ReadonlyConfig config, Lane lane) {
        super(config);
        this.lane = lane;
    }

    /** The name by which a job asks for the connector on this lane. */
    static String identifier(Lane lane) {
        return lane == Lane.MANAGED ? "FakeOnManagedLane" : "FakeOnPlainLane";
    }

    @Override
    protected Lane lane() {
        return lane;
    }

    @Override
    protected ManagedSplitEnumerator<FakeSplit, PendingSplits<FakeSplit>> createManagedEnumerator(
            ManagedSplitEnumerator.Context<FakeSplit> context, PendingSplits<FakeSplit> restored) {
        return new Listener(super.createManagedEnumerator(context, restored));
    }

    /** Hands everything on. */
    private static final class Listener
            implements ManagedSplitEnumerator<FakeSplit, PendingSplits<FakeSplit>> {
        private final ManagedSplitEnumerator<FakeSplit, PendingSplits<FakeSplit>> enumerator;

        Listener(ManagedSplitEnumerator<FakeSplit, PendingSplits<FakeSplit>> enumerator) {
            this.enumerator = enumerator;
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) throws Exception {
            Checkpoints.completed();
            enumerator.notifyCheckpointComplete(checkpointId);
        }

        @Override
        public void notifyCheckpointAborted(long checkpointId) throws Exception {
            enumerator.notifyCheckpointAborted(checkpointId);
        }

        @Override
        public void open() {
            enumerator.open();
        }

        @Override
        public void run() throws Exception {
            enumerator.run();
        }

        @Override
        public void addSplitsBack(List<FakeSplit> splits, int subtask) {
            enumerator.addSplitsBack(splits, subtask);
        }

        @Override
        public int currentUnassignedSplitSize() {
            return enumerator.currentUnassignedSplitSize();
        }

        @Override
        public void handleSplitRequest(int subtask) {
            enumerator.handleSplitRequest(subtask);
        }

        @Override
        public void registerReader(int subtask) {
            enumerator.registerReader(subtask);
        }

        @Override
        public PendingSplits<FakeSplit> snapshotState(long checkpointId) throws Exception {
            return enumerator.snapshotState(checkpointId);
        }

        @Override
        public void close() throws IOException {
            enumerator.close();
        }
    }

    private abstract static class Factory extends ConnectorFactory {
        Factory(Lane lane) {
            super(
                    identifier(lane),
                    OptionRule.builder()
                            .optional(
                                    ManagedFakeOptions.SPLITS,
                                    ManagedFakeOptions.ROWS,
                                    ManagedFakeOptions.FEED)
                            .build(),
                    LaneSource.class,
                    config -> new LaneSource(config, lane));
        }
    }

    /** How the engine finds the connector on the managed lane. */
    public static final class ManagedFactory extends Factory {
        /** Called by the engine. */
        public ManagedFactory() {
            super(Lane.MANAGED);
        }
    }

    /** How the engine finds the connector on the plain lane. */
    public static final class PlainFactory extends Factory {
        /** Called by the engine. */
        public PlainFactory() {
            super(Lane.PLAIN);
        }
    }
}
