// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.util.ArrayList;
import java.util.List;

/** A clock and a timer that stand still until a test moves them. */
public final class ManualTime implements Pace.Timer {
    private static final class Alarm {
        private final long at;
        private final Runnable action;

        Alarm(long at, Runnable action) {
            this.at = at;
            this.action = action;
        }
    }

    private final List<Alarm> alarms = new ArrayList<>();

    // Close to the overflow of the clock, which must not matter.
    private long now = Long.MAX_VALUE - 1_000_000;

    public long nanos() {
        return now;
    }

    public Pace pace(long rowsPerSecond) {
        return new Pace(rowsPerSecond, this::nanos, this);
    }

    @Override
    public Runnable schedule(long delayNanos, Runnable action) {
        Alarm alarm = new Alarm(now + delayNanos, action);
        alarms.add(alarm);
        return () -> alarms.remove(alarm);
    }

    public int alarms() {
        return alarms.size();
    }

    /** Moves time and runs what is due. */
    public void advanceMillis(long millis) {
        now += millis * 1_000_000;
        for (Alarm alarm : new ArrayList<>(alarms)) {
            if (now - alarm.at >= 0) {
                alarms.remove(alarm);
                alarm.action.run();
            }
        }
    }
}
