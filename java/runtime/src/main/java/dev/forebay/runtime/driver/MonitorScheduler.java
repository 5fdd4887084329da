// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.CoordinatorScheduler;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/**
 * The scheduler of the plain lane: results are handled on the shared threads, under the
 * enumerator's monitor instead of on a loop. To be called under that monitor.
 */
public final class MonitorScheduler implements CoordinatorScheduler {
    private static final Logger LOG = LoggerFactory.getLogger(MonitorScheduler.class);

    private final Object monitor;
    private final ClassLoader loader;
    private final LoopScheduler scheduler;
    private boolean closed;
    private Throwable failure;

    public MonitorScheduler(Object monitor, ClassLoader loader) {
        this.monitor = monitor;
        this.loader = loader;
        this.scheduler =
                new LoopScheduler(
                        // The engine's own assignments wait, which threads of loops must not.
                        mail -> Workers.handlers().execute(() -> handle(mail)),
                        this::checkMonitor,
                        loader);
    }

    private void checkMonitor() {
        if (!Thread.holdsLock(monitor)) {
            throw new IllegalStateException(
                    "the scheduler can be used in calls of the enumerator only, not on "
                            + Thread.currentThread().getName());
        }
    }

    private void handle(Runnable mail) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            synchronized (monitor) {
                if (!closed) {
                    run(mail);
                }
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private void run(Runnable mail) {
        try {
            mail.run();
        } catch (Throwable t) {
            if (failure == null) {
                failure = t;
                // The engine may not call for long, and a batch job without checkpoints never does.
                LOG.error("A handler of the enumerator has failed.", t);
            }
        }
    }

    /** Throws what a handler has thrown: the plain lane has nobody else to tell. */
    public void rethrow() {
        if (failure != null) {
            throw new ManagedSourceException(
                    "a handler of the enumerator failed: " + failure, failure);
        }
    }

    @Override
    public <T> Cancellable callAsync(
            String key, Callable<T> callable, BiConsumer<T, Throwable> handler, Duration timeout) {
        return scheduler.callAsync(key, callable, handler, timeout);
    }

    @Override
    public Cancellable scheduleInCoordinatorThread(String key, Duration delay, Runnable task) {
        return scheduler.scheduleInCoordinatorThread(key, delay, task);
    }

    /** Calls everything off. */
    public void close() {
        closed = true;
        scheduler.close();
    }
}
