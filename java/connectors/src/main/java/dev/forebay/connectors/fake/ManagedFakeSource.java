// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.CursorReader;
import dev.forebay.connectors.CursorSource;
import dev.forebay.connectors.PendingSplits;
import dev.forebay.connectors.SourceTable;
import dev.forebay.connectors.SplitCodec;
import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSplitEnumerator;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.table.type.BasicType;
import org.apache.seatunnel.api.table.type.SeaTunnelDataType;
import org.apache.seatunnel.api.table.type.SeaTunnelRowType;

/**
 * Rows with the columns {@code split} and {@code row} (BIGINT) and {@code payload} (STRING): row r
 * of split s exists exactly once, and its payload is {@link FakePayload#of}.
 */
public class ManagedFakeSource extends CursorSource<FakeSplit> {
    private static final long serialVersionUID = 1L;

    /** The factory identifier and plugin name. */
    public static final String NAME = "ManagedFake";

    private static final SeaTunnelRowType ROW_TYPE =
            new SeaTunnelRowType(
                    new String[] {"split", "row", "payload"},
                    new SeaTunnelDataType<?>[] {
                        BasicType.LONG_TYPE, BasicType.LONG_TYPE, BasicType.STRING_TYPE
                    });

    private final FakeSettings settings;

    /**
     * @throws dev.forebay.connectors.ConnectorException if an option has a value that is not
     *     allowed
     */
    public ManagedFakeSource(ReadonlyConfig config) {
        this(config, new FakeSettings(config));
    }

    private ManagedFakeSource(ReadonlyConfig config, FakeSettings settings) {
        super(NAME, SourceTable.named(config, NAME, ROW_TYPE), settings.rowsPerSecond);
        this.settings = settings;
    }

    /** How the engine is to treat the end of the input. */
    @Override
    public Boundedness getBoundedness() {
        return settings.rows == FakeSplit.UNBOUNDED ? Boundedness.UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    protected SplitCodec<FakeSplit> codec() {
        return new FakeSplitCodec();
    }

    @Override
    protected CursorReader.Opener<FakeSplit> opener(ManagedReaderContext context) {
        ManagedFakeFeed feed = settings.feed == null ? null : ManagedFakeFeed.named(settings.feed);
        FakePayload payload = new FakePayload(settings.payloadBytes);
        return split -> new FakeCursor(split, table(), payload, feed);
    }

    @Override
    protected ManagedSplitEnumerator<FakeSplit, PendingSplits<FakeSplit>> createManagedEnumerator(
            ManagedSplitEnumerator.Context<FakeSplit> context, PendingSplits<FakeSplit> restored) {
        return new FakeEnumerator(context, restored, settings);
    }
}
