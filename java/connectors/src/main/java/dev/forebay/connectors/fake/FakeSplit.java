// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import org.apache.seatunnel.api.source.SourceSplit;

import java.util.Objects;

/** A run of generated rows and the place to go on from. Immutable. */
public final class FakeSplit implements SourceSplit {
    private static final long serialVersionUID = 1L;

    /** The number of rows of a split that never ends. */
    public static final long UNBOUNDED = -1;

    private final long index;
    private final long rows;
    private final long next;

    /**
     * @param index from 0; the value of the column {@code split}
     * @param rows rows of the whole split, or {@link #UNBOUNDED}
     * @param next rows that were emitted before, so the number of the next one
     */
    public FakeSplit(long index, long rows, long next) {
        this.index = index;
        this.rows = rows;
        this.next = next;
    }

    @Override
    public String splitId() {
        return "fake-" + index;
    }

    /** The value of the column {@code split}. */
    public long index() {
        return index;
    }

    /** Rows of the whole split, or {@link #UNBOUNDED}. */
    public long rows() {
        return rows;
    }

    /** The number of the next row. */
    public long next() {
        return next;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FakeSplit
                && ((FakeSplit) other).index == index
                && ((FakeSplit) other).rows == rows
                && ((FakeSplit) other).next == next;
    }

    @Override
    public int hashCode() {
        return Objects.hash(index, rows, next);
    }

    @Override
    public String toString() {
        return splitId() + " at row " + next + (rows == UNBOUNDED ? "" : " of " + rows);
    }
}
