// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.ReadonlyConfig;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

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
     * @throws ConnectorException if it is not a whole number from {@code min} to {@code max}
     */
    public static long wholeNumber(
            ReadonlyConfig config, Option<? extends Number> option, long min, long max) {
        Object raw = raw(config, option);
        long value;
        try {
            value = new BigDecimal(raw.toString()).longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw refused(option, raw, "a whole number from " + min + " to " + max);
        }
        if (value < min || value > max) {
            throw refused(option, raw, "a whole number from " + min + " to " + max);
        }
        return value;
    }

    /**
     * The value of an option that is true or false.
     *
     * @throws ConnectorException if it is neither
     */
    public static boolean flag(ReadonlyConfig config, Option<Boolean> option) {
        String text = raw(config, option).toString();
        if (text.equalsIgnoreCase("true")) {
            return true;
        }
        if (text.equalsIgnoreCase("false")) {
            return false;
        }
        throw refused(option, raw(config, option), "true or false");
    }

    /**
     * The value of an option that is one of a few names, in any case of its letters.
     *
     * @throws ConnectorException if it is none of them
     */
    public static <E extends Enum<E>> E choice(
            ReadonlyConfig config, Option<E> option, Class<E> names) {
        String text = raw(config, option).toString();
        StringJoiner allowed = new StringJoiner(", ", "one of: ", "");
        for (E name : names.getEnumConstants()) {
            if (name.name().equalsIgnoreCase(text)) {
                return name;
            }
            allowed.add(name.name().toLowerCase(Locale.ROOT));
        }
        throw refused(option, raw(config, option), allowed.toString());
    }

    /**
     * The value of a text option; null if it has neither a value nor a default.
     *
     * @throws ConnectorException if it is no text
     */
    public static String text(ReadonlyConfig config, Option<String> option) {
        Object raw = raw(config, option);
        if (raw != null && !(raw instanceof String)) {
            throw refused(option, raw, "text; put it in quotes");
        }
        return (String) raw;
    }

    /** A refusal in the words that all options share. */
    public static ConnectorException refused(Option<?> option, Object value, String allowed) {
        return new ConnectorException(
                ConnectorError.BAD_OPTION,
                "option '"
                        + option.key()
                        + "' cannot be "
                        + (value instanceof String ? "'" + value + "'" : value)
                        + kind(value)
                        + "; it takes "
                        + allowed);
    }

    /**
     * What stands in the job file. The engine's own conversion is passed by, because it makes 0 of
     * 0.9, true of 1, text of a list and a name of its number.
     */
    private static Object raw(ReadonlyConfig config, Option<?> option) {
        Object value = config.getSourceMap().get(option.key());
        return value == null ? option.defaultValue() : value;
    }

    private static String kind(Object value) {
        if (value instanceof Map) {
            return " (an object)";
        }
        return value instanceof Collection ? " (a list)" : "";
    }
}
