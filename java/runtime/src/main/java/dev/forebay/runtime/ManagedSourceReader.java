// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceReader;
import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A source reader whose concurrency belongs to the runtime.
 *
 * <p>All methods are called in turns: one thread at a time, with everything that an earlier turn
 * wrote visible, though not always by the same thread. Only {@link #wakeup()} and the completion of
 * the future of {@link #isAvailable()} may happen on any thread at any time. Records, and the split
 * state that says where to go on after them, change together within one turn; a snapshot never sees
 * half of a turn.
 *
 * @param <T> the record type
 * @param <SplitT> the split type
 */
public interface ManagedSourceReader<T, SplitT extends SourceSplit>
        extends SourceReader<T, SplitT> {

    /** What this reader can do. Must equal the capability that its source declares. */
    ManagedSourceCapability managedSourceCapability();

    /**
     * Emits at most what {@code context} allows and returns. Must not sleep, lock, wait for input
     * or call another service and wait for its answer.
     *
     * @param output takes records during this call only
     * @param context the budget of this turn
     * @return never null
     * @throws Exception fails the source; the exception reaches the user as it is
     */
    PollStatus pollNextManaged(Collector<T> output, PollContext context) throws Exception;

    /**
     * A future that completes, on any thread, when polling may be worth it again. Called after
     * {@link PollStatus#NOTHING_AVAILABLE} only. Completing it without data is harmless; failing it
     * fails the source. The same future may be returned again while it is not complete.
     */
    CompletableFuture<Void> isAvailable();

    /**
     * Asks a running {@link #pollNextManaged} to return soon. Called on any thread, more than once,
     * also when no poll runs; must not block. A poll that keeps to its budget need not be asked.
     */
    default void wakeup() {}

    /** Opens what the reader needs, before any other call. May take its time. */
    @Override
    default void open() throws Exception {}

    /** The checkpoint is complete: it will be restored, or one after it. */
    @Override
    default void notifyCheckpointComplete(long checkpointId) throws Exception {}

    /** Closes what {@link #open()} opened, once, also after a failure. */
    @Override
    default void close() throws IOException {}

    /** Never called on the managed lane: the runtime polls through {@link #pollNextManaged}. */
    @Override
    default void pollNext(Collector<T> output) {
        throw new UnsupportedOperationException(
                "a managed reader is polled by pollNextManaged; wrap it in a ManagedSource to run it on an engine");
    }
}
