// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * How many rows of each split may be emitted: what a test holds back arrives when it lets it go.
 * Any thread.
 */
public final class Gates {
    private final Map<Integer, Long> limits = new HashMap<>();
    private long limit = Long.MAX_VALUE;
    private CompletableFuture<Void> change = new CompletableFuture<>();

    /** Of every split, only the first {@code rows} rows may be emitted. */
    public void limitAll(long rows) {
        CompletableFuture<Void> changed;
        synchronized (this) {
            limits.clear();
            limit = rows;
            changed = replaceChange();
        }
        changed.complete(null);
    }

    /** Of this split, only the first {@code rows} rows may be emitted. */
    public void limit(int split, long rows) {
        CompletableFuture<Void> changed;
        synchronized (this) {
            limits.put(split, rows);
            changed = replaceChange();
        }
        changed.complete(null);
    }

    /** Everything may be emitted. */
    public void open() {
        limitAll(Long.MAX_VALUE);
    }

    private CompletableFuture<Void> replaceChange() {
        CompletableFuture<Void> changed = change;
        change = new CompletableFuture<>();
        return changed;
    }

    synchronized boolean lets(ProbeSplit split) {
        return split.next() < limits.getOrDefault(split.index(), limit);
    }

    /** Completes when a limit changes. To be asked for before the gates are looked at. */
    synchronized CompletableFuture<Void> whenChanged() {
        return change;
    }
}
