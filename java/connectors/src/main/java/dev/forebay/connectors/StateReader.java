// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads what {@link StateWriter} wrote. Damaged bytes end in an {@link IOException}, never in
 * anything else, and no declared length is believed before it is compared with what is there.
 */
public final class StateReader {
    private final ByteBuffer in;

    private StateReader(byte[] bytes) {
        this.in = ByteBuffer.wrap(bytes);
    }

    /** Decodes one value from bytes that hold it and nothing else. */
    public interface Decoder<T> {
        T decode(StateReader in) throws IOException;
    }

    /**
     * Decodes {@code bytes}.
     *
     * @param what names the value in messages
     * @param newest the newest version that can be read; the oldest is 1
     * @throws IOException if the version is not among these, or the bytes are damaged
     */
    public static <T> T decode(
            String what, int version, int newest, byte[] bytes, Decoder<T> decoder)
            throws IOException {
        if (version < 1 || version > newest) {
            throw new IOException(
                    "cannot restore "
                            + what
                            + ": its state has version "
                            + version
                            + " and this release reads versions 1 to "
                            + newest
                            + "; restore with the release that wrote it, or a newer one");
        }
        StateReader in = new StateReader(bytes);
        try {
            T value = decoder.decode(in);
            if (in.remaining() != 0) {
                throw in.damaged(in.remaining() + " bytes follow its end");
            }
            return value;
        } catch (BufferUnderflowException e) {
            throw damaged(what, bytes, "it ends too early", e);
        } catch (IOException e) {
            throw damaged(what, bytes, e.getMessage(), e);
        }
    }

    /** Bytes that were not read yet. */
    public int remaining() {
        return in.remaining();
    }

    /** A failure that says what is wrong at the present place. */
    public IOException damaged(String problem) {
        return new IOException(problem + " (at byte " + in.position() + ")");
    }

    /** A byte that must be 0 or 1. */
    public boolean readBoolean() throws IOException {
        byte value = in.get();
        if (value != 0 && value != 1) {
            throw damaged("a boolean is " + value);
        }
        return value == 1;
    }

    /** A number of items, each of which has at least {@code minBytes} bytes. */
    public int readCount(int minBytes) throws IOException {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / minBytes) {
            throw damaged("a count is " + count + " where " + in.remaining() + " bytes are left");
        }
        return count;
    }

    /** A 64-bit number; the caller checks its range. */
    public long readLong() {
        return in.getLong();
    }

    /** A text whose declared length fits into what is left, and that is UTF-8. */
    public String readText() throws IOException {
        int length = readCount(1);
        ByteBuffer utf8 = in.slice();
        utf8.limit(length);
        in.position(in.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw damaged("a text is not UTF-8");
        }
    }

    private static IOException damaged(String what, byte[] bytes, String problem, Exception cause) {
        return new IOException(
                "cannot restore "
                        + what
                        + " from "
                        + bytes.length
                        + " bytes of state: "
                        + problem
                        + "; restore from another checkpoint",
                cause);
    }
}
