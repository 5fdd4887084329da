// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Admits one thread at a time to the turns of a coordinator. Who comes to close it is the next one,
 * however much is left to do, and interrupts a turn that does not end: a connector that waits where
 * it must not would keep the close, and its thread, for ever. An interrupt reaches the turn that
 * has outlasted the patience of the close, and nothing else that the thread does later. Any thread.
 */
final class TurnLock {
    private final ReentrantLock lock = new ReentrantLock();

    /** Threads that wait to close. */
    private final AtomicInteger closers = new AtomicInteger();

    private Thread holder;
    private boolean interrupted;

    /** Counts the turns, so that one is not taken for another. */
    private long turn;

    /** False if another thread is in a turn, or waits to close. Does not wait. */
    boolean tryEnter() {
        if (isWantedForClose() || !lock.tryLock()) {
            return false;
        }
        begin(Thread.currentThread());
        return true;
    }

    /** Whether a thread waits to close: the one in the turn is to leave as soon as it can. */
    boolean isWantedForClose() {
        return closers.get() > 0;
    }

    /**
     * Waits for the turn of another thread to end, and interrupts it each time that it has gone on
     * for {@code patience} since: a connector may have swallowed the interrupt before.
     *
     * @return false if no turn could be had within {@code limit}
     */
    boolean enterToClose(Duration patience, Duration limit) {
        closers.incrementAndGet();
        try {
            return awaitTurn(patience, limit);
        } finally {
            closers.decrementAndGet();
        }
    }

    private boolean awaitTurn(Duration patience, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean hurried = false;
        try {
            while (true) {
                long waitsFor = turn();
                try {
                    if (lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                        begin(Thread.currentThread());
                        return true;
                    }
                } catch (InterruptedException e) {
                    // Whoever closes is in a hurry, and has to close all the same.
                    hurried = true;
                }
                if (System.nanoTime() - deadline >= 0) {
                    return false;
                }
                interrupt(waitsFor);
            }
        } finally {
            if (hurried) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void leave() {
        end();
        lock.unlock();
    }

    /** Whether the calling thread is in a turn. */
    boolean isHeld() {
        return lock.isHeldByCurrentThread();
    }

    private synchronized long turn() {
        return turn;
    }

    private synchronized void begin(Thread thread) {
        holder = thread;
        turn++;
    }

    private synchronized void end() {
        holder = null;
        if (interrupted) {
            interrupted = false;
            Thread.interrupted(); // it was meant for the turn that ends here
        }
    }

    private synchronized void interrupt(long which) {
        if (holder != null && turn == which) {
            interrupted = true;
            holder.interrupt();
        }
    }
}
