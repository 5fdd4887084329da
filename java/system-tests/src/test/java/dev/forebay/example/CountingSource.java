// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.example;

import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.zeta.ManagedSource;

import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.table.catalog.CatalogTable;
import org.apache.seatunnel.api.table.catalog.CatalogTableUtil;
import org.apache.seatunnel.api.table.type.BasicType;
import org.apache.seatunnel.api.table.type.SeaTunnelDataType;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.apache.seatunnel.api.table.type.SeaTunnelRowType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A whole source: each of some splits counts some rows. */
final class CountingSource extends ManagedSource<SeaTunnelRow, CountingSplit, Long> {
    private static final long serialVersionUID = 1L;

    /** Stands in checkpoints: the number changes when older ones cannot be restored any more. */
    static final ManagedSourceCapability CAPABILITY = ManagedSourceCapability.of("Counting", 1);

    private static final SeaTunnelRowType ROW =
            new SeaTunnelRowType(
                    new String[] {"split", "row"},
                    new SeaTunnelDataType<?>[] {BasicType.LONG_TYPE, BasicType.LONG_TYPE});

    private final long splits;
    private final long rows;

    CountingSource(long splits, long rows) {
        this.splits = splits;
        this.rows = rows;
    }

    @Override
    public String getPluginName() {
        return CountingFactory.NAME;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public List<CatalogTable> getProducedCatalogTables() {
        CatalogTable table =
                CatalogTableUtil.getCatalogTable("counting", "counting", null, "rows", ROW);
        // A list of its own: the engine changes it.
        return new ArrayList<>(Collections.singleton(table));
    }

    @Override
    protected ManagedSourceCapability capability() {
        return CAPABILITY;
    }

    @Override
    protected ManagedSourceReader<SeaTunnelRow, CountingSplit> createManagedReader(
            ManagedReaderContext context) {
        return new CountingReader();
    }

    @Override
    protected ManagedSplitEnumerator<CountingSplit, Long> createManagedEnumerator(
            ManagedSplitEnumerator.Context<CountingSplit> context, Long restored) {
        return new CountingEnumerator(context, splits, rows, restored != null);
    }

    @Override
    protected VersionedSerializer<CountingSplit> splitSerializer() {
        return new CountingSplit.Serializer();
    }

    @Override
    protected VersionedSerializer<Long> enumeratorStateSerializer() {
        return new CheckpointSerializer();
    }

    /** The enumerator has nothing to remember but that it has run. */
    private static final class CheckpointSerializer implements VersionedSerializer<Long> {
        @Override
        public int version() {
            return 1;
        }

        @Override
        public byte[] serialize(Long checkpoint) {
            return ByteBuffer.allocate(Long.BYTES).putLong(checkpoint).array();
        }

        @Override
        public Long deserialize(int version, byte[] bytes) {
            return ByteBuffer.wrap(bytes).getLong();
        }
    }
}
