// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Serialized splits as one payload: u32 count, then for each u32 length and the bytes;
 * little-endian. Any thread.
 */
public final class SplitList {
    private static final int LENGTH_BYTES = 4;

    private SplitList() {}

    public static byte[] encode(List<byte[]> splits) {
        long size = LENGTH_BYTES;
        for (byte[] split : splits) {
            size += LENGTH_BYTES + split.length;
        }
        if (size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    splits.size() + " splits of " + size + " bytes do not fit one list");
        }
        ByteBuffer out = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(splits.size());
        for (byte[] split : splits) {
            out.putInt(split.length).put(split);
        }
        return out.array();
    }

    /**
     * @throws IllegalArgumentException if the bytes are no list of splits
     */
    public static List<byte[]> decode(byte[] list) {
        ByteBuffer in = ByteBuffer.wrap(list).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> splits = new ArrayList<>();
        try {
            for (int left = in.getInt(); left != 0; left--) {
                int length = in.getInt();
                if (length < 0 || length > in.remaining()) {
                    throw new IllegalArgumentException(
                            "a split of " + length + " bytes, " + in.remaining() + " left");
                }
                byte[] split = new byte[length];
                in.get(split);
                splits.add(split);
            }
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the list of splits is truncated", e);
        }
        if (in.hasRemaining()) {
            throw new IllegalArgumentException(in.remaining() + " bytes after the list of splits");
        }
        return splits;
    }
}
