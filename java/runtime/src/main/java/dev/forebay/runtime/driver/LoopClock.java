// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/**
 * The time that is handed to the loops and comes back from them: nanoseconds since this class was
 * loaded. The loops mean "never" by a negative time, and {@link System#nanoTime()} may be negative,
 * or become so. Any thread.
 */
final class LoopClock {
    private static final long START = System.nanoTime();

    private LoopClock() {}

    /** Never negative, and for 292 years never less than before. */
    static long nanos() {
        return between(START, System.nanoTime());
    }

    /** What has passed between two readings of {@link System#nanoTime()}, which may overflow. */
    static long between(long start, long now) {
        return Math.max(0, now - start);
    }

    /** Whether a loop wants to be called again at this time, though nobody wakes it. */
    static boolean isTime(long until) {
        return until >= 0;
    }

    /** How long to wait until a time of a loop: positive, because 0 is for ever to some. */
    static long nanosUntil(long until) {
        return Math.max(1, until - nanos());
    }
}
