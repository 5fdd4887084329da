// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A loop's "never" is no time of the clock, wherever the JVM's own clock stands. */
class LoopClockTest {
    @Test
    void noTimeIsNever() {
        long before = LoopClock.nanos();
        assertThat(LoopClock.isTime(before)).isTrue();
        assertThat(LoopClock.nanos()).isGreaterThanOrEqualTo(before);
        assertThat(LoopClock.isTime(-1)).isFalse();
    }

    @Test
    void aClockThatIsNegativeOrOverflowsStartsAtNothingAllTheSame() {
        assertThat(LoopClock.between(-1000, -1000)).isZero();
        assertThat(LoopClock.between(-1000, -1)).isEqualTo(999);
        assertThat(LoopClock.between(-1000, 5)).isEqualTo(1005);
        assertThat(LoopClock.between(Long.MAX_VALUE - 4, Long.MIN_VALUE + 5)).isEqualTo(10);
    }

    @Test
    void aTimeThatIsOverIsWaitedForAsBrieflyAsCanBe() {
        assertThat(LoopClock.nanosUntil(0)).isEqualTo(1);
        assertThat(LoopClock.nanosUntil(Long.MAX_VALUE)).isPositive();
    }
}
