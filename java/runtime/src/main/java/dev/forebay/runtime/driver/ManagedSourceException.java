// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/** A managed source failed for a reason of the runtime's own; the message says what to do. */
public class ManagedSourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ManagedSourceException(String message) {
        super(message);
    }

    public ManagedSourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
