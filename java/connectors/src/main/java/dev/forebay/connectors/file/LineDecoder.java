// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import org.apache.seatunnel.api.common.metrics.Counter;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/**
 * Turns the bytes of a line into text. Bytes that mean nothing in the charset become U+FFFD, and
 * the line is counted; U+FFFD that stands in the file is text like any other. Used in the reader's
 * turns only.
 *
 * <p>Known limit: Java's UTF-32 decoders drop a U+FEFF that a line starts with, not only the one of
 * a file.
 */
final class LineDecoder {
    private static final char REPLACEMENT = '\ufffd';

    private final Charset charset;
    private final CharsetDecoder strict;
    private final Counter malformedLines;

    LineDecoder(Charset charset, Counter malformedLines) {
        this.charset = charset;
        this.strict = charset.newDecoder(); // reports what is malformed or unmappable
        this.malformedLines = malformedLines;
    }

    String decode(byte[] bytes, int from, int length) {
        String text = new String(bytes, from, length, charset);
        countIfMalformed(text, bytes, from, length, true);
        return text;
    }

    /**
     * As {@link #decode} for the head of a longer line: a character that is cut in two at its end
     * is left out.
     */
    String decodeCut(byte[] bytes, int from, int length) {
        CharsetDecoder lenient =
                charset.newDecoder()
                        .onMalformedInput(CodingErrorAction.REPLACE)
                        .onUnmappableCharacter(CodingErrorAction.REPLACE);
        CharBuffer out = charsFor(length);
        lenient.decode(ByteBuffer.wrap(bytes, from, length), out, false);
        out.flip();
        String text = out.toString();
        countIfMalformed(text, bytes, from, length, false);
        return text;
    }

    private void countIfMalformed(String text, byte[] bytes, int from, int length, boolean whole) {
        // Decoding twice to be sure is paid for by lines with a replacement character only.
        if (text.indexOf(REPLACEMENT) >= 0
                && strict.reset()
                        .decode(ByteBuffer.wrap(bytes, from, length), charsFor(length), whole)
                        .isError()) {
            malformedLines.inc();
        }
    }

    private CharBuffer charsFor(int bytes) {
        return CharBuffer.allocate((int) Math.ceil(bytes * (double) strict.maxCharsPerByte()));
    }
}
