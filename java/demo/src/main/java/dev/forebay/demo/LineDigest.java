// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Digests a line as the text that it is: bytes that are no UTF-8 count as U+FFFD, as the connector
 * reads them. A piece at a time, because a line may be so long that its text besides its bytes
 * would be too much.
 */
final class LineDigest {
    private static final int PIECE = 8192;

    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final CharBuffer text = CharBuffer.allocate(PIECE);
    private final MessageDigest sha256;

    LineDigest() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** 64 bits of the SHA-256 of the line's text and the offset at which it stands. */
    long of(byte[] bytes, int from, int length, long offset) {
        ByteBuffer in = ByteBuffer.wrap(bytes, from, length);
        decoder.reset();
        while (decoder.decode(in, text, true).isOverflow()) {
            digestText();
        }
        while (decoder.flush(text).isOverflow()) {
            digestText();
        }
        digestText();
        sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(0, offset));
        return ByteBuffer.wrap(sha256.digest()).getLong();
    }

    private void digestText() {
        text.flip();
        // A decoder leaves no half of a pair of surrogates, so each piece is text by itself.
        sha256.update(text.toString().getBytes(StandardCharsets.UTF_8));
        text.clear();
    }
}
