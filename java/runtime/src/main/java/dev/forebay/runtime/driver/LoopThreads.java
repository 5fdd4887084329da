// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that serve the loops of all sources. Loops never wait, so a few threads serve many; a
 * connector's callback that waits all the same must cost its own source only. So a look every tenth
 * of a second, while anything runs, lends a thread for each piece of work that was there at the
 * look before, and takes it back when that work has ended. A loop is on one thread at a time, so no
 * more threads are lent than there are loops. Any thread; never waits.
 */
final class LoopThreads implements Executor {
    private static final long LOOK_EVERY_MILLIS = 100;

    private final int threads;
    private final ThreadPoolExecutor pool;
    private final ScheduledExecutorService timer;

    /** What is on a thread now. */
    private final Set<Work> running = ConcurrentHashMap.newKeySet();

    /** What was handed in and has not ended. */
    private final AtomicInteger unfinished = new AtomicInteger();

    /** Whether a look is on its way. */
    private final AtomicBoolean looking = new AtomicBoolean();

    /**
     * @param threads how many there are while no work waits
     * @param idleSeconds after which a thread ends
     */
    LoopThreads(String name, int threads, long idleSeconds, ScheduledExecutorService timer) {
        this.threads = threads;
        this.timer = timer;
        pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        idleSeconds,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new NeutralThreads(name));
        pool.allowCoreThreadTimeOut(true);
    }

    private final class Work implements Runnable {
        private final Runnable body;

        /** Whether a look has found it running. Of the looks only. */
        private boolean seen;

        Work(Runnable body) {
            this.body = body;
        }

        @Override
        public void run() {
            running.add(this);
            try {
                body.run();
            } finally {
                running.remove(this);
                unfinished.decrementAndGet();
            }
        }
    }

    @Override
    public void execute(Runnable body) {
        unfinished.incrementAndGet();
        pool.execute(new Work(body));
        lookLater();
    }

    private void lookLater() {
        if (!looking.get() && looking.compareAndSet(false, true)) {
            timer.schedule(this::look, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        int held = 0;
        for (Work work : running) {
            held += work.seen ? 1 : 0;
            work.seen = true;
        }
        resize(threads + held);
        // In this order: what is handed in after the count was read looks by itself.
        looking.set(false);
        if (unfinished.get() > 0 || size() > threads) {
            lookLater();
        }
    }

    private void resize(int size) {
        // The maximum must never be below the core.
        if (size > pool.getCorePoolSize()) {
            pool.setMaximumPoolSize(size);
            pool.setCorePoolSize(size);
        } else if (size < pool.getCorePoolSize()) {
            pool.setCorePoolSize(size);
            pool.setMaximumPoolSize(size);
        }
    }

    /** How many may run at the same time now. */
    int size() {
        return pool.getCorePoolSize();
    }
}
