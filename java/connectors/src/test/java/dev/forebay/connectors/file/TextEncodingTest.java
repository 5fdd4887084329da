// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.connectors.ConnectorException;

import org.junit.jupiter.api.Test;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

class TextEncodingTest {

    @Test
    void commonEncodingsAreTaken() {
        for (String name :
                new String[] {
                    "UTF-8", "utf8", "US-ASCII", "ISO-8859-1", "ISO-8859-15", "windows-1252", "GBK",
                            "GB18030", "Big5",
                    "Shift_JIS", "EUC-JP", "EUC-KR", "KOI8-R", "UTF-16", "UTF-16LE", "UTF-16BE",
                            "UTF-32", "UTF-32LE",
                    "x-UTF-16LE-BOM", "IBM037", "IBM1047", "ISO-2022-JP"
                }) {
            assertThat(TextEncoding.named(name)).as(name).isNotNull();
        }
    }

    @Test
    void everyCharsetOfThisJvmIsEitherTakenOrRefusedClearly() {
        List<String> refused = new ArrayList<>();
        for (Charset charset : Charset.availableCharsets().values()) {
            try {
                TextEncoding.named(charset.name());
            } catch (ConnectorException e) {
                assertThat(e).hasMessageContaining(charset.name()).hasMessageContaining("UTF-8");
                refused.add(charset.name());
            }
        }
        // Those that can only be decoded, or have no line feed.
        assertThat(refused)
                .hasSizeLessThan(20)
                .doesNotContain("UTF-8", "GBK")
                .contains("x-JISAutoDetect");
    }

    @Test
    void anUnknownNameIsRefusedWithExamples() {
        for (String name : new String[] {"utf-9", "", " ", "?", "latin one"}) {
            assertThatThrownBy(() -> TextEncoding.named(name))
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("'encoding' cannot be '" + name + "'")
                    .hasMessageContaining("UTF-16LE")
                    .hasMessageContaining("GBK");
        }
    }

    @Test
    void byteOrderMarks() {
        check("UTF-8", new int[] {0xef, 0xbb, 0xbf, 'a'}, "UTF-8", 3);
        check("UTF-8", new int[] {0xef, 0xbb}, "UTF-8", 0);
        check("UTF-8", new int[] {}, "UTF-8", 0);
        check("UTF-16LE", new int[] {0xff, 0xfe, 'a', 0}, "UTF-16LE", 2);
        check("UTF-16LE", new int[] {0xfe, 0xff, 0, 'a'}, "UTF-16LE", 0);
        check("UTF-16BE", new int[] {0xfe, 0xff, 0, 'a'}, "UTF-16BE", 2);
        check("UTF-16", new int[] {0xfe, 0xff, 0, 'a'}, "UTF-16BE", 2);
        check("UTF-16", new int[] {0xff, 0xfe, 'a', 0}, "UTF-16LE", 2);
        check("UTF-16", new int[] {0, 'a'}, "UTF-16BE", 0);
        check("UTF-32", new int[] {0xff, 0xfe, 0, 0}, "UTF-32LE", 4);
        check("UTF-32", new int[] {0, 0, 0xfe, 0xff}, "UTF-32BE", 4);
        check("ISO-8859-1", new int[] {0xef, 0xbb, 0xbf, 'a'}, "ISO-8859-1", 0);
        check("GB18030", new int[] {0x84, 0x31, 0x95, 0x33}, "GB18030", 4);
    }

    private static void check(String name, int[] head, String resolvedName, int markLength) {
        byte[] bytes = new byte[TextEncoding.HEAD_BYTES];
        for (int i = 0; i < head.length; i++) {
            bytes[i] = (byte) head[i];
        }
        TextEncoding resolved = TextEncoding.named(name).forFile(bytes, head.length);
        assertThat(resolved.charset().name()).isEqualTo(resolvedName);
        assertThat(resolved.markLength(bytes, head.length)).isEqualTo(markLength);
    }
}
