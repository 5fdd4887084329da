// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/**
 * What a poll turn may emit: it ends at whatever is reached first. On the managed lane the loop
 * says it with each turn.
 */
public final class PollBudget {
    /** What the plain lane grants, which has no loop: the defaults of STIP-31, as the loop's. */
    public static final PollBudget DEFAULT = new PollBudget(64, 1 << 20, 5_000_000);

    final int records;
    final long bytes;
    final long nanos;

    PollBudget(int records, long bytes, long nanos) {
        this.records = records;
        this.bytes = bytes;
        this.nanos = nanos;
    }
}
