// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where a command or a batch of the usual size crosses into native code: memory of the offering
 * thread that native code reads without a call back into the JVM. Such calls, to ask for an array's
 * length and to copy it, cost a quarter of an admission.
 *
 * <pre>
 *  0  8  address of the byte after this field
 *  8     the bytes
 * </pre>
 *
 * <p>The address stands in the buffer itself so that what a thread keeps is of a class of the JDK:
 * an object of ours would keep this class, and so its plugin, for as long as the thread lives.
 */
final class Crossing {
    /** What is larger than so many bytes does not cross here: it is handed over as an array. */
    static final int CAPACITY = 4 << 10;

    private static final int ADDRESS_BYTES = 8;

    private static final ThreadLocal<ByteBuffer> OF_THREAD = new ThreadLocal<>();

    private Crossing() {}

    /** Whether this part of the array exists and may cross here. */
    static boolean takes(byte[] bytes, int offset, int length) {
        return bytes != null
                && length >= 0
                && length <= CAPACITY
                && offset >= 0
                && offset <= bytes.length - length;
    }

    /** Whether this array exists and may cross here. */
    static boolean takes(byte[] bytes) {
        return bytes != null && bytes.length <= CAPACITY;
    }

    /** As {@link #address(byte[], int, int)}, for a whole array. */
    static long address(byte[] bytes) {
        return address(bytes, 0, bytes.length);
    }

    /**
     * Copies this part of the array, which {@link #takes} has let through.
     *
     * @return where native code finds it, until the thread's next offer
     */
    static long address(byte[] bytes, int offset, int length) {
        ByteBuffer buffer = OF_THREAD.get();
        if (buffer == null) {
            buffer = allocate();
            OF_THREAD.set(buffer);
        }
        buffer.position(ADDRESS_BYTES);
        buffer.put(bytes, offset, length);
        return buffer.getLong(0);
    }

    private static ByteBuffer allocate() {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(ADDRESS_BYTES + CAPACITY).order(ByteOrder.nativeOrder());
        return buffer.putLong(0, address0(buffer) + ADDRESS_BYTES);
    }

    private static native long address0(ByteBuffer buffer);
}
