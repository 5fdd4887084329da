// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition or for another thread, with a limit. */
final class Await {
    static final Duration LIMIT = Duration.ofSeconds(10);

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Await() {}

    static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    /** Runs on a thread of its own, which is left behind if it hangs. */
    static <V> FutureTask<V> start(String name, Callable<V> body) {
        FutureTask<V> task = new FutureTask<>(body);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    static <V> V result(FutureTask<V> task) throws Exception {
        return task.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What a task has thrown; null if it returned. */
    static Throwable thrownBy(FutureTask<?> task) throws Exception {
        try {
            result(task);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }
}
