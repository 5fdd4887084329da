// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/**
 * The first failure of a loop, and whether the engine has heard of it. A failure may come when no
 * call of the engine is under way: then the next one has to tell it. Any thread.
 */
final class FirstFailure {
    private Throwable first;
    private boolean told;

    /** True: this is the first one. */
    synchronized boolean keep(Throwable failure) {
        if (first != null) {
            return false;
        }
        first = failure;
        return true;
    }

    /** Null if there is none. */
    synchronized Throwable get() {
        return first;
    }

    /** For whoever throws it to the engine, as it is or as a cause; null if there is none. */
    synchronized Throwable tell() {
        told = first != null;
        return first;
    }

    /** As {@link #tell}, but null also if the engine has heard of it before. */
    synchronized Throwable tellOnce() {
        return told ? null : tell();
    }
}
