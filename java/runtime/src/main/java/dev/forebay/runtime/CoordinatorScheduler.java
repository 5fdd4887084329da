// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/**
 * Takes slow work off the coordinator loop and brings its results back to it. To be called on the
 * coordinator loop. Nothing that was started by one coordinator is ever handed to the next one.
 */
public interface CoordinatorScheduler {

    /**
     * Runs {@code callable} on a shared worker thread, then {@code handler} on the coordinator
     * loop, with the result or with the failure (the other one is null). While a call with the same
     * key runs, a new one replaces the call that waits behind it.
     *
     * @param key names the work; calls with equal keys never run at the same time
     * @param callable must not touch the enumerator's state: give it immutable input
     * @param handler an exception thrown by it fails the source
     * @param timeout counts from this call, also while the work waits for its turn; after it the
     *     worker is interrupted and {@code handler} gets a {@link
     *     java.util.concurrent.TimeoutException}. More than 292 years are no limit.
     */
    <T> Cancellable callAsync(
            String key, Callable<T> callable, BiConsumer<T, Throwable> handler, Duration timeout);

    /**
     * Runs {@code task} once on the coordinator loop after {@code delay}. A task that waits under
     * the same key is replaced. An exception thrown by it fails the source.
     */
    Cancellable scheduleInCoordinatorThread(String key, Duration delay, Runnable task);

    /** Work that can be called off. */
    interface Cancellable {
        /**
         * Calls the work off; its handler will not run. Does not wait; more than once is harmless.
         */
        void cancel();

        boolean isCancelled();
    }
}
