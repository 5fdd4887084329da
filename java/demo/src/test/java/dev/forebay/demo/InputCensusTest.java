// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

class InputCensusTest {
    @TempDir Path root;

    private Path write(String name, String content) throws IOException {
        Path file = root.resolve("in").resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, content.getBytes(StandardCharsets.UTF_8));
    }

    /** What the sink would have written, as rows of text. */
    private void sink(String... rows) throws IOException {
        Path out = Files.createDirectories(root.resolve("out"));
        StringBuilder text = new StringBuilder();
        for (String row : rows) {
            text.append(row.replace('|', '\u0001')).append('\n');
        }
        Files.write(out.resolve("part"), text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private String difference() throws IOException {
        return InputCensus.of(root.resolve("in"))
                .difference(new OutputCensus(root.resolve("out")).update());
    }

    @Test
    void theRulesAreThoseOfTheConnector() throws IOException {
        write("a", "\ufeffone\r\ntwo\n\nl\rast\r");
        write("sub/b", "\n");
        write("empty", "");
        write("mark only", "\ufeff");
        write(".hidden/x", "no\n");
        write("sub/.swp", "no\n");
        Files.createSymbolicLink(root.resolve("in/link"), Paths.get("sub/b"));
        Files.createSymbolicLink(root.resolve("in/loop"), root.resolve("in"));
        sink("one|a|3", "two|a|8", "|a|12", "l\rast\r|a|13", "|sub/b|0", "|link|0");
        assertThat(difference()).isNull();
        Census in = InputCensus.of(root.resolve("in"));
        assertThat(in.files()).isEqualTo(5);
        assertThat(in.linesOfFiles()).containsExactly(4, 0, 1, 0, 1);
    }

    @Test
    void whatDiffersIsNamed() throws IOException {
        write("a", "one\ntwo\n");
        sink("one|a|0");
        assertThat(difference()).isEqualTo("a: 2 lines in, 1 lines out");
        sink("one|a|0", "twi|a|4");
        assertThat(difference()).isEqualTo("a: 2 lines in and out, but not the same ones");
        sink("one|a|0", "two|a|5");
        assertThat(difference()).as("another offset").contains("not the same ones");
        sink("one|a|0", "two|a|4", "|b|0");
        assertThat(difference()).isEqualTo("b: 0 lines in, 1 lines out");
    }

    @Test
    void aLineMayHoldTheDelimiterOfTheColumns() throws IOException {
        write("a", "x\u0001y\u00019\n\u0001\n");
        sink("x|y|9|a|0", "||a|6");
        assertThat(difference()).isNull();
    }

    @Test
    void namesThatTheSinkCannotSeparateAreRefused() throws IOException {
        for (String name : new String[] {"a\nb", "a\u0001b"}) {
            Path file = write("sub" + name + "/x", "line\n");
            assertThatThrownBy(() -> InputCensus.of(root.resolve("in")))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining(name.equals("a\nb") ? "suba\\u000ab/x" : "suba\\u0001b/x")
                    .hasMessageContaining("rename");
            Files.delete(file);
            Files.delete(file.getParent());
        }
    }

    @Test
    void aLinkThatLeadsNowhereIsRefusedAsTheConnectorDoes() throws IOException {
        write("a", "line\n");
        Files.createSymbolicLink(root.resolve("in/.gone"), Paths.get("nowhere"));
        assertThat(InputCensus.of(root.resolve("in")).lines()).as("hidden").isEqualTo(1);
        Files.createSymbolicLink(root.resolve("in/gone"), Paths.get("nowhere"));
        assertThatThrownBy(() -> InputCensus.of(root.resolve("in")))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("the link 'gone' leads nowhere");
    }

    @Test
    void namesGoByTheirBytes() throws Exception {
        write("in", "");
        String script = "printf 'x\\n' > \"$1/in/$(printf '\\303\\257')\"";
        int made = new ProcessBuilder("sh", "-c", script, "sh", root.toString()).start().waitFor();
        assumeTrue(made == 0);
        sink("x|\u00ef|0");
        assertThat(difference()).as("in any locale").isNull();
    }

    /** In a JVM of its own, whose heap is a third of the file. */
    @Test
    void aFileIsNotHeldInMemory() throws Exception {
        Path file = write("large", "");
        int lines = 40;
        int length = 5 << 20;
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            for (int i = 1; i <= lines; i++) {
                large.seek((long) i * length - 1);
                large.write('\n');
            }
        }
        Process demo =
                new ProcessBuilder(
                                Paths.get(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx64m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Demo.class.getName(),
                                root.resolve("work").toString(),
                                ".",
                                root.resolve("in").toString())
                        .redirectErrorStream(true)
                        .start();
        demo.getOutputStream().close();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        for (int b = demo.getInputStream().read(); b >= 0; b = demo.getInputStream().read()) {
            said.write(b);
        }
        assertThat(said.toString("UTF-8"))
                .startsWith("demo failed: INPUT ")
                .contains("has 1 files (hidden ones do not count) with 40 lines");
        assertThat(demo.waitFor()).isEqualTo(1);
    }

    @Test
    void aLineThatTheConnectorWouldRefuseIsRefused() throws IOException {
        Path file = write("zeros", "");
        for (int length : new int[] {(64 << 20) + 1, (64 << 20) + 9}) {
            try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
                large.setLength(length);
            }
            assertThatThrownBy(() -> InputCensus.of(root.resolve("in")))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("'zeros' cannot be read")
                    .hasMessageContaining("the line at byte 0 has more than 671088");
        }
    }
}
