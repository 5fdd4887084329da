// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.Pace;
import dev.forebay.connectors.Settings;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;

import java.io.Serializable;
import java.nio.charset.Charset;

/** The checked options of one {@code ManagedFile} source. Immutable. */
final class FileSettings implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final int MAX_LINE_BYTES = 64 << 20;

    final String path;
    final boolean recursive;
    final boolean metadata;

    /** By its canonical name, so that another spelling of it is no other encoding. */
    final String encoding;

    final int maxLineBytes;
    final LongLine longLine;
    final long rowsPerSecond;

    /**
     * @throws dev.forebay.connectors.ConnectorException if an option has a value that is not
     *     allowed
     */
    FileSettings(ReadonlyConfig config) {
        path = Settings.text(config, ManagedFileOptions.PATH);
        if (path == null || path.isEmpty()) {
            throw Settings.refused(ManagedFileOptions.PATH, "", "a file, a directory or a glob");
        }
        String loss = PathText.lossOnArrival(path, Charset.defaultCharset());
        if (loss != null) {
            throw Settings.refused(
                    ManagedFileOptions.PATH, path, "a path as it was written, and " + loss);
        }
        recursive = Settings.flag(config, ManagedFileOptions.RECURSIVE);
        metadata = Settings.flag(config, ManagedFileOptions.METADATA);
        String name = Settings.text(config, ManagedFileOptions.ENCODING);
        TextEncoding.named(name); // refuses a bad name now, not when the job runs
        encoding = Charset.forName(name).name();
        maxLineBytes =
                (int)
                        Settings.wholeNumber(
                                config, ManagedFileOptions.MAX_LINE_BYTES, 1, MAX_LINE_BYTES);
        longLine = Settings.choice(config, ManagedFileOptions.LONG_LINE, LongLine.class);
        rowsPerSecond =
                Settings.wholeNumber(config, Settings.ROWS_PER_SECOND, 0, Pace.MAX_ROWS_PER_SECOND);
    }
}
