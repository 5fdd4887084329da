// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.CommandKind;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * What the engine orders from a coordinator's loop and waits for, and the failure of the source,
 * which ends all waiting. Any thread; {@link #open}, {@link #run} and {@link #snapshot} wait for
 * the loop.
 */
final class Orders {
    private final String source;
    private final Offer offer;
    private final Supplier<String> state;

    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> running = new CompletableFuture<>();
    private final Map<Long, CompletableFuture<byte[]>> snapshots = new ConcurrentHashMap<>();
    private volatile Throwable failure;

    /** Hands a command to the loop. */
    interface Offer {
        /** As {@link Admission} bits. */
        long own(int kind, long number);
    }

    /**
     * @param source its name, for messages
     * @param state the loop's state in words
     */
    Orders(String source, Offer offer, Supplier<String> state) {
        this.source = source;
        this.offer = offer;
        this.state = state;
    }

    void open() throws Exception {
        order(CommandKind.OPEN_ENUMERATOR, 0, opened);
        await(opened);
    }

    void run() throws Exception {
        order(CommandKind.RUN_ENUMERATOR, 0, running);
        await(running);
    }

    byte[] snapshot(long checkpoint) throws Exception {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        if (snapshots.putIfAbsent(checkpoint, result) != null) {
            throw new ManagedSourceException(
                    "checkpoint "
                            + checkpoint
                            + " of source "
                            + source
                            + " is being taken already: each checkpoint is asked for once");
        }
        try {
            order(CommandKind.BARRIER, checkpoint, result);
            return await(result);
        } finally {
            snapshots.remove(checkpoint);
        }
    }

    private void order(int kind, long number, CompletableFuture<?> result) {
        long admission = offer.own(kind, number);
        if (!Admission.isTaken(admission)) {
            result.completeExceptionally(refused(admission));
        }
        if (failure != null) {
            // The failure was told before this order came: nobody else would.
            result.completeExceptionally(failure);
        }
    }

    private Throwable refused(long admission) {
        if (failure != null) {
            return failure;
        }
        return Admission.exhaustsReserve(admission)
                ? LoopEnd.reserveExhausted("coordinator", state.get())
                : new ManagedSourceException(
                        "the coordinator takes no orders: " + Admission.describe(admission));
    }

    private static <V> V await(CompletableFuture<V> result) throws Exception {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw Thrown.asException(e.getCause());
        }
    }

    /** The enumerator is open. */
    void opened() {
        opened.complete(null);
    }

    /** The enumerator runs. */
    void running() {
        running.complete(null);
    }

    /** The coordinator's part of a checkpoint is there. */
    void taken(long checkpoint, byte[] part) {
        CompletableFuture<byte[]> result = snapshots.get(checkpoint);
        if (result != null) {
            result.complete(part);
        }
    }

    /**
     * The source has failed: whoever waits is told, and whoever asks later.
     *
     * @return whether this is the first failure, which is the one that is told
     */
    synchronized boolean fail(Throwable cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        opened.completeExceptionally(failure);
        running.completeExceptionally(failure);
        snapshots.values().forEach(result -> result.completeExceptionally(failure));
        return first;
    }

    /** Null as long as nothing has failed. */
    Throwable failure() {
        return failure;
    }

    /** Whether the enumerator is open, or will never be. */
    boolean openIsOver() {
        return opened.isDone();
    }

    /** Whether the enumerator runs. */
    boolean isRunning() {
        return running.isDone() && !running.isCompletedExceptionally();
    }

    /** In words, for a dump. */
    String describe() {
        return "opened "
                + opened.isDone()
                + ", running "
                + running.isDone()
                + ", failure "
                + failure;
    }
}
