// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/** Fits what a connector has thrown to what Java's signatures let through. Any thread. */
final class Thrown {
    private Thrown() {}

    /**
     * The same exception; an error is thrown. What is neither, which a connector can throw all the
     * same, becomes the cause of an exception.
     */
    static Exception asException(Throwable thrown) {
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown instanceof Exception) {
            return (Exception) thrown;
        }
        return new ManagedSourceException("a callback of the connector threw " + thrown, thrown);
    }
}
