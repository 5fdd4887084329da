// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.natives.LoopSettings;
import dev.forebay.natives.NativeReader;
import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.runtime.driver.ReaderDriver;

import org.apache.seatunnel.api.common.metrics.MetricsContext;
import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceReader;
import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the engine takes for a reader on the managed lane: translates its calls for the loop's
 * driver.
 */
final class ManagedReader<T, SplitT extends SourceSplit> implements SourceReader<T, EngineSplit> {
    private final SourceRegistry.Key key;
    private final ReaderDriver<T, SplitT> driver;
    private final EngineAbilities abilities;

    ManagedReader(ManagedSource<T, SplitT, ?> source, SourceReader.Context engine)
            throws Exception {
        Member member = Member.of(engine);
        int subtask = engine.getIndexOfSubtask();
        abilities = new EngineAbilities(engine);
        key = new SourceRegistry.Key(member.id(), source.runtimeId(), subtask);
        HazelcastTransport transport = new HazelcastTransport(member, source.runtimeId());
        // Before the loop is made: it would stay open if the connector failed here.
        VersionedSerializer<SplitT> splits = source.splits();
        NativeReader loop =
                new NativeReader(
                        SourceRegistry.budget(),
                        source.newIdentity(),
                        subtask,
                        System.currentTimeMillis(),
                        transport.address(),
                        LoopSettings.defaults());
        driver =
                new ReaderDriver<>(
                        loop,
                        transport,
                        splits,
                        source.getClass().getClassLoader(),
                        new Hooks(engine));
        try {
            driver.host(source.newReader(new Context(engine, driver)));
        } catch (Throwable t) {
            loop.close();
            throw t;
        }
        SourceRegistry.add(key, driver);
    }

    @Override
    public void open() throws Exception {
        driver.open();
    }

    @Override
    public void pollNext(Collector<T> output) throws Exception {
        driver.run(output);
        // Without this the engine would sleep 100 ms before it calls again.
        abilities.skipSleep(output);
    }

    @Override
    public List<EngineSplit> snapshotState(long checkpointId) throws Exception {
        List<EngineSplit> parts = new ArrayList<>();
        for (byte[] part : driver.snapshot(checkpointId)) {
            parts.add(
                    new EngineSplit(
                            parts.isEmpty() ? EngineSplit.METADATA : EngineSplit.MANAGED, part));
        }
        return parts;
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
    public void addSplits(List<EngineSplit> splits) {
        throw new IllegalStateException(
                "a managed reader gets its splits through its mailbox only");
    }

    @Override
    public void handleNoMoreSplits() {
        throw new IllegalStateException(
                "a managed reader hears of the end of its splits through its mailbox only");
    }

    @Override
    public void close() throws IOException {
        SourceRegistry.remove(key, driver);
        Closing.close(driver::close, "reader");
    }

    private final class Hooks implements ReaderDriver.Engine {
        private final SourceReader.Context engine;

        Hooks(SourceReader.Context engine) {
            this.engine = engine;
        }

        @Override
        public void endOfInput() {
            engine.signalNoMoreElement();
        }

        @Override
        public boolean wantsThreadBack() {
            return abilities.preparesClose();
        }
    }

    private static final class Context implements ManagedReaderContext {
        private final SourceReader.Context engine;
        private final ReaderDriver<?, ?> driver;

        Context(SourceReader.Context engine, ReaderDriver<?, ?> driver) {
            this.engine = engine;
            this.driver = driver;
        }

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
            driver.requestSplit();
        }

        @Override
        public MetricsContext getMetricsContext() {
            return engine.getMetricsContext();
        }
    }
}
