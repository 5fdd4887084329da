// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.io.Closeable;
import java.util.concurrent.CompletableFuture;

/**
 * One split while it is being read. Used in the reader's turns only.
 *
 * @param <SplitT> the split type
 */
public interface SplitCursor<SplitT extends SourceSplit> extends Closeable {

    /** What one step did. */
    enum Step {
        /** One row was emitted. */
        EMITTED,
        /** A bounded amount of input was looked at, and no row came out of it yet. */
        SEARCHED,
        /** There is nothing to emit until {@link #whenAvailable()} completes. */
        WAITING
    }

    /** Whether the split holds nothing more; no step is made then. */
    boolean isFinished();

    /**
     * Emits at most one row and moves {@link #position()} behind it. Bounded, and never waits.
     *
     * @throws Exception fails the source
     */
    Step step(Collector<SeaTunnelRow> output) throws Exception;

    /** The split that says where to go on after the last emitted row. */
    SplitT position();

    /** Completes when a step is worth it again. Asked after {@link Step#WAITING} only. */
    CompletableFuture<Void> whenAvailable();
}
