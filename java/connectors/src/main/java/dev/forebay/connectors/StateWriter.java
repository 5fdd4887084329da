// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes checkpointed state: big-endian numbers, and text as a 32-bit length in bytes followed by
 * UTF-8.
 */
public final class StateWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    /** One byte, 0 or 1. */
    public void writeBoolean(boolean value) throws IOException {
        out.writeBoolean(value);
    }

    /** Four bytes. */
    public void writeInt(int value) throws IOException {
        out.writeInt(value);
    }

    /** Eight bytes. */
    public void writeLong(long value) throws IOException {
        out.writeLong(value);
    }

    /** Four bytes of length, then so many bytes of UTF-8. */
    public void writeText(String value) throws IOException {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    /** What was written so far. */
    public byte[] toBytes() {
        return bytes.toByteArray();
    }
}
