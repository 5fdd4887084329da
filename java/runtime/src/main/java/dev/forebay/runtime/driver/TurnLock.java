// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

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

    /** Waits for the turn of another thread to end. */
    void enter() {
        lock.lock();
        setHolder(Thread.currentThread());
    }

    /** As {@link #enter}, but interrupts a turn that takes longer than {@code patienceMillis}. */
    void enterToClose(long patienceMillis) {
        if (!tryEnter(patienceMillis)) {
            interruptHolder();
            lock.lock();
        }
        setHolder(Thread.currentThread());
    }

    private boolean tryEnter(long patienceMillis) {
        try {
            return lock.tryLock(patienceMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // Whoever closes is in a hurry, and has to close all the same.
            Thread.currentThread().interrupt();
            return false;
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
