// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.seatunnel.api.common.metrics.Counter;
import org.apache.seatunnel.api.common.metrics.ThreadSafeCounter;
import org.junit.jupiter.api.Test;

import java.nio.charset.Charset;
import java.util.Random;

class LineDecoderTest {
    private final Counter malformed = new ThreadSafeCounter("malformed");

    private String decode(String charset, int... bytes) {
        return new LineDecoder(Charset.forName(charset), malformed)
                .decode(bytes(bytes), 0, bytes.length);
    }

    private String cut(String charset, int... bytes) {
        return new LineDecoder(Charset.forName(charset), malformed)
                .decodeCut(bytes(bytes), 0, bytes.length);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    void malformedBytesBecomeReplacementsAndTheLineIsCountedOnce() {
        assertThat(decode("UTF-8", 'a', 0xff, 'b', 0xfe)).isEqualTo("a\ufffdb\ufffd");
        assertThat(malformed.getCount()).isEqualTo(1);
        assertThat(decode("UTF-8", 'a', 0xc3)).isEqualTo("a\ufffd");
        assertThat(decode("UTF-16LE", 0, 0xd8, 'a', 0)).startsWith("\ufffd");
        assertThat(decode("US-ASCII", 0xe9)).isEqualTo("\ufffd");
        assertThat(malformed.getCount()).isEqualTo(4);
    }

    @Test
    void aReplacementCharacterInTheFileIsNoError() {
        assertThat(decode("UTF-8", 'a', 0xef, 0xbf, 0xbd)).isEqualTo("a\ufffd");
        assertThat(decode("UTF-16BE", 0xff, 0xfd)).isEqualTo("\ufffd");
        assertThat(malformed.getCount()).isZero();
        assertThat(decode("UTF-8", 0xef, 0xbf, 0xbd, 0xff)).isEqualTo("\ufffd\ufffd");
        assertThat(malformed.getCount()).isEqualTo(1);
    }

    @Test
    void aCutLeavesOutHalfACharacter() {
        assertThat(cut("UTF-8", 'a', 0xc3)).isEqualTo("a");
        assertThat(cut("UTF-8", 0xf0, 0x9f, 0x98)).isEmpty();
        assertThat(cut("UTF-16LE", 'a', 0, 0x3d, 0xd8)).isEqualTo("a");
        assertThat(cut("UTF-16LE", 'a', 0, 'b')).isEqualTo("a");
        assertThat(cut("GBK", 'a', 0xd6)).isEqualTo("a");
        assertThat(malformed.getCount()).isZero();
        assertThat(cut("UTF-8", 'a', 0xff, 0xc3)).isEqualTo("a\ufffd");
        assertThat(malformed.getCount()).isEqualTo(1);
    }

    @Test
    void randomBytesAreCountedExactlyWhenAStrictDecoderRefusesThem() {
        Random random = new Random(3);
        for (String name : new String[] {"UTF-8", "GBK", "UTF-16BE", "Shift_JIS", "EUC-KR"}) {
            Charset charset = Charset.forName(name);
            LineDecoder decoder = new LineDecoder(charset, malformed);
            for (int round = 0; round < 500; round++) {
                byte[] line = new byte[random.nextInt(12)];
                random.nextBytes(line);
                malformed.set(0);
                String text = decoder.decode(line, 0, line.length);
                assertThat(text).isEqualTo(new String(line, charset));
                assertThat(malformed.getCount() == 1).isEqualTo(isMalformed(charset, line));
            }
        }
    }

    private static boolean isMalformed(Charset charset, byte[] line) {
        try {
            charset.newDecoder().decode(java.nio.ByteBuffer.wrap(line));
            return false;
        } catch (java.nio.charset.CharacterCodingException e) {
            return true;
        }
    }
}
