// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

/** One line out of the stack trace with which the engine says why a job failed. */
final class Reason {
    private static final String CAUSE = "Caused by: ";
    private static final String OWN_CODE = "FOREBAY-";

    private Reason() {}

    /**
     * The line with one of our codes, because it says what to do; else the innermost cause.
     *
     * @param error what the engine says; may be null
     */
    static String of(String error) {
        String reason = "";
        for (String line : error == null ? new String[0] : error.split("\\R")) {
            String text = line.trim();
            if (text.contains(OWN_CODE)) {
                return text.substring(text.startsWith(CAUSE) ? CAUSE.length() : 0);
            }
            if (text.startsWith(CAUSE)) {
                reason = text.substring(CAUSE.length());
            } else if (reason.isEmpty()) {
                reason = text;
            }
        }
        return reason.isEmpty() ? "the engine gives no reason" : reason;
    }
}
