// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.io.IOException;

/**
 * The bytes of one split, version {@value #VERSION}; each implementation says its layout in a
 * table.
 *
 * @param <SplitT> the split type
 */
public interface SplitCodec<SplitT> {
    /** The layout that this release writes, and the only one that was ever released. */
    int VERSION = 1;

    /**
     * The least number of bytes of a split: bounds a declared count before anything is allocated.
     */
    int minBytes();

    /** Appends the bytes of {@code split}. */
    void write(SplitT split, StateWriter out) throws IOException;

    /**
     * Takes the bytes of one split.
     *
     * @throws IOException if the bytes are damaged
     */
    SplitT read(StateReader in) throws IOException;
}
