// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.connectors.SourceTable;
import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;
import dev.forebay.zeta.Lane;
import dev.forebay.zeta.ManagedSource;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.table.catalog.CatalogTable;
import org.apache.seatunnel.api.table.type.BasicType;
import org.apache.seatunnel.api.table.type.SeaTunnelDataType;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.apache.seatunnel.api.table.type.SeaTunnelRowType;

import java.util.List;

/** A connector that does what a test says through its {@link Probe}; its rows are (split, row). */
public final class ProbeSource extends ManagedSource<SeaTunnelRow, ProbeSplit, ProbeState> {
    private static final long serialVersionUID = 1L;

    static final String NAME = "Probe";
    static final ManagedSourceCapability CAPABILITY = ManagedSourceCapability.of(NAME, 1);

    private static final SeaTunnelRowType ROW_TYPE =
            new SeaTunnelRowType(
                    new String[] {"split", "row"},
                    new SeaTunnelDataType<?>[] {BasicType.LONG_TYPE, BasicType.LONG_TYPE});

    private final ProbeOptions options;
    private final SourceTable table;

    ProbeSource(ReadonlyConfig config) {
        options = new ProbeOptions(config);
        table = SourceTable.named(config, NAME, ROW_TYPE);
    }

    private Probe probe() {
        return Probe.named(options.name);
    }

    @Override
    public String getPluginName() {
        return NAME;
    }

    @Override
    public Boundedness getBoundedness() {
        return options.boundedness;
    }

    @Override
    public List<CatalogTable> getProducedCatalogTables() {
        return table.catalogTables();
    }

    @Override
    protected Lane lane() {
        return options.lane;
    }

    @Override
    protected ManagedSourceCapability capability() {
        return CAPABILITY;
    }

    @Override
    protected ManagedSourceReader<SeaTunnelRow, ProbeSplit> createManagedReader(
            ManagedReaderContext context) {
        return new ProbeReader(probe(), options, table, context);
    }

    @Override
    protected ManagedSplitEnumerator<ProbeSplit, ProbeState> createManagedEnumerator(
            ManagedSplitEnumerator.Context<ProbeSplit> context, ProbeState restored) {
        return new ProbeEnumerator(probe(), options, context, restored);
    }

    @Override
    protected VersionedSerializer<ProbeSplit> splitSerializer() {
        return new ProbeSplit.Serializer(probe());
    }

    @Override
    protected VersionedSerializer<ProbeState> enumeratorStateSerializer() {
        return new ProbeState.Serializer();
    }
}
