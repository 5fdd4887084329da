// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.source.SourceSplitEnumerator;

/**
 * A split enumerator whose concurrency belongs to the runtime.
 *
 * <p>All methods are called on the coordinator loop, one at a time, in this order: {@link #open()};
 * {@link #addSplitsBack} for what a restored checkpoint returns; {@link #registerReader} for each
 * reader; {@link #run()} once; then requests, returned splits, snapshots and notices as they come;
 * {@link #close()} last. None of them may wait: listing, fetching and waiting belong into {@link
 * CoordinatorScheduler#callAsync}.
 *
 * <p>A {@link #handleSplitRequest} says that a reader has room for a split: it stands for all
 * requests of that reader since the last one.
 *
 * @param <SplitT> the split type
 * @param <StateT> what the enumerator remembers in a checkpoint
 */
public interface ManagedSplitEnumerator<SplitT extends SourceSplit, StateT>
        extends SourceSplitEnumerator<SplitT, StateT> {

    /** What the runtime offers to an enumerator; to be used on the coordinator loop only. */
    interface Context<SplitT extends SourceSplit> extends SourceSplitEnumerator.Context<SplitT> {

        /** Runs slow work elsewhere and brings its results back to the coordinator loop. */
        CoordinatorScheduler getCoordinatorScheduler();

        /**
         * Whether the runtime has room to track more assignments. An enumerator with many splits
         * asks before it assigns more, and goes on when a reader asks for a split or a checkpoint
         * completes.
         */
        boolean isAssignmentCapacityAvailable();
    }
}
