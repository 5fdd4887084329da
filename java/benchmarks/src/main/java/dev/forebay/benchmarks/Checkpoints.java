// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * When the last checkpoint of the job that runs in this JVM was complete, as its enumerator hears
 * it. Any thread.
 */
final class Checkpoints {
    private static final Object MONITOR = new Object();

    private static long count;
    private static long lastNanos;

    private Checkpoints() {}

    static void completed() {
        synchronized (MONITOR) {
            count++;
            lastNanos = System.nanoTime();
            MONITOR.notifyAll();
        }
    }

    /** The completion of the last one, on the clock of {@link System#nanoTime()}. */
    static long lastNanos() {
        synchronized (MONITOR) {
            return lastNanos;
        }
    }

    static long count() {
        synchronized (MONITOR) {
            return count;
        }
    }

    /** Waits until {@code until}, or shorter if a checkpoint completes; tells whether one did. */
    static boolean awaitNext(long until) throws InterruptedException {
        synchronized (MONITOR) {
            long before = count;
            long left = until - System.nanoTime();
            while (count == before && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(MONITOR, left);
                left = until - System.nanoTime();
            }
            return count > before;
        }
    }
}
