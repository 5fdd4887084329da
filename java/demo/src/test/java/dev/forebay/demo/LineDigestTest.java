// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

class LineDigestTest {

    @Test
    void aLineIsTheTextThatTheConnectorMakesOfIt() {
        LineDigest digest = new LineDigest();
        byte[] alphabet = "a\u00ef\u4e2d\ud83d\ude00\u0080".getBytes(StandardCharsets.UTF_8);
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[seed % 10 == 0 ? 20_000 + seed : 1 + seed % 12];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] =
                        random.nextInt(20) == 0
                                ? (byte) random.nextInt()
                                : alphabet[(i + random.nextInt(2)) % alphabet.length];
            }
            byte[] text =
                    new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            assertThat(digest.of(bytes, 0, bytes.length, seed))
                    .as("seed %s", seed)
                    .isEqualTo(digest.of(text, 0, text.length, seed));
        }
        assertThat(digest.of(new byte[] {'a'}, 0, 1, 0))
                .isNotEqualTo(digest.of(new byte[] {'a'}, 0, 1, 1))
                .isNotEqualTo(digest.of(new byte[] {'b'}, 0, 1, 0));
    }

    @Test
    void linesOfAllLengthsAroundAChunk() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int length : new int[] {0, 65_535, 65_536, 65_537, 1, 131_072, 200_000, 0, 3}) {
            char[] line = new char[length];
            Arrays.fill(line, 'x');
            text.append(line).append('\n');
        }
        text.append("last");
        List<String> lines = new ArrayList<>();
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        new LineSplitter(
                        200_000,
                        (line, length, offset, ended) -> {
                            assertThat(ended).isEqualTo(offset + length < bytes.length);
                            lines.add(new String(line, 0, length, StandardCharsets.UTF_8));
                            assertThat(text.substring((int) offset, (int) offset + length))
                                    .isEqualTo(lines.get(lines.size() - 1));
                        })
                .split(new ByteArrayInputStream(bytes));
        assertThat(String.join("\n", lines)).isEqualTo(text.toString());
    }
}
