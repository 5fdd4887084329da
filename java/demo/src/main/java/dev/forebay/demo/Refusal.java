// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

/** The demo cannot run with what it was given; the message is the line that the user reads. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
        super(shown(message));
    }

    /** A text with its control characters escaped, so that it stays on one line. */
    static String shown(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        for (char c : text.toCharArray()) {
            shown.append(Character.isISOControl(c) ? String.format("\\u%04x", (int) c) : c);
        }
        return shown.toString();
    }
}
