// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

/**
 * What the mailbox of one loop may hold. Bytes are counted as stored: header and payload, in pieces
 * of 64 bytes.
 */
public final class LoopSettings {
    final int maxCommands;
    final int maxBytes;
    final int reservedCommands;
    final int reservedBytes;
    final int maxPayload;

    /**
     * @param maxCommands 2 to 2^19
     * @param maxBytes 12 KiB to 1 GiB
     * @param reservedCommands commands that only control commands may use, less than {@code
     *     maxCommands}
     * @param reservedBytes bytes that only control commands may use, less than {@code maxBytes}
     * @param maxPayload bytes of one command's payload; must fit beside the reserve
     */
    public LoopSettings(
            int maxCommands,
            int maxBytes,
            int reservedCommands,
            int reservedBytes,
            int maxPayload) {
        this.maxCommands = maxCommands;
        this.maxBytes = maxBytes;
        this.reservedCommands = reservedCommands;
        this.reservedBytes = reservedBytes;
        this.maxPayload = maxPayload;
    }

    /** The initial production defaults of STIP-31. */
    public static LoopSettings defaults() {
        return new LoopSettings(1024, 4 << 20, 64, 256 << 10, 512 << 10);
    }
}
