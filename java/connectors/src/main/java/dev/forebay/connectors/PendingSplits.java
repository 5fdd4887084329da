// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.source.SourceSplit;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link RequestEnumerator} remembers in a checkpoint. Immutable.
 *
 * @param <SplitT> the split type
 */
public final class PendingSplits<SplitT extends SourceSplit> implements Serializable {
    private static final long serialVersionUID = 1L;

    private final boolean discovered;
    private final ArrayList<SplitT> unassigned;

    /**
     * @param discovered whether all splits are known, so that a restored job must not look for them
     *     again
     * @param unassigned the splits that no reader has, in the order in which they are handed out;
     *     copied
     */
    public PendingSplits(boolean discovered, Iterable<SplitT> unassigned) {
        this.discovered = discovered;
        this.unassigned = new ArrayList<>();
        unassigned.forEach(this.unassigned::add);
    }

    /** Whether all splits of the source are known. */
    public boolean discovered() {
        return discovered;
    }

    /** The splits that no reader has, in the order in which they are handed out. */
    public List<SplitT> unassigned() {
        return Collections.unmodifiableList(unassigned);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PendingSplits
                && ((PendingSplits<?>) other).discovered == discovered
                && ((PendingSplits<?>) other).unassigned.equals(unassigned);
    }

    @Override
    public int hashCode() {
        return Objects.hash(discovered, unassigned);
    }

    @Override
    public String toString() {
        return (discovered
                        ? "all splits known, unassigned: "
                        : "splits not known yet, unassigned: ")
                + unassigned;
    }
}
