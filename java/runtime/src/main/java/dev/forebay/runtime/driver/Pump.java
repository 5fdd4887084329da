// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Brings one coordinator's loop to the threads that all sources share, whenever it is to be looked
 * at. Serial: who finds another thread in a turn leaves its request there and returns, so that one
 * loop never keeps two of the shared threads. Any thread; never waits.
 */
final class Pump {
    private final TurnLock turnLock;
    private final ClassLoader loader;
    private final Runnable serve;
    private final Consumer<Throwable> broken;

    /** A look was asked for that has not begun yet. */
    private volatile boolean again;

    /** In a turn only. */
    private Future<?> alarm;

    /**
     * @param loader the connector's class loader
     * @param serve takes turns of the loop, as long as there is something to do
     * @param broken hears what {@code serve} has thrown
     */
    Pump(TurnLock turnLock, ClassLoader loader, Runnable serve, Consumer<Throwable> broken) {
        this.turnLock = turnLock;
        this.loader = loader;
        this.serve = serve;
        this.broken = broken;
    }

    void wakeIf(boolean needed) {
        if (needed) {
            Workers.loops().execute(this::look);
        }
    }

    private void look() {
        again = true;
        if (!turnLock.tryEnter()) {
            return;
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            again = false;
            thread.setContextClassLoader(loader);
            serve.run();
        } catch (Throwable t) {
            broken.accept(t);
        } finally {
            turnLock.leave();
            thread.setContextClassLoader(before);
        }
        // Through the queue, so that other loops have their turn.
        wakeIf(again);
    }

    /** In a turn: also looks at this time of the {@link LoopClock}, in place of an earlier wish. */
    void wakeAt(long until) {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
        if (LoopClock.isTime(until)) {
            long delay = LoopClock.nanosUntil(until);
            alarm = Workers.timer().schedule(() -> wakeIf(true), delay, TimeUnit.NANOSECONDS);
        }
    }

    /** In a turn: looks at no time by itself. */
    void wakeAtNoTime() {
        wakeAt(-1);
    }
}
