// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

/** The mailbox bytes that all sources of a worker share. Any thread. */
public final class NativeBudget implements AutoCloseable {
    private final long handle;

    /**
     * @param maxBytes what all mailboxes together may hold of normal commands, counted in pages of
     *     4 KiB; at least the largest payload of a mailbox and 8 KiB
     * @throws NativeException if the library cannot be loaded or the size cannot be
     */
    public NativeBudget(long maxBytes) {
        NativeLibrary.load();
        handle = create0(maxBytes);
    }

    long handle() {
        return handle;
    }

    /** Bytes in use. */
    public long used() {
        return used0(handle);
    }

    /**
     * Readers and coordinators that were created with the budget go on using it. Harmless twice.
     */
    @Override
    public void close() {
        close0(handle);
    }

    private static native long create0(long maxBytes);

    private static native long used0(long handle);

    private static native void close0(long handle);
}
