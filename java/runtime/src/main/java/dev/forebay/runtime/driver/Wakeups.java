// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.ManagedSourceReader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Asks a connector's reader to return from the call that is under way, again and again until {@link
 * #stop}: a poll that begins at the very moment of the first wake-up may miss it. Belongs to who
 * made it.
 */
final class Wakeups {
    private static final Logger LOG = LoggerFactory.getLogger(Wakeups.class);

    private static final long EVERY_MILLIS = 100;

    private final ManagedSourceReader<?, ?> reader;
    private final ClassLoader loader;
    private final Future<?> timer;
    private volatile boolean stopped;

    /**
     * @param reader null if none was made, which needs no wake-up
     * @param loader the connector's class loader
     */
    Wakeups(ManagedSourceReader<?, ?> reader, ClassLoader loader) {
        this.reader = reader;
        this.loader = loader;
        wakeUp();
        // The timer's thread is everybody's, and a connector's method need not keep its promise.
        timer =
                Workers.timer()
                        .scheduleWithFixedDelay(
                                () -> Workers.callbacks().execute(this::wakeUp),
                                EVERY_MILLIS,
                                EVERY_MILLIS,
                                TimeUnit.MILLISECONDS);
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
            LOG.warn("The reader {} could not be woken up.", reader.getClass().getName(), t);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    void stop() {
        stopped = true;
        timer.cancel(false);
    }
}
