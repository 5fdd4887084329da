// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread that completes futures for all readers of this JVM. It ends when nothing waits,
 * so that it does not keep an unloaded connector's classes alive.
 */
final class SharedTimer {
    private static final long IDLE_SECONDS = 5;

    private static final ScheduledThreadPoolExecutor EXECUTOR = newExecutor();

    private SharedTimer() {}

    /** Called on any thread. What {@code action} does must be short: all readers wait behind it. */
    static Runnable schedule(long delayNanos, Runnable action) {
        ScheduledFuture<?> scheduled = EXECUTOR.schedule(action, delayNanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private static ScheduledThreadPoolExecutor newExecutor() {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(1, SharedTimer::newThread);
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    private static Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "forebay-pace");
        thread.setDaemon(true);
        // Otherwise the thread would hold on to the class loader of whichever job scheduled first.
        thread.setContextClassLoader(SharedTimer.class.getClassLoader());
        return thread;
    }
}
