// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Listens to the connector's availability future: one subscription per future object, however often
 * it is returned, so that an idle reader does not pile up listeners.
 */
final class Availability {
    private final LongConsumer available;
    private final Consumer<Throwable> failed;
    private CompletableFuture<Void> subscribed;

    /** The turn that waits; read by the thread that completes the future. */
    private volatile long turn;

    /**
     * @param available gets the turn that waited, on any thread
     * @param failed gets the failure of the future, on any thread
     */
    Availability(LongConsumer available, Consumer<Throwable> failed) {
        this.available = available;
        this.failed = failed;
    }

    /**
     * Owner: the poll turn {@code waitingTurn} found nothing, and {@code future} says when to look
     * again.
     */
    void await(long waitingTurn, CompletableFuture<Void> future) {
        turn = waitingTurn;
        if (future != subscribed) {
            subscribed = future;
            future.whenComplete(this::completed);
        } else if (future.isDone()) {
            // The listener may have run before the turn was written: say it again, twice is
            // harmless.
            completed(null, null);
        }
    }

    private void completed(Void nothing, Throwable failure) {
        if (failure != null) {
            failed.accept(failure);
        } else {
            available.accept(turn);
        }
    }
}
