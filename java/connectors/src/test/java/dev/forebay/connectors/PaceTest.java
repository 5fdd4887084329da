// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

class PaceTest {
    private final ManualTime time = new ManualTime();

    @Test
    void unlimitedIsAlwaysDue() {
        Pace pace = time.pace(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(pace.isDue()).isTrue();
            pace.count();
        }
        assertThat(pace.whenDue()).isCompleted();
    }

    @Test
    void keepsToItsRateInTheLongRun() {
        for (long rate : new long[] {1, 3, 100, 1000, 7777, 1_000_000}) {
            Pace pace = time.pace(rate);
            int rows = 0;
            for (int millis = 0; millis < 2000; millis++) {
                while (pace.isDue()) {
                    pace.count();
                    rows++;
                }
                time.advanceMillis(1);
            }
            assertThat((double) rows)
                    .as("rows in 2 s at " + rate)
                    .isBetween(2 * rate * 0.99, 2 * rate * 1.01 + 1);
        }
    }

    @Test
    void catchesUpByFiftyMillisecondsOnly() {
        Pace pace = time.pace(1000);
        time.advanceMillis(60_000);
        int burst = 0;
        while (pace.isDue()) {
            pace.count();
            burst++;
        }
        assertThat(burst).isEqualTo(51);
    }

    @Test
    void theFutureCompletesWhenTheNextRowIsDue() {
        Pace pace = time.pace(10);
        pace.count();
        CompletableFuture<Void> due = pace.whenDue();
        assertThat(pace.whenDue()).isSameAs(due).isNotCompleted();
        assertThat(time.alarms()).isEqualTo(1);
        time.advanceMillis(99);
        assertThat(due).isNotCompleted();
        time.advanceMillis(1);
        assertThat(due).isCompleted();
        assertThat(pace.isDue()).isTrue();
    }

    @Test
    void closeCallsTheTimerOff() {
        Pace pace = time.pace(10);
        pace.count();
        pace.whenDue();
        pace.close();
        assertThat(time.alarms()).isZero();
    }

    @Test
    void theSharedTimerCompletesFutures() throws Exception {
        try (Pace pace = Pace.of(100)) {
            pace.count();
            pace.count();
            pace.whenDue().get(10, TimeUnit.SECONDS);
        }
    }
}
