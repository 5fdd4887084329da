// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.driver.NeutralThreads;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread that completes futures for all readers of this JVM. It ends when nothing waits,
 * so that it does not keep an unloaded connector's classes alive.
 */
final class SharedTimer {
    private static final long IDLE_SECONDS = 5;

    /** Whichever job schedules first must not be kept by the thread. */
    static final ThreadFactory THREADS = new NeutralThreads("forebay-pace");

    private static final ScheduledThreadPoolExecutor EXECUTOR = newExecutor();

    private SharedTimer() {}

    /** Called on any thread. What {@code action} does must be short: all readers wait behind it. */
    static Runnable schedule(long delayNanos, Runnable action) {
        ScheduledFuture<?> scheduled = EXECUTOR.schedule(action, delayNanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private static ScheduledThreadPoolExecutor newExecutor() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, THREADS);
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }
}
