// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.zeta.ManagedSource;

import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.catalog.CatalogTable;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.List;

/**
 * A source that produces one table, hands out its splits on request and reads them one after
 * another.
 *
 * @param <SplitT> the split type
 */
public abstract class CursorSource<SplitT extends SourceSplit>
        extends ManagedSource<SeaTunnelRow, SplitT, PendingSplits<SplitT>> {
    private static final long serialVersionUID = 1L;

    /** Raised when state of an older version cannot be read any more, not with each new one. */
    private static final int STATE_COMPATIBILITY = 1;

    private final ManagedSourceCapability capability;
    private final SourceTable table;
    private final long rowsPerSecond;

    /**
     * @param name the plugin name
     * @param rowsPerSecond of each reader, 0 for unlimited
     */
    protected CursorSource(String name, SourceTable table, long rowsPerSecond) {
        this.capability = ManagedSourceCapability.of(name, STATE_COMPATIBILITY);
        this.table = table;
        this.rowsPerSecond = rowsPerSecond;
    }

    /** How splits are written into checkpoints. */
    protected abstract SplitCodec<SplitT> codec();

    /** How the reader with this context opens splits. */
    protected abstract CursorReader.Opener<SplitT> opener(ManagedReaderContext context);

    @Override
    protected abstract ManagedSplitEnumerator<SplitT, PendingSplits<SplitT>>
            createManagedEnumerator(
                    ManagedSplitEnumerator.Context<SplitT> context, PendingSplits<SplitT> restored);

    /** The name by which a job asks for the connector. */
    @Override
    public final String getPluginName() {
        return capability.connector();
    }

    /** The one table of the source; the list belongs to the caller. */
    @Override
    public final List<CatalogTable> getProducedCatalogTables() {
        return table.catalogTables();
    }

    /** The table that rows belong to. */
    protected final SourceTable table() {
        return table;
    }

    @Override
    protected final ManagedSourceCapability capability() {
        return capability;
    }

    @Override
    protected final ManagedSourceReader<SeaTunnelRow, SplitT> createManagedReader(
            ManagedReaderContext context) {
        return reader(context, Pace.of(rowsPerSecond));
    }

    /** A reader that keeps to {@code pace} instead of the configured rate. */
    public final CursorReader<SplitT> reader(ManagedReaderContext context, Pace pace) {
        return new CursorReader<>(context, capability, pace, opener(context));
    }

    @Override
    protected final VersionedSerializer<SplitT> splitSerializer() {
        return new SplitSerializer<>(codec());
    }

    @Override
    protected final VersionedSerializer<PendingSplits<SplitT>> enumeratorStateSerializer() {
        return new PendingSplitsSerializer<>(codec());
    }
}
