// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.Pace;
import dev.forebay.connectors.Settings;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;

import java.io.Serializable;

/** The checked options of one {@code ManagedFake} source. Immutable. */
final class FakeSettings implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final int MAX_SPLITS = 1_000_000;
    private static final int MAX_PAYLOAD_BYTES = 1 << 20;

    final int splits;
    final long rows;
    final int payloadBytes;
    final long rowsPerSecond;

    /** Null when rows are generated. */
    final String feed;

    /**
     * @throws dev.forebay.connectors.ConnectorException if an option is out of range
     */
    FakeSettings(ReadonlyConfig config) {
        splits = (int) Settings.wholeNumber(config, ManagedFakeOptions.SPLITS, 1, MAX_SPLITS);
        rows =
                Settings.wholeNumber(
                        config, ManagedFakeOptions.ROWS, FakeSplit.UNBOUNDED, Long.MAX_VALUE);
        payloadBytes =
                (int)
                        Settings.wholeNumber(
                                config, ManagedFakeOptions.PAYLOAD_BYTES, 0, MAX_PAYLOAD_BYTES);
        rowsPerSecond =
                Settings.wholeNumber(config, Settings.ROWS_PER_SECOND, 0, Pace.MAX_ROWS_PER_SECOND);
        feed = Settings.text(config, ManagedFakeOptions.FEED);
    }
}
