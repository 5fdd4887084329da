// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.Settings;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.util.OptionRule;

/** The options of {@code ManagedFake}; all have defaults. */
public final class ManagedFakeOptions {
    /** Splits of the source, 1 to 1 000 000. */
    public static final Option<Integer> SPLITS =
            Options.key("splits")
                    .intType()
                    .defaultValue(4)
                    .withDescription("Number of splits, 1 to 1000000.");

    /** Rows of each split; {@link FakeSplit#UNBOUNDED} never ends. */
    public static final Option<Long> ROWS =
            Options.key("rows")
                    .longType()
                    .defaultValue(1000L)
                    .withDescription("Rows of each split; -1 makes the source unbounded.");

    /** Length of the column {@code payload} in ASCII characters, 0 to 1 048 576. */
    public static final Option<Integer> PAYLOAD_BYTES =
            Options.key("payload_bytes")
                    .intType()
                    .defaultValue(0)
                    .withDescription("Length of the payload column in bytes, 0 to 1048576.");

    /**
     * Name of the {@link ManagedFakeFeed} that rows are taken from; without it they are generated.
     */
    public static final Option<String> FEED =
            Options.key("feed")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "For tests inside one JVM: take rows from the feed of this name.");

    private ManagedFakeOptions() {}

    static OptionRule rule() {
        return OptionRule.builder()
                .optional(SPLITS, ROWS, PAYLOAD_BYTES, FEED, Settings.ROWS_PER_SECOND)
                .build();
    }
}
