// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where a command or a batch of the usual size crosses into native code: memory of the loop that
 * native code reads without a call back into the JVM. Such calls, to ask for an array's length and
 * to copy it, cost a quarter of an admission.
 *
 * <p>Any thread may try it, and nobody waits: whoever meets another thread in it hands its array
 * over instead, as with what is too large. It belongs to the loop and not to the thread, because
 * memory for a thread is to be found in the middle of its first offer, and stays for as long as the
 * thread lives.
 */
final class Crossing {
    private static final int CAPACITY = 4 << 10;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY);

    /** Where native code finds it. */
    final long address = address0(buffer);

    private final AtomicBoolean busy = new AtomicBoolean();

    /**
     * Copies this part of an array; true if it has, and the caller must {@link #leave} when native
     * code has returned. Parts that do not exist are left for native code to refuse.
     */
    boolean enter(byte[] bytes, int offset, int length) {
        boolean fits =
                bytes != null
                        && length >= 0
                        && length <= CAPACITY
                        && offset >= 0
                        && offset <= bytes.length - length;
        if (!fits || !busy.compareAndSet(false, true)) {
            return false;
        }
        buffer.clear();
        buffer.put(bytes, offset, length);
        return true;
    }

    /** As {@link #enter(byte[], int, int)}, for a whole array. */
    boolean enter(byte[] bytes) {
        return bytes != null && enter(bytes, 0, bytes.length);
    }

    /** Also keeps the memory until then. */
    void leave() {
        busy.lazySet(false);
    }

    private static native long address0(ByteBuffer buffer);
}
