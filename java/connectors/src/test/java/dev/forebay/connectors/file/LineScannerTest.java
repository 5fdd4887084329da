// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

class LineScannerTest {
    private static final int NO_LIMIT = 1 << 20;

    /** A line as the scanner hands it out. */
    private static final class Line {
        private final String text;
        private final long offset;
        private final long next;
        private final boolean overlong;

        Line(String text, long offset, long next, boolean overlong) {
            this.text = text;
            this.offset = offset;
            this.next = next;
            this.overlong = overlong;
        }
    }

    private static LineScanner scanner(
            byte[] file, TextEncoding encoding, long from, int maxBytes, int chunk) {
        int start = (int) from;
        ByteArrayInputStream in = new ByteArrayInputStream(file, start, file.length - start);
        return new LineScanner(
                Channels.newChannel(in), encoding, from, file.length, maxBytes, chunk);
    }

    private static List<Line> lines(
            byte[] file, TextEncoding encoding, long from, int maxBytes, int chunk)
            throws IOException {
        List<Line> lines = new ArrayList<>();
        try (LineScanner scanner = scanner(file, encoding, from, maxBytes, chunk)) {
            while (!scanner.isFinished()) {
                if (scanner.advance()) {
                    String text =
                            new String(
                                    scanner.buffer(),
                                    scanner.lineStart(),
                                    scanner.lineLength(),
                                    encoding.charset());
                    lines.add(
                            new Line(
                                    text,
                                    scanner.lineOffset(),
                                    scanner.nextOffset(),
                                    scanner.isOverlong()));
                }
            }
        }
        return lines;
    }

    private static List<String> texts(List<Line> lines) {
        List<String> texts = new ArrayList<>();
        lines.forEach(line -> texts.add(line.text));
        return texts;
    }

    private static List<String> texts(String file, int chunk) throws IOException {
        TextEncoding latin = TextEncoding.named("ISO-8859-1");
        return texts(lines(file.getBytes(latin.charset()), latin, 0, NO_LIMIT, chunk));
    }

    /** What the lines of a text are, in the plainest way. */
    private static List<String> naive(String text) {
        List<String> lines = new ArrayList<>();
        int start = 0;
        for (int feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', start)) {
            boolean withReturn = feed > start && text.charAt(feed - 1) == '\r';
            lines.add(text.substring(start, withReturn ? feed - 1 : feed));
            start = feed + 1;
        }
        if (start < text.length()) {
            lines.add(text.substring(start));
        }
        return lines;
    }

    private static String randomText(Random random, String alphabet) {
        StringBuilder text = new StringBuilder();
        int[] characters = alphabet.codePoints().toArray();
        for (int length = random.nextInt(60); length > 0; length--) {
            int kind = random.nextInt(5);
            text.appendCodePoint(
                    kind == 0
                            ? '\n'
                            : kind == 1 ? '\r' : characters[random.nextInt(characters.length)]);
        }
        return text.toString();
    }

    @Test
    void randomTextsInAllEncodingsAndChunks() throws IOException {
        String[][] cases = {
            {"UTF-8", "ab\u0000\u00e9\u0a0a\ud83d\ude00"},
            {"ISO-8859-1", "ab\u0000\u00e9\u00ff"},
            {"UTF-16LE", "ab\u0a0a\u0a00\u000b\u010a\ud83d\ude00"},
            {"UTF-16BE", "ab\u0a0a\u0a00\u000b\u010a\ud83d\ude00"},
            {"UTF-32LE", "ab\u0a0a\ud83d\ude00"},
            {"GBK", "ab\u4e2d\u6587\u4e02"},
            {"Shift_JIS", "ab\u3042\u8868"},
            {"IBM1047", "ab\u00e9"},
        };
        Random random = new Random(20260101);
        for (String[] encodingAndAlphabet : cases) {
            TextEncoding encoding = TextEncoding.named(encodingAndAlphabet[0]);
            for (int round = 0; round < 60; round++) {
                String text = randomText(random, encodingAndAlphabet[1]);
                checkAgainstNaive(text, encoding);
            }
        }
    }

