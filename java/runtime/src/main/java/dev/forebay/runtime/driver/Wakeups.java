// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.ManagedSourceReader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Asks a connector's reader to return from the call that is under way, again and again until {@link
 * #stop}: a poll that begins at the very moment of the first wake-up may miss it. Belongs to who
 * made it.
 */
public final class Wakeups {
    private static final Logger LOG = LoggerFactory.getLogger(Wakeups.class);

    private static final long EVERY_MILLIS = 100;

    private final ManagedSourceReader<?, ?> reader;
    private final ClassLoader loader;
    private final Future<?> timer;

    /** One at a time: a wake-up that does not return must not take the threads of others. */
    private final AtomicBoolean underWay = new AtomicBoolean();

    private boolean warned;
    private volatile boolean stopped;

    /**
     * @param reader null if none was made, which needs no wake-up
     * @param loader the connector's class loader
     */
    public Wakeups(ManagedSourceReader<?, ?> reader, ClassLoader loader) {
        this.reader = reader;
        this.loader = loader;
        // Neither the timer's thread nor the closing one: a connector's method need not keep its
        // promise.
        timer =
                Workers.timer()
                        .scheduleWithFixedDelay(
                                this::submit, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void submit() {
        if (underWay.compareAndSet(false, true)) {
            Workers.callbacks().execute(this::wakeUp);
        }
    }

    private void wakeUp() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            if (!stopped && reader != null) {
                reader.wakeup();
            }
        } catch (Throwable t) {
            if (!warned) {
                warned = true;
                LOG.warn("The reader {} could not be woken up.", reader.getClass().getName(), t);
            }
        } finally {
            thread.setContextClassLoader(before);
            underWay.set(false);
        }
    }

    public void stop() {
        stopped = true;
        timer.cancel(false);
    }
}
