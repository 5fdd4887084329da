// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Serves a reader after the end of its input, when the engine's thread comes no more: on a shared
 * thread, under the lock that turns are taken under. Any thread; {@link #wakeAt} in a turn only.
 */
final class DetachedServing {
    private final ClassLoader loader;
    private final Runnable serve;
    private final Consumer<Throwable> broken;

    /** Whether {@link #run} is on its way. */
    private final AtomicBoolean serving = new AtomicBoolean();

    private Future<?> alarm;

    /**
     * @param loader the connector's class loader
     * @param serve enters the lock, calls {@link #begun}, and takes turns until there is none
     * @param broken hears what {@code serve} has thrown
     */
    DetachedServing(ClassLoader loader, Runnable serve, Consumer<Throwable> broken) {
        this.loader = loader;
        this.serve = serve;
        this.broken = broken;
    }

    void wake() {
        if (serving.compareAndSet(false, true)) {
            // Not on a thread of the loops: the engine may hold the lock for as long as a sink
            // takes.
            Workers.callbacks().execute(this::run);
        }
    }

    private void run() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            serve.run();
        } catch (Throwable t) {
            broken.accept(t);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** In the lock, before the first look: what comes from now on needs another run. */
    void begun() {
        serving.set(false);
    }

    /** Serves also at this time of the {@link LoopClock}, in place of an earlier wish. */
    void wakeAt(long until) {
        cancelAlarm();
        if (LoopClock.isTime(until)) {
            long delay = LoopClock.nanosUntil(until);
            alarm = Workers.timer().schedule(this::wake, delay, TimeUnit.NANOSECONDS);
        }
    }

    void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }
}
