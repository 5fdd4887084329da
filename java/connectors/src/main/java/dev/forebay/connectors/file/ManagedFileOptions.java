// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.Settings;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.util.OptionRule;

/** The options of {@code ManagedFile}; only {@link #PATH} must be set. */
public final class ManagedFileOptions {
    /**
     * A file, a directory, or a glob, in which a component {@code **} stands for any number of
     * directories, also none. A path that exists is not taken for a glob.
     */
    public static final Option<String> PATH =
            Options.key("path")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("File, directory or glob (such as /data/**/*.log) to read.");

    /**
     * Whether a directory is read with all directories in it; a glob says itself how deep it goes.
     */
    public static final Option<Boolean> RECURSIVE =
            Options.key("recursive")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("Whether the directories inside of a directory are read too.");

    /** Whether rows have the columns {@code file} and {@code offset} beside {@code line}. */
    public static final Option<Boolean> METADATA =
            Options.key("metadata")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether rows say the file and the byte offset of their line.");

    /**
     * A charset by any name that Java knows. {@code UTF-16} and {@code UTF-32} go by the byte order
     * mark of each file; a mark at a file's start is never part of its first line.
     */
    public static final Option<String> ENCODING =
            Options.key("encoding")
                    .stringType()
                    .defaultValue("UTF-8")
                    .withDescription("Charset of the files, by any name that Java knows.");

    /** Bytes of a line without its end, 1 to 67 108 864. */
    public static final Option<Integer> MAX_LINE_BYTES =
            Options.key("max_line_bytes")
                    .intType()
                    .defaultValue(1 << 20)
                    .withDescription("Bytes that a line may have, 1 to 67108864.");

    /** What becomes of a longer line. */
    public static final Option<LongLine> LONG_LINE =
            Options.key("long_line")
                    .enumType(LongLine.class)
                    .defaultValue(LongLine.FAIL)
                    .withDescription(
                            "What becomes of a longer line: fail (the job) or cut (the line).");

    private ManagedFileOptions() {}

    static OptionRule rule() {
        return OptionRule.builder()
                .required(PATH)
                .optional(
                        RECURSIVE,
                        METADATA,
                        ENCODING,
                        MAX_LINE_BYTES,
                        LONG_LINE,
                        Settings.ROWS_PER_SECOND)
                .build();
    }
}
