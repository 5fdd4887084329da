// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Values that a test or benchmark pushes to the readers of a {@code ManagedFake} source with the
 * option {@code feed} in the same JVM (and class loader). Each value is emitted once, by any of
 * those readers, in the order of the pushes.
 *
 * <p>All methods may be called on any thread and never wait. Unbounded: who pushes decides how much
 * waits here. What a reader took is gone: a feed cannot be read again after a restart.
 */
public final class ManagedFakeFeed {
    private static final ConcurrentMap<String, ManagedFakeFeed> FEEDS = new ConcurrentHashMap<>();

    private final ConcurrentLinkedQueue<Long> values = new ConcurrentLinkedQueue<>();
    private final AtomicReference<CompletableFuture<Void>> waiting = new AtomicReference<>();

    private ManagedFakeFeed() {}

    /**
     * The feed of this name; made by the first who asks, and kept as long as the class is loaded.
     */
    public static ManagedFakeFeed named(String name) {
        return FEEDS.computeIfAbsent(name, unused -> new ManagedFakeFeed());
    }

    /** Adds a value for the column {@code row} and wakes the readers that wait for one. */
    public void push(long value) {
        values.add(value);
        // After the value is visible: whoever installs a future later than this looks at the values
        // again.
        CompletableFuture<Void> waiters = waiting.getAndSet(null);
        if (waiters != null) {
            waiters.complete(null);
        }
    }

    /** Takes the oldest value; null if there is none. */
    Long poll() {
        return values.poll();
    }

    /**
     * Completes when there is a value, which another reader may take first. The same future until
     * then.
     */
    CompletableFuture<Void> whenFed() {
        CompletableFuture<Void> fed =
                waiting.updateAndGet(
                        present -> present == null ? new CompletableFuture<>() : present);
        if (!values.isEmpty()) {
            // A push that came before the future was installed could not complete it. It is taken
            // out first, so
            // that it is not handed out again, complete, when the feed is empty.
            waiting.compareAndSet(fed, null);
            fed.complete(null);
        }
        return fed;
    }
}
