// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/**
 * Cuts a stretch of bytes into lines, reading at most one chunk for each call of {@link
 * #advance()}. Line ends are LF and CR LF; a CR elsewhere is data, and so is one at the very end.
 * The last line needs no end.
 *
 * <p>Of a line longer than allowed the first bytes are kept and the rest is read and forgotten, so
 * memory stays below the allowed length and two chunks. The line in hand is {@code buffer[start,
 * start + lineLength)}.
 */
final class LineScanner implements Closeable {
    private final ReadableByteChannel in;
    private final TextEncoding encoding;
    private final long end;
    private final int maxLineBytes;
    private final int chunkBytes;

    private byte[] buffer;
    private int start;

    /** Bytes before this index were looked at; always whole units from the start of the line. */
    private int scanned;

    private int limit;

    /** Place in the file of {@code buffer[limit]}. */
    private long readOffset;

    private boolean lineReady = true;
    private boolean overlong;
    private int lineLength;
    private long lineOffset;
    private int next;
    private long nextOffset;

    /**
     * @param in stands at {@code from}; closed with the scanner
     * @param from place of the first line in the file, a multiple of the encoding's unit
     * @param end place in the file behind the last byte to read
     * @param chunkBytes bytes read at a time, at least 1
     */
    LineScanner(
            ReadableByteChannel in,
            TextEncoding encoding,
            long from,
            long end,
            int maxLineBytes,
            int chunkBytes) {
        this.in = in;
        this.encoding = encoding;
        this.end = end;
        this.maxLineBytes = maxLineBytes;
        this.chunkBytes = chunkBytes;
        this.readOffset = from;
        this.nextOffset = from;
        // Two chunks: what is left of a line at a chunk's end seldom makes it grow.
        this.buffer = new byte[(int) Math.min(2L * chunkBytes, end - from)];
    }

    /** Whether all lines were handed out. */
    boolean isFinished() {
        return lineReady && nextOffset == end;
    }

    /**
     * Looks for the next line. Not to be called when {@link #isFinished()}.
     *
     * @return whether a line is in hand; if not, call again
     * @throws EOFException if the input ends before {@code end}
     */
    boolean advance() throws IOException {
        if (lineReady) {
            lineReady = false;
            overlong = false;
            start = next;
            scanned = next;
            lineOffset = nextOffset;
        }
        if (search()) {
            return true;
        }
        if (readOffset < end) {
            fill();
            if (search()) {
                return true;
            }
        }
        if (readOffset == end) {
            take(limit, limit);
        }
        return lineReady;
    }

    /**
     * The bytes that {@link #lineStart()} and {@link #lineLength()} refer to; valid until the next
     * advance.
     */
    byte[] buffer() {
        return buffer;
    }

    int lineStart() {
        return start;
    }

    /** Bytes of the line without its end, at most as many as allowed. */
    int lineLength() {
        return lineLength;
    }

    /**
     * Whether the line is longer than allowed; known as soon as enough of it was seen, maybe before
     * it is in hand.
     */
    boolean isOverlong() {
        return overlong;
    }

    /** Place in the file of the line that is in hand or looked for. */
    long lineOffset() {
        return lineOffset;
    }

    /** Place in the file of the first line that was not handed out. */
    long nextOffset() {
        return nextOffset;
    }

    /** Place in the file behind the last byte that was read. */
    long readOffset() {
        return readOffset;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private boolean search() {
        int unit = encoding.unit();
        int feed = encoding.findLineFeed(buffer, scanned, limit);
        if (feed < 0) {
            scanned = limit - (limit - scanned) % unit;
            // One unit of grace: it may be the CR of a line that is just as long as allowed.
            overlong |= scanned - start > maxLineBytes + unit;
            return false;
        }
        boolean withReturn = encoding.endsWithReturn(buffer, start, feed);
        take(withReturn ? feed - unit : feed, feed + unit);
        return true;
    }

    private void take(int contentEnd, int nextStart) {
        overlong |= contentEnd - start > maxLineBytes;
        lineLength = overlong ? maxLineBytes : contentEnd - start;
        next = nextStart;
        nextOffset = readOffset - (limit - nextStart);
        lineReady = true;
    }

    private void fill() throws IOException {
        if (overlong) {
            forget(start + roundUp(maxLineBytes, encoding.unit()));
        }
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, limit - start);
            scanned -= start;
            limit -= start;
            start = 0;
        }
        int wanted = (int) Math.min(chunkBytes, end - readOffset);
        if (buffer.length - limit < wanted) {
            int grown = (int) Math.min(2L * buffer.length, maxLineBytes + 2L * chunkBytes);
            buffer = Arrays.copyOf(buffer, Math.max(grown, limit + wanted));
        }
        int got = in.read(ByteBuffer.wrap(buffer, limit, wanted));
        if (got < 0) {
            throw new EOFException("the file ends at byte " + readOffset + " instead of " + end);
        }
        limit += got;
        readOffset += got;
    }

    /**
     * Drops what was scanned behind {@code from}: bytes of an overlong line that will not be
     * emitted.
     */
    private void forget(int from) {
        System.arraycopy(buffer, scanned, buffer, from, limit - scanned);
        limit -= scanned - from;
        scanned = from;
    }

    private static int roundUp(int value, int unit) {
        return (value + unit - 1) / unit * unit;
    }
}
