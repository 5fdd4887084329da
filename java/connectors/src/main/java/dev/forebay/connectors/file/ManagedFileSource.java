// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

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
 * The lines of files: column {@code line} (STRING), and with {@code metadata} also {@code file}
 * (STRING, the path below the listed directory, with {@code /} between its parts) and {@code
 * offset} (BIGINT, the byte at which the line starts).
 */
public class ManagedFileSource extends CursorSource<FileSplit> {
    private static final long serialVersionUID = 1L;

    /** The factory identifier and plugin name. */
    public static final String NAME = "ManagedFile";

    private static final SeaTunnelRowType LINES =
            new SeaTunnelRowType(
                    new String[] {"line"}, new SeaTunnelDataType<?>[] {BasicType.STRING_TYPE});
    private static final SeaTunnelRowType LINES_WITH_METADATA =
            new SeaTunnelRowType(
                    new String[] {"line", "file", "offset"},
                    new SeaTunnelDataType<?>[] {
                        BasicType.STRING_TYPE, BasicType.STRING_TYPE, BasicType.LONG_TYPE
                    });

    private final FileSettings settings;

    /**
     * @throws dev.forebay.connectors.ConnectorException if an option has a value that is not
     *     allowed
     */
    public ManagedFileSource(ReadonlyConfig config) {
        this(config, new FileSettings(config));
    }

    private ManagedFileSource(ReadonlyConfig config, FileSettings settings) {
        super(
                NAME,
                SourceTable.named(config, NAME, settings.metadata ? LINES_WITH_METADATA : LINES),
                settings.rowsPerSecond);
        this.settings = settings;
    }

    /** How the engine is to treat the end of the input. */
    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    protected SplitCodec<FileSplit> codec() {
        return new FileSplitCodec();
    }

    @Override
    protected CursorReader.Opener<FileSplit> opener(ManagedReaderContext context) {
        return new FileOpener(settings, table(), context.getMetricsContext());
    }

    @Override
    protected ManagedSplitEnumerator<FileSplit, PendingSplits<FileSplit>> createManagedEnumerator(
            ManagedSplitEnumerator.Context<FileSplit> context, PendingSplits<FileSplit> restored) {
        return new FileEnumerator(context, restored, settings);
    }
}
