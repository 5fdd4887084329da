// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

/**
 * The native library could not be loaded, or is not the one that these classes belong to.
 *
 * <p>The outcome of the only attempt is stored, so every later call fails with the same text; the
 * cause is then the first failure, and what each place on the way answered is among its suppressed
 * exceptions.
 */
public final class NativeLibraryException extends NativeException {
    private static final long serialVersionUID = 1L;

    /**
     * The code of every instance. Codes from native code are not negative, so the two cannot meet.
     */
    public static final int NOT_LOADED = -1;

    NativeLibraryException(String text) {
        this(text, null);
    }

    NativeLibraryException(String text, Throwable cause) {
        super(NOT_LOADED, text, cause);
    }

    NativeLibraryException(NativeLibraryException first) {
        super(first);
    }
}
