// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/** Throws what a method does not declare, as connectors in other languages do. */
final class Sneaky {
    private Sneaky() {}

    @SuppressWarnings("unchecked")
    static <E extends Throwable> E asItIs(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
