// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The loop of one reader, which the Rust core decides. Offers, answers, {@link #terminate}, {@link
 * #closeMailbox}, {@link #describe} and {@link #close} may come from any thread; {@link #next}, the
 * getters of its step and {@link #requestSplit} belong to the owner of the turn. After {@link
 * #close} every method throws {@link NativeException}.
 *
 * <p>Times are nanoseconds of one clock of the host: of any origin, never negative, never
 * backwards.
 */
public final class NativeReader implements AutoCloseable {
    /** No step: for hosts that take none. */
    public static final int NONE = 0;

    /** Steps, as {@link #next} answers them. */
    public static final int ADD_SPLITS = 1;

    public static final int NO_MORE_SPLITS = 2;
    public static final int CHECKPOINT_COMPLETE = 3;
    public static final int CHECKPOINT_ABORTED = 4;
    public static final int SNAPSHOT = 5;
    public static final int POLL = 6;
    public static final int SEND = 7;
    public static final int REGISTER = 8;
    public static final int FINISH = 9;
    public static final int PARK = 10;
    public static final int TERMINAL = 11;
    public static final int CLOSED = 12;

    /** Outcomes, as {@link #next} takes them. */
    public static final int DONE = 0;

    public static final int FAILED = 1;
    public static final int POLLED_MORE = 2;
    public static final int POLLED_NOTHING = 3;
    public static final int POLLED_END = 4;

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
     * @param address where commands for the reader go; the transport's format, at most 320 bytes
     * @param createdMillis when the reader was created, in ms since 1970
     * @throws NativeException if the library cannot be loaded or a setting cannot be
     */
    public NativeReader(
            NativeBudget budget,
            LoopIdentity identity,
            int subtask,
            long createdMillis,
            byte[] address,
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
                        subtask,
                        identity.digest(),
                        createdMillis,
                        address,
                        identity.seed(),
                        settings.maxCommands,
                        settings.maxBytes,
                        settings.reservedCommands,
                        settings.reservedBytes,
                        settings.maxPayload);
    }

    /** Offers one command; see {@link Admission}. Never waits. */
    public long offer(byte[] bytes, int offset, int length, long now) {
        if (!crossing.enter(bytes, offset, length)) {
            return offer0(handle, bytes, offset, length, now);
        }
        try {
            return offerAt0(handle, crossing.address, length, now);
        } finally {
            crossing.leave();
        }
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

    /** Hands in the answer to a flight. True: wake the owner. */
    public boolean answer(int flight, long bits) {
        return answer0(handle, flight, bits);
    }

    /**
     * The availability future of the poll turn {@code turn} has completed. True: wake the owner.
     */
    public boolean available(long turn) {
        return available0(handle, turn);
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
     * Reports how the last step went and answers the next one.
     *
     * @param poll whether a poll may be answered
     * @throws NativeException if another thread is inside the loop; nothing has changed then
     */
    public int next(int outcome, boolean poll, long now) {
        int code = next0(handle, turn, outcome, poll, now, step.buffer());
        turn = step.turn();
        return code;
    }

    /** The turn of the last step. */
    public long turn() {
        return turn;
    }

    /** Records that the poll turn of the last step may emit. */
    public int records() {
        return step.records();
    }

    /** Bytes of the records that the poll turn of the last step may emit. */
    public int bytes() {
        return step.bytes();
    }

    /**
     * Checkpoint id, time to wake at, cause of the end, or nanoseconds of a poll turn, as the last
     * step has it.
     */
    public long value() {
        return step.value();
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

    /** Asks the coordinator for a split. */
    public void requestSplit() {
        requestSplit0(handle, turn);
    }

    /** The loop's state in words, for a dump. */
    public String describe() {
        return new String(describe0(handle), StandardCharsets.UTF_8);
    }

    /** Why the core ended the loop, or an empty text. */
    public String failure() {
        return new String(failure0(handle), StandardCharsets.UTF_8);
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
            int subtask,
            byte[] digest,
            long createdMillis,
            byte[] address,
            long seed,
            int maxCommands,
            int maxBytes,
            int reservedCommands,
            int reservedBytes,
            int maxPayload);

    private static native long offer0(long handle, byte[] bytes, int offset, int length, long now);

    private static native long offerAt0(long handle, long address, int length, long now);

    private static native long offerBatch0(long handle, byte[] batch, long now);

    private static native long offerBatchAt0(long handle, long address, int length, long now);

    private static native long offerOwn0(long handle, int kind, long number, long now);

    private static native boolean answer0(long handle, int flight, long bits);

    private static native boolean available0(long handle, long turn);

    private static native boolean terminate0(long handle, int cause);

    private static native boolean closeMailbox0(long handle);

    private static native int next0(
            long handle, long turn, int outcome, boolean poll, long now, ByteBuffer step);

    private static native byte[] payload0(long handle, long turn);

    private static native void requestSplit0(long handle, long turn);

    private static native byte[] describe0(long handle);

    private static native byte[] failure0(long handle);

    private static native boolean close0(long handle);
}