    private static void checkAgainstNaive(String text, TextEncoding encoding) throws IOException {
        byte[] file = text.getBytes(encoding.charset());
        List<String> expected = naive(text);
        for (int chunk = 1; chunk <= Math.max(file.length, 1); chunk++) {
            List<Line> lines = lines(file, encoding, 0, NO_LIMIT, chunk);
            assertThat(texts(lines)).as("chunk %s of %s", chunk, text).isEqualTo(expected);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i).offset).isEqualTo(i == 0 ? 0 : lines.get(i - 1).next);
                List<Line> rest = lines(file, encoding, lines.get(i).next, NO_LIMIT, chunk);
                assertThat(texts(rest)).isEqualTo(expected.subList(i + 1, expected.size()));
            }
        }
    }

    @Test
    void lineEnds() throws IOException {
        for (int chunk = 1; chunk < 12; chunk++) {
            assertThat(texts("", chunk)).isEmpty();
            assertThat(texts("x", chunk)).containsExactly("x");
            assertThat(texts("\n", chunk)).containsExactly("");
            assertThat(texts("\r\n", chunk)).containsExactly("");
            assertThat(texts("\r", chunk)).containsExactly("\r");
            assertThat(texts("a\rb\r\r\nc\r", chunk)).containsExactly("a\rb\r", "c\r");
            assertThat(texts("\n\na\n\n", chunk)).containsExactly("", "", "a", "");
            assertThat(texts("a\0b\n\0\n", chunk)).containsExactly("a\0b", "\0");
        }
    }

    @Test
    void theLengthLimitCountsTheLineWithoutItsEnd() throws IOException {
        String[] fitting = {"12345", "12345\n", "12345\r\n", "\r2345\n", "1234\r"};
        String[] overlong = {
            "123456", "123456\n", "123456\r\n", "12345\r", "12345\r\r\n", "12345\rx\r\n"
        };
        for (String encodingName : new String[] {"UTF-8", "UTF-16LE", "UTF-32BE"}) {
            TextEncoding encoding = TextEncoding.named(encodingName);
            int limit = 5 * encoding.unit();
            for (int chunk = 1; chunk < 20; chunk++) {
                for (String line : fitting) {
                    assertThat(
                                    lines(
                                                    line.getBytes(encoding.charset()),
                                                    encoding,
                                                    0,
                                                    limit,
                                                    chunk)
                                            .get(0)
                                            .overlong)
                            .as(line)
                            .isFalse();
                }
                for (String line : overlong) {
                    Line cut =
                            lines(line.getBytes(encoding.charset()), encoding, 0, limit, chunk)
                                    .get(0);
                    assertThat(cut.overlong).as(line).isTrue();
                    assertThat(cut.text).isEqualTo(line.substring(0, 5));
                }
            }
        }
    }

    @Test
    void randomTextsWithOverlongLines() throws IOException {
        Random random = new Random(7);
        for (String encodingName : new String[] {"ISO-8859-1", "UTF-16BE", "UTF-32LE"}) {
            TextEncoding encoding = TextEncoding.named(encodingName);
            for (int round = 0; round < 200; round++) {
                String text = randomText(random, "abcdefgh");
                byte[] file = text.getBytes(encoding.charset());
                List<String> expected = naive(text);
                int limit = 1 + random.nextInt(6);
                expected.replaceAll(line -> line.substring(0, Math.min(line.length(), limit)));
                for (int chunk = 1; chunk <= Math.max(file.length, 1); chunk++) {
                    assertThat(texts(lines(file, encoding, 0, limit * encoding.unit(), chunk)))
                            .as("chunk %s, limit %s of %s", chunk, limit, text)
                            .isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void aHugeLineNeedsNoMoreMemoryThanAllowed() throws IOException {
        byte[] file = new byte[50_000_000];
        Arrays.fill(file, (byte) 'x');
        file[file.length - 3] = '\n';
        LineScanner scanner = scanner(file, TextEncoding.named("UTF-8"), 0, 100_000, 65_536);
        int searches = 0;
        while (!scanner.advance()) {
            searches++;
            assertThat(scanner.nextOffset()).as("where a restart begins").isZero();
        }
        assertThat(searches).as("one chunk a call").isEqualTo((file.length - 3) / 65_536);
        assertThat(scanner.isOverlong()).isTrue();
        assertThat(scanner.lineLength()).isEqualTo(100_000);
        assertThat(scanner.buffer().length).isLessThanOrEqualTo(100_000 + 2 * 65_536);
        assertThat(scanner.nextOffset()).isEqualTo(file.length - 2);
        assertThat(scanner.advance()).isTrue();
        assertThat(scanner.lineLength()).isEqualTo(2);
        assertThat(scanner.isFinished()).isTrue();
    }

    @Test
    void inputThatEndsTooEarlyIsAnError() throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream("ab\ncd".getBytes("UTF-8"));
        LineScanner scanner =
                new LineScanner(
                        Channels.newChannel(in), TextEncoding.named("UTF-8"), 0, 10, NO_LIMIT, 64);
        assertThat(scanner.advance()).isTrue();
        assertThatThrownBy(
                        () -> {
                            while (!scanner.advance()) {
                                assertThat(scanner.isFinished()).isFalse();
                            }
                        })
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("5")
                .hasMessageContaining("10");
    }

    @Test
    void aHalfCharacterAtTheEndIsPartOfTheLastLine() throws IOException {
        TextEncoding encoding = TextEncoding.named("UTF-16LE");
        byte[] file = Arrays.copyOf("a\nb".getBytes(Charset.forName("UTF-16LE")), 7);
        for (int chunk = 1; chunk < 9; chunk++) {
            assertThat(texts(lines(file, encoding, 0, NO_LIMIT, chunk)))
                    .containsExactly("a", "b\ufffd");
        }
    }
}
