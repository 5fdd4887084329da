// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.ReadonlyConfig;

/**
 * Reading options so that a wrong value is refused when the job is submitted, with a message that
 * names it.
 */
public final class Settings {

    /**
     * Rows a second that one reader emits at most; 0 = unlimited, at most {@link
     * Pace#MAX_ROWS_PER_SECOND}.
     */
    public static final Option<Long> ROWS_PER_SECOND =
            Options.key("rows_per_second")
                    .longType()
                    .defaultValue(0L)
                    .withDescription(
                            "Rows a second that each reader subtask emits at most, 0 to "
                                    + Pace.MAX_ROWS_PER_SECOND
                                    + "; 0 means as fast as possible.");

    private Settings() {}

    /**
     * The value of a whole-number option.
     *
     * @throws ConnectorException if it is not a number from {@code min} to {@code max}
     */
    public static <N extends Number> N inRange(
            ReadonlyConfig config, Option<N> option, long min, long max) {
        N value = of(config, option);
        if (value.longValue() < min || value.longValue() > max) {
            throw new ConnectorException(
                    ConnectorError.BAD_OPTION,
                    "option '"
                            + option.key()
                            + "' must be from "
                            + min
                            + " to "
                            + max
                            + ", not "
                            + value);
        }
        return value;
    }

    /**
     * The value of an option, or its default.
     *
     * @throws ConnectorException if the configured value is not of the option's type
     */
    public static <T> T of(ReadonlyConfig config, Option<T> option) {
        try {
            return config.get(option);
        } catch (IllegalArgumentException e) {
            throw new ConnectorException(
                    ConnectorError.BAD_OPTION,
                    "option '"
                            + option.key()
                            + "' has a value of the wrong type: "
                            + e.getMessage(),
                    e);
        }
    }
}
