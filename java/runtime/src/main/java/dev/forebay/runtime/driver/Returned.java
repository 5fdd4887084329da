// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/** What a connector must not return as null: says which class and method did. Any thread. */
public final class Returned {
    private Returned() {}

    /**
     * @param from the connector's object
     * @param method what was called on it
     * @return {@code value}
     */
    public static <V> V notNull(V value, Object from, String method) {
        if (value == null) {
            throw new ManagedSourceException(
                    from.getClass().getName() + '.' + method + " returned null");
        }
        return value;
    }
}
