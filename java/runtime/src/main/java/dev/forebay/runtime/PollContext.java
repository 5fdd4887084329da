// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

/**
 * The budget of one poll turn. It is spent by what the connector emits and by time; a connector
 * emits, asks {@link #shouldYield()} after each record and returns when the answer is yes.
 * Overspending by one record is not an error.
 *
 * <p>Valid only on the thread and during the call of {@link ManagedSourceReader#pollNextManaged}
 * that it was given to.
 */
public interface PollContext {
    /** Records that may still be emitted in this turn; 0 when the budget is spent. */
    int remainingRecords();

    /**
     * Bytes that may still be emitted in this turn, by the engine's estimate of a row's size; 0
     * when spent.
     */
    long remainingBytes();

    /** When the turn should end, on the clock of {@link System#nanoTime()}. */
    long deadlineNanos();

    /**
     * Whether records, bytes or time of this turn are spent. Reads the clock only every few
     * records.
     */
    boolean shouldYield();
}
