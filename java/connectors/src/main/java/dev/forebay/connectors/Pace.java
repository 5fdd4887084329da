// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps a reader at a number of rows a second without ever sleeping: a reader that is ahead answers
 * that nothing is available, and {@link #whenDue()} completes when the next row may go.
 *
 * <p>A reader that was held up may catch up by {@value #CATCH_UP_MILLIS} ms worth of rows, so over
 * any time t it emits at most {@code rate * (t + 50 ms) + 1} rows. Used in the reader's turns only.
 */
public final class Pace implements AutoCloseable {
    /** Above this a clock reading a row costs more than the row. */
    public static final long MAX_ROWS_PER_SECOND = 1_000_000;

    private static final long CATCH_UP_MILLIS = 50;
    private static final long CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(CATCH_UP_MILLIS);

    /** A shorter wait costs more than the few rows that it would bring forward. */
    private static final long MIN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Runs something later. */
    public interface Timer {
        /**
         * Runs {@code action} once on a thread of the timer after {@code delayNanos}.
         *
         * @return calls it off
         */
        Runnable schedule(long delayNanos, Runnable action);
    }

    private final long intervalNanos;
    private final LongSupplier clock;
    private final Timer timer;
    private long nextNanos;
    private CompletableFuture<Void> pending = CompletableFuture.completedFuture(null);
    private Runnable cancelPending = () -> {};

    /**
     * @param rowsPerSecond 0 (unlimited) to {@link #MAX_ROWS_PER_SECOND}
     * @param clock nanoseconds that never go back
     */
    public Pace(long rowsPerSecond, LongSupplier clock, Timer timer) {
        this.intervalNanos = rowsPerSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / rowsPerSecond;
        this.clock = clock;
        this.timer = timer;
        this.nextNanos = clock.getAsLong();
    }

    /** A pace on the system's clock and the timer that all readers of this JVM share. */
    public static Pace of(long rowsPerSecond) {
        return new Pace(rowsPerSecond, System::nanoTime, SharedTimer::schedule);
    }

    /** Whether a row may be emitted now. */
    public boolean isDue() {
        if (intervalNanos == 0) {
            return true;
        }
        long now = clock.getAsLong();
        if (now - nextNanos > CATCH_UP_NANOS) {
            nextNanos = now - CATCH_UP_NANOS;
        }
        return now - nextNanos >= 0;
    }

    /** Counts a row that was emitted. */
    public void count() {
        nextNanos += intervalNanos;
    }

    /** Completes when the next row is due; the same future until then. */
    public CompletableFuture<Void> whenDue() {
        if (pending.isDone() && !isDue()) {
            CompletableFuture<Void> due = new CompletableFuture<>();
            long delay = Math.max(nextNanos - clock.getAsLong(), MIN_WAIT_NANOS);
            cancelPending = timer.schedule(delay, () -> due.complete(null));
            pending = due;
        }
        return pending;
    }

    /** Calls off what the timer still holds. */
    @Override
    public void close() {
        cancelPending.run();
    }
}
