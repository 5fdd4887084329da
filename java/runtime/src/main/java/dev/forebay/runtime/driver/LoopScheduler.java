// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.CoordinatorScheduler;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Runs a coordinator's slow work on the shared workers and its timers on the shared timer; results
 * come back as mails. All maps belong to the coordinator loop. Work that outlives its coordinator
 * finds it closed and is dropped.
 */
final class LoopScheduler implements CoordinatorScheduler {
    /** Calls of one coordinator that run at the same time; the default of STIP-31. */
    private static final int MAX_RUNNING = 4;

    private final Consumer<Runnable> mail;
    private final Runnable checkOwner;
    private final ClassLoader loader;
    private final Map<String, Call<?>> running = new HashMap<>();
    private final Map<String, Call<?>> followUps = new HashMap<>();
    private final Deque<Call<?>> waiting = new ArrayDeque<>();
    private final Map<String, Timer> timers = new HashMap<>();

    /**
     * @param mail posts a piece of work to the coordinator loop; any thread
     * @param checkOwner throws unless the calling thread owns the loop
     * @param loader the connector's class loader
     */
    LoopScheduler(Consumer<Runnable> mail, Runnable checkOwner, ClassLoader loader) {
        this.mail = mail;
        this.checkOwner = checkOwner;
        this.loader = loader;
    }

    @Override
    public <T> Cancellable callAsync(
            String key, Callable<T> callable, BiConsumer<T, Throwable> handler, Duration timeout) {
        checkOwner.run();
        Objects.requireNonNull(key, "the key of a call");
        Objects.requireNonNull(callable, "what call " + key + " runs");
        Objects.requireNonNull(handler, "the handler of call " + key);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the timeout of call " + key + " is " + timeout);
        }
        Call<T> call = new Call<>(key, callable, handler, timeout);
        call.arm();
        if (running.containsKey(key)) {
            Call<?> replaced = followUps.put(key, call);
            if (replaced != null) {
                replaced.cancel();
            }
        } else {
            running.put(key, call);
            waiting.add(call);
            startWaiting();
        }
        return call;
    }

    private void startWaiting() {
        while (!waiting.isEmpty() && running.size() - waiting.size() < MAX_RUNNING) {
            waiting.remove().start();
        }
    }

    /** Loop: a call has ended; the one that waits behind it starts. */
    private void ended(Call<?> call) {
        if (!running.remove(call.key, call)) {
            // A follow-up that was called off, or whose time was over, before its turn came.
            followUps.remove(call.key, call);
            return;
        }
        waiting.remove(call);
        Call<?> next = followUps.remove(call.key);
        if (next != null && !next.isAnswered()) {
            running.put(next.key, next);
            waiting.add(next);
        }
        startWaiting();
    }

    @Override
    public Cancellable scheduleInCoordinatorThread(String key, Duration delay, Runnable task) {
        checkOwner.run();
        Objects.requireNonNull(key, "the key of a task");
        Objects.requireNonNull(task, "what task " + key + " runs");
        long nanos = delay.isNegative() ? 0 : nanos(delay);
        Timer timer = new Timer(key, task);
        Timer replaced = timers.put(key, timer);
        if (replaced != null) {
            replaced.cancel();
        }
        timer.future =
                Workers.timer().schedule(() -> mail.accept(timer), nanos, TimeUnit.NANOSECONDS);
        return timer;
    }

    /** What does not fit, some 292 years and more, is as long as a timer can wait. */
    private static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Loop: calls everything off. */
    void close() {
        running.values().forEach(Call::cancel);
        followUps.values().forEach(Call::cancel);
        timers.values().forEach(Timer::cancel);
    }

    private final class Timer implements Cancellable, Runnable {
        private final String key;
        private final Runnable task;
        private final AtomicBoolean cancelled = new AtomicBoolean();
        private volatile Future<?> future;

        Timer(String key, Runnable task) {
            this.key = key;
            this.task = task;
        }

        @Override
        public void run() {
            timers.remove(key, this);
            if (!isCancelled()) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            cancelled.set(true);
            Future<?> armed = future;
            if (armed != null) {
                armed.cancel(false);
            }
            mail.accept(() -> timers.remove(key, this));
        }

        @Override
        public boolean isCancelled() {
            return cancelled.get();
        }
    }

    private final class Call<T> implements Cancellable {
        private final String key;
        private final Callable<T> callable;
        private final BiConsumer<T, Throwable> handler;
        private final Duration timeout;
        private final AtomicBoolean cancelled = new AtomicBoolean();

        /** The first of result, failure, timeout and cancel takes it. */
        private final AtomicBoolean answered = new AtomicBoolean();

        /** The worker takes it, or whoever keeps the worker from starting. */
        private final AtomicBoolean begun = new AtomicBoolean();

        private final FutureTask<Void> worker = new FutureTask<>(this::work, null);

        private volatile Future<?> alarm;

        Call(String key, Callable<T> callable, BiConsumer<T, Throwable> handler, Duration timeout) {
            this.key = key;
            this.callable = callable;
            this.handler = handler;
            this.timeout = timeout;
        }

        /** Its time counts from here: a call that has to wait for its turn ends as well. */
        void arm() {
            alarm = Workers.timer().schedule(this::timeOut, nanos(timeout), TimeUnit.NANOSECONDS);
        }

        void start() {
            Workers.calls().execute(worker);
        }

        /** On a worker. */
        private void work() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try {
                answer(callable.call(), null);
            } catch (Throwable t) {
                answer(null, t);
            } finally {
                thread.setContextClassLoader(before);
                end();
            }
        }

        private void timeOut() {
            if (answer(
                    null,
                    new TimeoutException("call " + key + " has not ended within " + timeout))) {
                stop();
            }
        }

        /** Tells the handler, once. */
        private boolean answer(T result, Throwable failure) {
            boolean first = answered.compareAndSet(false, true);
            if (first) {
                mail.accept(() -> handle(result, failure));
            }
            return first;
        }

        /** On the loop. */
        private void handle(T result, Throwable failure) {
            if (!isCancelled()) {
                handler.accept(result, failure);
            }
        }

        /**
         * Keeps the work from starting, or interrupts it; the key becomes free when it has ended.
         */
        private void stop() {
            if (begun.compareAndSet(false, true)) {
                end();
            } else {
                worker.cancel(true);
            }
        }

        private void end() {
            // Null if the time was over before it was noted.
            Future<?> armed = alarm;
            if (armed != null) {
                armed.cancel(false);
            }
            mail.accept(() -> ended(this));
        }

        /** Whether it needs to run no more. */
        boolean isAnswered() {
            return answered.get();
        }

        @Override
        public void cancel() {
            cancelled.set(true);
            answered.set(true);
            stop();
        }

        @Override
        public boolean isCancelled() {
            return cancelled.get();
        }
    }
}
