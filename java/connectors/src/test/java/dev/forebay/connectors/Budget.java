// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.PollContext;

/** A turn that ends after a number of records. */
public final class Budget implements PollContext {
    private int left;

    private Budget(int records) {
        this.left = records;
    }

    public static Budget of(int records) {
        return new Budget(records);
    }

    @Override
    public int remainingRecords() {
        return left;
    }

    @Override
    public long remainingBytes() {
        return Long.MAX_VALUE;
    }

    @Override
    public long deadlineNanos() {
        return System.nanoTime() + 3_600_000_000_000L;
    }

    /** Asked once for each record. */
    @Override
    public boolean shouldYield() {
        return --left <= 0;
    }
}
