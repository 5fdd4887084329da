// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.LongStream;

/** Some latencies, sorted. Immutable. */
final class Latencies {
    private static final double NANOS_PER_MICRO = 1000;

    private final long[] nanos;

    private Latencies(long[] sorted) {
        nanos = sorted;
    }

    static Latencies ofNanos(LongStream latencies) {
        long[] sorted = latencies.toArray();
        Arrays.sort(sorted);
        return new Latencies(sorted);
    }

    int count() {
        return nanos.length;
    }

    /**
     * The smallest latency that {@code percent} percent of all do not exceed, in microseconds; NaN
     * of none.
     */
    double micros(double percent) {
        int rank = (int) Math.ceil(percent / 100 * nanos.length);
        return nanos[Math.max(rank, 1) - 1] / NANOS_PER_MICRO;
    }

    @Override
    public String toString() {
        if (nanos.length == 0) {
            return "none";
        }
        return String.format(
                Locale.ROOT,
                "n %d, p50 %.1f us, p99 %.1f us, max %.1f us",
                count(),
                micros(50),
                micros(99),
                micros(100));
    }
}
