// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.natives.LoopIdentity;
import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.runtime.driver.ManagedSourceException;
import dev.forebay.runtime.driver.Returned;

import org.apache.seatunnel.api.common.JobContext;
import org.apache.seatunnel.api.serialization.Serializer;
import org.apache.seatunnel.api.source.SeaTunnelSource;
import org.apache.seatunnel.api.source.SourceReader;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.source.SourceSplitEnumerator;
import org.apache.seatunnel.api.source.SupportParallelism;

import java.util.UUID;

/**
 * A source whose concurrency belongs to the Forebay runtime; what a connector extends. To the
 * engine it is a source of the public API. The engine serializes it from the client to each member,
 * so its fields must be serializable.
 *
 * @param <T> the record type
 * @param <SplitT> the connector's split type
 * @param <StateT> what the connector's enumerator remembers in a checkpoint
 */
public abstract class ManagedSource<T, SplitT extends SourceSplit, StateT>
        implements SeaTunnelSource<T, EngineSplit, EngineState>, SupportParallelism {
    private static final long serialVersionUID = 1L;

    /**
     * Drawn where the job is submitted and carried to every member: names this source in this job.
     */
    private final UUID runtimeId = UUID.randomUUID();

    private JobContext jobContext;

    /** What the connector declares it can do; a function of its configuration. */
    protected abstract ManagedSourceCapability capability();

    /** A new reader; called once per life of a subtask. */
    protected abstract ManagedSourceReader<T, SplitT> createManagedReader(
            ManagedReaderContext context) throws Exception;

    /**
     * A new enumerator; called once per life of the coordinator. Must not list or fetch: that
     * belongs behind {@link ManagedSplitEnumerator#open()}, on the scheduler.
     *
     * @param restored what an earlier life remembered, or null for a job that starts from the
     *     beginning
     */
    protected abstract ManagedSplitEnumerator<SplitT, StateT> createManagedEnumerator(
            ManagedSplitEnumerator.Context<SplitT> context, StateT restored) throws Exception;

    protected abstract VersionedSerializer<SplitT> splitSerializer();

    protected abstract VersionedSerializer<StateT> enumeratorStateSerializer();

    /**
     * Which lane runs the connector. On the plain lane the same connector is driven by the engine's
     * own threads and monitor, without the runtime: for comparison, and as the way out. A
     * checkpoint of one lane cannot be restored on the other.
     */
    protected Lane lane() {
        return Lane.MANAGED;
    }

    @Override
    public final void setJobContext(JobContext context) {
        jobContext = context;
    }

    /** A reader that declares what the source does; one that does not is closed. */
    final ManagedSourceReader<T, SplitT> newReader(ManagedReaderContext context) throws Exception {
        ManagedSourceReader<T, SplitT> reader =
                Returned.notNull(createManagedReader(context), this, "createManagedReader");
        try {
            checkCapability(reader);
            return reader;
        } catch (Throwable t) {
            try {
                reader.close();
            } catch (Throwable second) {
                t.addSuppressed(second);
            }
            throw t;
        }
    }

    private void checkCapability(ManagedSourceReader<T, SplitT> reader) {
        if (!declared().equals(reader.managedSourceCapability())) {
            throw new ManagedSourceException(
                    "the source declares "
                            + declared()
                            + ", its reader "
                            + reader.managedSourceCapability()
                            + ": both must declare the same");
        }
    }

    final ManagedSplitEnumerator<SplitT, StateT> newEnumerator(
            ManagedSplitEnumerator.Context<SplitT> context, StateT restored) throws Exception {
        return Returned.notNull(
                createManagedEnumerator(context, restored), this, "createManagedEnumerator");
    }

    final VersionedSerializer<SplitT> splits() {
        return Returned.notNull(splitSerializer(), this, "splitSerializer");
    }

    final VersionedSerializer<StateT> states() {
        return Returned.notNull(enumeratorStateSerializer(), this, "enumeratorStateSerializer");
    }

    private ManagedSourceCapability declared() {
        return Returned.notNull(capability(), this, "capability");
    }

    UUID runtimeId() {
        return runtimeId;
    }

    /** The identity of a new life of one of this source's loops. */
    LoopIdentity newIdentity() {
        return new LoopIdentity(
                Long.parseLong(jobContext.getJobId()),
                runtimeId,
                UUID.randomUUID(),
                declared().digest());
    }

    @Override
    public final SourceReader<T, EngineSplit> createReader(SourceReader.Context context) {
        return new LateReader<>(
                () ->
                        lane() == Lane.MANAGED
                                ? new ManagedReader<>(this, context)
                                : new PlainReader<>(this, context));
    }

    @Override
    public final SourceSplitEnumerator<EngineSplit, EngineState> createEnumerator(
            SourceSplitEnumerator.Context<EngineSplit> context) throws Exception {
        return restoreEnumerator(context, null);
    }

    @Override
    public final SourceSplitEnumerator<EngineSplit, EngineState> restoreEnumerator(
            SourceSplitEnumerator.Context<EngineSplit> context, EngineState checkpoint)
            throws Exception {
        if (checkpoint != null) {
            lane().check(checkpoint.tag);
        }
        byte[] blob = checkpoint == null ? null : checkpoint.bytes;
        return lane() == Lane.MANAGED
                ? new ManagedEnumerator<>(this, context, blob)
                : new PlainEnumerator<>(this, context, blob);
    }

    @Override
    public final Serializer<EngineSplit> getSplitSerializer() {
        return new EngineSplit.Codec();
    }

    @Override
    public final Serializer<EngineState> getEnumeratorStateSerializer() {
        return new EngineState.Codec();
    }
}
