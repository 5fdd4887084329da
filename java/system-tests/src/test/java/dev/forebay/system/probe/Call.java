// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

/** One call of one callback: on what, where and when. */
public final class Call {
    private final Callback callback;
    private final int life;
    private final int subtask;
    private final long number;
    private final String thread = Thread.currentThread().getName();
    private final long begin = System.nanoTime();
    private volatile long end = Long.MAX_VALUE;

    Call(Callback callback, int life, int subtask, long number) {
        this.callback = callback;
        this.life = life;
        this.subtask = subtask;
        this.number = number;
    }

    public Callback callback() {
        return callback;
    }

    /** Tells the objects of a probe apart, in the order of their creation. */
    public int life() {
        return life;
    }

    /** Of a reader, or the reader that an enumerator is told about; -1 where there is none. */
    public int subtask() {
        return subtask;
    }

    /** The checkpoint of a snapshot or notice; rows that were emitted before a poll. */
    public long number() {
        return number;
    }

    public String thread() {
        return thread;
    }

    /** On the clock of {@link System#nanoTime()}. */
    public long begin() {
        return begin;
    }

    /** On the clock of {@link System#nanoTime()}; {@link Long#MAX_VALUE} while it runs. */
    public long end() {
        return end;
    }

    /** The callback returns, or throws. */
    void ended() {
        end = System.nanoTime();
    }

    @Override
    public String toString() {
        return callback
                + " of life "
                + life
                + ", subtask "
                + subtask
                + ", number "
                + number
                + " on "
                + thread;
    }
}
