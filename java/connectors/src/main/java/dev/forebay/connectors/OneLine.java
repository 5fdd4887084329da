// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

/**
 * Text that goes into a message or a log as a single line, although the names of files in it may
 * hold anything: a name with a line end must not look like a line of its own.
 */
public final class OneLine {
    private static final char LINE_SEPARATOR = 0x2028;
    private static final char PARAGRAPH_SEPARATOR = 0x2029;

    private OneLine() {}

    /** The text with control characters and line ends written as in Java source. */
    public static String of(String text) {
        StringBuilder line = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean escaped =
                    Character.isISOControl(c) || c == LINE_SEPARATOR || c == PARAGRAPH_SEPARATOR;
            line.append(escaped ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return line.toString();
    }
}
