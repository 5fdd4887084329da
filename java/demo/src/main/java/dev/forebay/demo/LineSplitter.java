// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Cuts a stream at line feeds, with one line in memory at a time. */
final class LineSplitter {
    private static final int CHUNK = 64 * 1024;

    /** Takes a line. */
    interface Taker {
        /**
         * @param bytes hold the line, and are used again for the next one
         * @param length of the line without its line feed
         * @param offset of the line in the stream
         * @param ended whether a line feed ends it; the last line may have none
         */
        void line(byte[] bytes, int length, long offset, boolean ended) throws IOException;
    }

    private final int maxLength;
    private final Taker taker;
    private final byte[] chunk = new byte[CHUNK];
    private byte[] line = new byte[CHUNK];
    private int length;
    private long offset;

    /**
     * @param maxLength bytes of the longest line that is taken, without its line feed
     */
    LineSplitter(int maxLength, Taker taker) {
        this.maxLength = maxLength;
        this.taker = taker;
    }

    /**
     * Hands out all lines of {@code in}.
     *
     * @throws IOException also if a line is longer than the longest that is taken
     */
    void split(InputStream in) throws IOException {
        offset = 0;
        length = 0;
        for (int got = in.read(chunk); got >= 0; got = in.read(chunk)) {
            splitChunk(got);
        }
        if (length > 0) {
            taker.line(line, length, offset, false);
        }
    }

    private void splitChunk(int got) throws IOException {
        int start = 0;
        for (int i = 0; i < got; i++) {
            if (chunk[i] == '\n') {
                append(start, i);
                taker.line(line, length, offset, true);
                offset += length + 1;
                length = 0;
                start = i + 1;
            }
        }
        append(start, got);
    }

    private void append(int from, int to) throws IOException {
        int needed = length + to - from;
        if (needed > maxLength) {
            throw new IOException(
                    "the line at byte " + offset + " has more than " + maxLength + " bytes");
        }
        if (needed > line.length) {
            line =
                    Arrays.copyOf(
                            line, (int) Math.max(needed, Math.min(2L * line.length, maxLength)));
        }
        System.arraycopy(chunk, from, line, length, to - from);
        length = needed;
    }
}
