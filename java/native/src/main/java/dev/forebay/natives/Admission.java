// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

/**
 * Reads the answer to an offer, which native code gives as one long: the sequence expected next (44
 * bits), the status (4), the reason (8) and whether the owner must be woken (1).
 */
public final class Admission {
    /** Validated, reserved, sequenced and visible to the owner; neither applied nor durable yet. */
    public static final int ACCEPTED = 1;

    /** This attempt has taken the same command before. */
    public static final int DUPLICATE = 2;

    /** Not now: offer again after a back-off. */
    public static final int RETRY_LATER = 3;

    /** Meant for another source, attempt or epoch. */
    public static final int STALE_TARGET = 4;

    /** The loop takes nothing any more. */
    public static final int TERMINAL_REJECTED = 5;

    /** A protocol version that is not spoken here. */
    public static final int UNSUPPORTED_PROTOCOL = 6;

    /** Damaged, oversized, or in conflict with what was taken before. */
    public static final int INVALID_PAYLOAD = 7;

    /** The reason of an answer of somebody who does not know the source. */
    private static final long REASON_UNKNOWN = 19;

    /** The reason of an answer that never came. */
    private static final long REASON_TRANSPORT = 20;

    /** The reasons of a mailbox that is full. */
    private static final long REASON_COMMANDS = 14;

    private static final long REASON_BYTES = 15;

    private static final int STATUS_SHIFT = 44;
    private static final int REASON_SHIFT = 48;
    private static final int WAKE_SHIFT = 56;

    private Admission() {}

    /** How the offer ended, one of the constants. */
    public static int status(long bits) {
        return (int) (bits >>> STATUS_SHIFT) & 0xf;
    }

    /** Whether the receiver has the command, now or from before. */
    public static boolean isTaken(long bits) {
        int status = status(bits);
        return status == ACCEPTED || status == DUPLICATE;
    }

    /** Why the offer ended like that; the numbers are those of the C header. */
    public static int reason(long bits) {
        return (int) (bits >>> REASON_SHIFT) & 0xff;
    }

    /** The sequence that the channel expects next; 0 if it is not open. */
    public static long expected(long bits) {
        return bits & ((1L << STATUS_SHIFT) - 1);
    }

    /** Whether the owner of the loop must be woken. */
    public static boolean wakes(long bits) {
        return (bits >>> WAKE_SHIFT & 1) != 0;
    }

    /**
     * The answer as it travels to the sender: without the wake bit, which is this process's
     * business.
     */
    public static long answer(long bits) {
        return bits & ((1L << WAKE_SHIFT) - 1);
    }

    /** Whether the offer found no room in the reserve, which has ended the loop. */
    public static boolean exhaustsReserve(long bits) {
        return status(bits) == TERMINAL_REJECTED
                && (reason(bits) == REASON_COMMANDS || reason(bits) == REASON_BYTES);
    }

    /** What to answer for a source that is not here. */
    public static long unknown() {
        return (long) RETRY_LATER << STATUS_SHIFT | REASON_UNKNOWN << REASON_SHIFT;
    }

    /** Whether the answer says that the source is not on the asked member. */
    public static boolean isUnknown(long bits) {
        return reason(bits) == REASON_UNKNOWN;
    }

    /** What to take for the answer to a batch that could not be delivered. */
    public static long undelivered() {
        return (long) RETRY_LATER << STATUS_SHIFT | REASON_TRANSPORT << REASON_SHIFT;
    }

    /** Status and reason, for messages. */
    public static String describe(long bits) {
        String[] names = {
            "?",
            "ACCEPTED",
            "DUPLICATE",
            "RETRY_LATER",
            "STALE_TARGET",
            "TERMINAL_REJECTED",
            "UNSUPPORTED_PROTOCOL",
            "INVALID_PAYLOAD"
        };
        int status = status(bits);
        return (status < names.length ? names[status] : "?") + " (reason " + reason(bits) + ")";
    }
}
