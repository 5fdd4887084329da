// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that all managed sources of a process share. They end after ten idle seconds and
 * carry no class loader of a job (see {@link NeutralThreads}), so nothing of a finished job stays
 * behind.
 */
final class Workers {
    private static final long IDLE_SECONDS = 10;

    /** Loops never wait, so a few threads serve many; more are lent when one waits. */
    private static final int LOOP_THREADS = 2;

    /** Connector calls that list and fetch; the upper bound of all sources together. */
    private static final int CALL_THREADS = 32;

    /** Callbacks that need a lock first; as many may wait for one at the same time. */
    private static final int CALLBACK_THREADS = 8;

    private static final ThreadPoolExecutor CALLS = pool("forebay-call", CALL_THREADS);
    private static final ThreadPoolExecutor CALLBACKS = pool("forebay-callback", CALLBACK_THREADS);
    private static final ThreadPoolExecutor HANDLERS = pool("forebay-handler", CALLBACK_THREADS);
    private static final ScheduledThreadPoolExecutor TIMER = timerPool();
    private static final LoopThreads LOOPS =
            new LoopThreads("forebay-loop", LOOP_THREADS, IDLE_SECONDS, TIMER);

    private Workers() {}

    /** Runs turns of loops. */
    static Executor loops() {
        return LOOPS;
    }

    /** Runs what connectors do outside their loop. */
    static Executor calls() {
        return CALLS;
    }

    /**
     * Runs callbacks of readers that no thread of the engine comes for, under the engine's lock.
     * Apart from {@link #calls}, so that calls that never end keep no notice from its reader.
     */
    static Executor callbacks() {
        return CALLBACKS;
    }

    /** Runs handlers of the plain lane's enumerators, under their monitor. */
    static Executor handlers() {
        return HANDLERS;
    }

    /** Fires at a time; what it fires must not wait. */
    static ScheduledExecutorService timer() {
        return TIMER;
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new NeutralThreads(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ScheduledThreadPoolExecutor timerPool() {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, new NeutralThreads("forebay-timer"));
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
