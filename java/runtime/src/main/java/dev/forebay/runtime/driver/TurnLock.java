// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Admits one thread at a time to the turns of a coordinator. Who comes to close it interrupts a
 * turn that does not end: a connector that waits where it must not would otherwise keep one of the
 * few threads that all sources share, for ever. An interrupt reaches the turn and nothing else that
 * the thread does later. Any thread.
 */
final class TurnLock {
    private final ReentrantLock lock = new ReentrantLock();
    private Thread holder;
    private boolean interrupted;

    /** False if another thread is in a turn. Does not wait. */
    boolean tryEnter() {
        if (!lock.tryLock()) {
            return false;
        }
        setHolder(Thread.currentThread());
        return true;
    }

    /**
     * Waits for the turn of another thread to end, and interrupts it each time that {@code
     * patience} has passed: a connector may have swallowed the interrupt before.
     *
     * @return false if the turn has not ended within {@code limit}
     */
    boolean enterToClose(Duration patience, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean hurried = false;
        try {
            while (true) {
                try {
                    if (lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                        setHolder(Thread.currentThread());
                        return true;
                    }
                } catch (InterruptedException e) {
                    // Whoever closes is in a hurry, and has to close all the same.
                    hurried = true;
                }
                if (System.nanoTime() - deadline >= 0) {
                    return false;
                }
                interruptHolder();
            }
        } finally {
            if (hurried) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void leave() {
        setHolder(null);
        lock.unlock();
    }

    /** Whether the calling thread is in a turn. */
    boolean isHeld() {
        return lock.isHeldByCurrentThread();
    }

    private synchronized void setHolder(Thread thread) {
        holder = thread;
        if (interrupted) {
            interrupted = false;
            Thread.interrupted(); // it was meant for the turn that ends here
        }
    }

    private synchronized void interruptHolder() {
        if (holder != null) {
            interrupted = true;
            holder.interrupt();
        }
    }
}
