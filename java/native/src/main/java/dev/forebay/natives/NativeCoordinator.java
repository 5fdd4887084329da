// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The loop of one coordinator, which the Rust core decides. Offers, posts, answers, {@link
 * #terminate}, {@link #closeMailbox}, {@link #describe} and {@link #close} may come from any
 * thread; {@link #next}, the getters of its step and what a step may ask for belong to the owner of
 * the turn. After {@link #close} every method throws {@link NativeException}.
 *
 * <p>Times are nanoseconds of one clock of the host: of any origin, never negative, never
 * backwards.
 */
public final class NativeCoordinator implements AutoCloseable {
    /** Steps, as {@link #next} answers them. */
    public static final int OPEN = 1;

    public static final int ADD_SPLITS_BACK = 2;
    public static final int CONNECT = 3;
    public static final int REGISTER_READER = 4;
    public static final int RUN = 5;
    public static final int REQUEST_SPLIT = 6;
    public static final int SNAPSHOT = 7;
    public static final int CHECKPOINT_COMPLETE = 8;
    public static final int CHECKPOINT_ABORTED = 9;
    public static final int MAIL = 10;
    public static final int SEND = 11;
    public static final int PARK = 12;
    public static final int FAILED = 13;
    public static final int TERMINAL = 14;
    public static final int CLOSED = 15;

    /** Causes of an end. */
    public static final int CANCEL = 1;

    public static final int FAILURE = 2;

    /** Found by the core only: a control command found no room in the reserve. */
    public static final int RESERVE_EXHAUSTED = 3;

    private final long handle;
    private final NativeStep step = new NativeStep();
    private final Crossing crossing;
    private long turn;

    /**
     * @param epoch higher than that of any earlier life
     * @param parallelism readers of the source, 1 to 65,536
     * @throws NativeException if the library cannot be loaded or a setting cannot be
     */
    public NativeCoordinator(
            NativeBudget budget,
            LoopIdentity identity,
            long epoch,
            int parallelism,
            LoopSettings settings) {
        NativeLibrary.load();
        crossing = new Crossing();
        handle =
                create0(
                        budget.handle(),
                        identity.job,
                        identity.runtime.getMostSignificantBits(),
                        identity.runtime.getLeastSignificantBits(),
                        identity.attempt.getMostSignificantBits(),
                        identity.attempt.getLeastSignificantBits(),
                        epoch,
                        parallelism,
                        identity.digest(),
                        identity.seed(),
                        settings.maxCommands,
                        settings.maxBytes,
                        settings.reservedCommands,
                        settings.reservedBytes,
                        settings.maxPayload);
    }

    /**
     * Offers the commands of a batch in order until one is not taken; see {@link Admission}. Never
     * waits.
     */
    public long offerBatch(byte[] batch, long now) {
        if (!crossing.enter(batch)) {
            return offerBatch0(handle, batch, now);
        }
        try {
            return offerBatchAt0(handle, crossing.address, batch.length, now);
        } finally {
            crossing.leave();
        }
    }

    /**
     * Offers a command of this process; see {@link CommandKind} and {@link Admission}. Never waits.
     */
    public long offerOwn(int kind, long number, long now) {
        return offerOwn0(handle, kind, number, now);
    }

    /** Posts a mail; it comes back as {@link #MAIL} with the token. True: wake the owner. */
    public boolean post(long token) {
        return post0(handle, token);
    }

    /** Hands in the answer to a flight. True: wake the owner. */
    public boolean answer(int subtask, int flight, long bits) {
        return answer0(handle, subtask, flight, bits);
    }

    /** Ends the loop at once. True: wake the owner. */
    public boolean terminate(int cause) {
        return terminate0(handle, cause);
    }

    /** Refuses every later offer. True: wake the owner. */
    public boolean closeMailbox() {
        return closeMailbox0(handle);
    }

    /**
     * Before the first turn: takes over a checkpoint.
     *
     * @return the enumerator's state in it: its version (4 bytes, little-endian), then its bytes
     * @throws NativeException if the checkpoint is damaged, of another release, or of another
     *     source
     */
    public byte[] restore(byte[] blob) {
        return restore0(handle, blob);
    }

    /**
     * Before the enumerator is open: takes over what the reader of a subtask had in the restored
     * checkpoint.
     *
     * @param splits a list of splits, see {@link SplitList}
     * @throws NativeException as for {@link #restore}
     */
    public void restoreReader(int subtask, byte[] metadata, byte[] splits) {
        restoreReader0(handle, subtask, metadata, splits);
    }

    /**
     * Reports how the last step went and answers the next one.
     *
     * @param failure null if the last step is done, else why it failed: the source has failed then
     * @throws NativeException if another thread is inside the loop; nothing has changed then
     */
    public int next(String failure, long now) {
        byte[] text = failure == null ? null : failure.getBytes(StandardCharsets.UTF_8);
        int code = next0(handle, turn, text, now, step.buffer());
        turn = step.turn();
        return code;
    }

    /** Checkpoint id, time to wake at, mail token or cause of the end, as the last step has it. */
    public long value() {
        return step.value();
    }

    /** The subtask of the last step. */
    public int subtask() {
        return step.subtask();
    }

    /** The flight of the last step. */
    public int flight() {
        return step.flight();
    }

    /** The payload of the last step. */
    public byte[] payload() {
        byte[] payload = step.payload();
        return payload != null ? payload : payload0(handle, turn);
    }

    /**
     * Gives a reader splits, all or none.
     *
     * @param splits a list of splits, see {@link SplitList}
     * @throws NativeException why none was assigned
     */
    public void assign(int subtask, byte[] splits) {
        assign0(handle, turn, subtask, splits);
    }

    /** Tells a reader that no split will come any more. */
    public void noMoreSplits(int subtask) {
        noMoreSplits0(handle, turn, subtask);
    }

    /** Whether more assignments can be tracked without coming near the limit. */
    public boolean hasAssignmentCapacity() {
        return hasAssignmentCapacity0(handle, turn);
    }

    /**
     * The coordinator's part of the checkpoint that the last step orders, around the enumerator's
     * state.
     */
    public byte[] snapshot(int version, byte[] state) {
        return snapshot0(handle, turn, version, state);
    }

    /** The loop's state in words, for a dump. */
    public String describe() {
        return new String(describe0(handle), StandardCharsets.UTF_8);
    }

    /** Frees the loop when the last call inside has left. Harmless twice. */
    @Override
    public void close() {
        close0(handle);
    }

    private static native long create0(
            long budget,
            long job,
            long runtimeHigh,
            long runtimeLow,
            long attemptHigh,
            long attemptLow,
            long epoch,
            int parallelism,
            byte[] digest,
            long seed,
            int maxCommands,
            int maxBytes,
            int reservedCommands,
            int reservedBytes,
            int maxPayload);

    private static native long offerBatch0(long handle, byte[] batch, long now);

    private static native long offerBatchAt0(long handle, long address, int length, long now);

    private static native long offerOwn0(long handle, int kind, long number, long now);

    private static native boolean post0(long handle, long token);

    private static native boolean answer0(long handle, int subtask, int flight, long bits);

    private static native boolean terminate0(long handle, int cause);

    private static native boolean closeMailbox0(long handle);

    private static native byte[] restore0(long handle, byte[] blob);

    private static native void restoreReader0(
            long handle, int subtask, byte[] metadata, byte[] splits);

    private static native int next0(
            long handle, long turn, byte[] failure, long now, ByteBuffer step);

    private static native byte[] payload0(long handle, long turn);

    private static native void assign0(long handle, long turn, int subtask, byte[] splits);

    private static native void noMoreSplits0(long handle, long turn, int subtask);

    private static native boolean hasAssignmentCapacity0(long handle, long turn);

    private static native byte[] snapshot0(long handle, long turn, int version, byte[] state);

    private static native byte[] describe0(long handle);

    private static native boolean close0(long handle);
}
