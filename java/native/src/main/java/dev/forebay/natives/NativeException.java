// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

/**
 * A failure that the native core reported, with a number that stays the same across releases.
 *
 * <p>Native code can only throw by class and message (JNI's {@code ThrowNew}), so the number
 * travels at the head of the message, as in {@code FB12: the mailbox is closed}. Instances are as
 * immutable as any exception and may be shared between threads.
 */
public class NativeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The code of an exception whose message carries no number. */
    public static final int UNKNOWN = 0;

    /** The code of a call on an object that is closed. */
    public static final int CLOSED = 1;

    private static final String PREFIX = "FB";
    private static final String SEPARATOR = ": ";

    private final int code;

    /**
     * For native code: reads the code off the message.
     *
     * @param message {@code FB<code>: <text>}; any other form, {@code null} included, gives {@link
     *     #UNKNOWN}
     */
    public NativeException(String message) {
        super(message);
        this.code = parse(message);
    }

    /**
     * For Java code.
     *
     * @param code the stable number; it is put in front of the text
     * @param text what was attempted, with which values, what went wrong and what to do
     */
    public NativeException(int code, String text) {
        super(PREFIX + code + SEPARATOR + text);
        this.code = code;
    }

    /**
     * For Java code that has a cause to pass on.
     *
     * @param code the stable number; it is put in front of the text
     * @param text what was attempted, with which values, what went wrong and what to do
     * @param cause what led to this; may be {@code null}
     */
    public NativeException(int code, String text, Throwable cause) {
        super(PREFIX + code + SEPARATOR + text, cause);
        this.code = code;
    }

    /**
     * Repeats a stored failure for one more thrower, so that the stack trace shows who asked this
     * time.
     */
    NativeException(NativeException first) {
        super(first.getMessage(), first);
        this.code = first.code;
    }

    /**
     * The stable number of this failure, for programs; the text is for people.
     *
     * @return the number, or {@link #UNKNOWN}
     */
    public final int code() {
        return code;
    }

    private static int parse(String message) {
        if (message == null || !message.startsWith(PREFIX)) {
            return UNKNOWN;
        }
        int end = message.indexOf(SEPARATOR);
        if (end < 0) {
            return UNKNOWN;
        }
        try {
            return Integer.parseInt(message.substring(PREFIX.length(), end));
        } catch (NumberFormatException e) {
            // An exception that is being built must not fail over its own text.
            return UNKNOWN;
        }
    }
}
