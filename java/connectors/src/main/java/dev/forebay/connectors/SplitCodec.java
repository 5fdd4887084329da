// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.io.IOException;

/**
 * The bytes of one split; each implementation says its layouts in a table.
 *
 * @param <SplitT> the split type
 */
public interface SplitCodec<SplitT> {
    /** The layout that {@link #write} writes; those from 1 on can be read. */
    int version();

    /**
     * The least number of bytes of a split in any version: bounds a declared count before anything
     * is allocated.
     */
    int minBytes();

    /** Appends the bytes of {@code split}. */
    void write(SplitT split, StateWriter out) throws IOException;

    /**
     * Takes the bytes of one split.
     *
     * @param version 1 to {@link #version()}
     * @throws IOException if the bytes are damaged
     */
    SplitT read(int version, StateReader in) throws IOException;
}
