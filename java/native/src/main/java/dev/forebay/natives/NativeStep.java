// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The step that a loop granted last, in the direct buffer that native code writes to
 * (little-endian):
 *
 * <pre>
 *  0  8  turn
 *  8  8  checkpoint id, time to wake at (-1: none), mail token, cause of the end, or ns of a poll turn
 * 16  4  subtask, or records of a poll turn
 * 20  4  flight
 * 24  4  payload length
 * 28  4  bytes of a poll turn, else zero
 * 32     payload, if it fits
 * </pre>
 *
 * One per loop; only the owner of the loop's turn reads it.
 */
final class NativeStep {
    private static final int HEADER = 32;

    /** Takes the usual batch or split list; a larger payload is fetched with a call of its own. */
    private static final int CAPACITY = 16 << 10;

    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);

    ByteBuffer buffer() {
        return buffer;
    }

    long turn() {
        return buffer.getLong(0);
    }

    long value() {
        return buffer.getLong(8);
    }

    int subtask() {
        return buffer.getInt(16);
    }

    int records() {
        return buffer.getInt(16);
    }

    int bytes() {
        return buffer.getInt(28);
    }

    int flight() {
        return buffer.getInt(20);
    }

    /** The payload, or null if it did not fit and has to be fetched. */
    byte[] payload() {
        int length = buffer.getInt(24);
        if (length > buffer.capacity() - HEADER) {
            return null;
        }
        byte[] payload = new byte[length];
        ByteBuffer from = buffer.duplicate();
        from.position(HEADER);
        from.get(payload);
        return payload;
    }
}
