// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.PollContext;

/** What is left of the budget of one poll turn. Belongs to the owner of the turn. */
final class TurnContext implements PollContext {
    /** The clock is read at every this many questions: it costs as much as a small record. */
    private static final int CLOCK_EVERY = 8;

    private int records;
    private long bytes;
    private long deadline;
    private int questions;

    void begin(long now, PollBudget budget) {
        records = budget.records;
        bytes = budget.bytes;
        deadline = now + budget.nanos;
        questions = 0;
    }

    void emitted(long size) {
        records--;
        bytes -= Math.max(0, size);
    }

    @Override
    public int remainingRecords() {
        return Math.max(0, records);
    }

    @Override
    public long remainingBytes() {
        return Math.max(0, bytes);
    }

    @Override
    public long deadlineNanos() {
        return deadline;
    }

    @Override
    public boolean shouldYield() {
        if (records <= 0 || bytes <= 0) {
            return true;
        }
        questions++;
        return questions % CLOCK_EVERY == 0 && System.nanoTime() - deadline >= 0;
    }
}
