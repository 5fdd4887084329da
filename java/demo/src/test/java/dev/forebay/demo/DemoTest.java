// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.seatunnel.shade.com.typesafe.config.Config;
import org.apache.seatunnel.shade.com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Random;

class DemoTest {
    @TempDir Path root;

    @Test
    void whateverEndsItThereIsALine() {
        assertThat(Demo.lastLine(() -> "demo ok: all")).isEqualTo("demo ok: all");
        assertThat(
                        Demo.lastLine(
                                () -> {
                                    throw new OutOfMemoryError("Java heap space");
                                }))
                .isEqualTo(
                        "demo failed: java.lang.OutOfMemoryError: Java heap space; see engine.log");
        assertThat(
                        Demo.lastLine(
                                () -> {
                                    throw new IOException("two\nlines");
                                }))
                .isEqualTo("demo failed: java.io.IOException: two\\u000alines; see engine.log");
        assertThat(
                        Demo.lastLine(
                                () -> {
                                    throw new Refusal("no such folder");
                                }))
                .isEqualTo("demo failed: no such folder");
    }

    @Test
    void anInputAroundTheWorkFolderIsRefused() throws IOException {
        Path work = Files.createDirectories(root.resolve("target/demo/run-1"));
        Path beside = Files.createDirectories(root.resolve("data"));
        assertThat(InputFolder.named(beside.toString(), work)).isEqualTo(beside.toRealPath());
        Path link = Files.createSymbolicLink(root.resolve("data/link"), root);
        for (Path around :
                new Path[] {root, root.resolve("target"), work.getParent(), work, link}) {
            assertThatThrownBy(() -> InputFolder.named(around.toString(), work))
                    .as(around.toString())
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("contains the folder that the demo itself writes into");
        }
        assertThatThrownBy(() -> InputFolder.named(root.resolve("gone").toString(), work))
                .isInstanceOf(Refusal.class)
                .hasMessage("INPUT is not a directory: " + root.resolve("gone"));
        assertThatThrownBy(() -> InputFolder.named("caf\ufffd", work))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("set LC_ALL=C.UTF-8");
    }

    @Test
    void tooFewLinesAreRefused() throws IOException {
        assertThatThrownBy(() -> InputFolder.checkEnough(root, InputCensus.of(root)))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("has 0 files")
                .hasMessageContaining("50 lines are needed");
        write(49);
        assertThatThrownBy(() -> InputFolder.checkEnough(root, InputCensus.of(root)))
                .hasMessageContaining("has 1 files (hidden ones do not count) with 49 lines");
        write(50);
        InputFolder.checkEnough(root, InputCensus.of(root));
    }

    private void write(int lines) throws IOException {
        String text = String.join("", Collections.nCopies(lines, "line\n"));
        Files.write(root.resolve("f"), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void everyInputTakesTwentyToSixtySeconds() {
        for (long lines = InputFolder.MIN_LINES; lines < 5000; lines++) {
            assertTakes(new long[] {lines});
            assertTakes(new long[] {lines / 2, lines - lines / 2});
        }
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            long[] files = new long[1 + random.nextInt(60)];
            long lines = 0;
            for (int i = 0; i < files.length; i++) {
                files[i] = random.nextInt(1 + (1 << random.nextInt(16)));
                lines += files[i];
            }
            if (lines >= InputFolder.MIN_LINES) {
                assertTakes(files);
            }
        }
        assertThat(DemoJob.rate(new long[] {Long.MAX_VALUE / 2})).as("unlimited").isZero();
    }

    private static void assertTakes(long[] files) {
        double seconds = (double) DemoJob.linesOfBusiestReader(files) / DemoJob.rate(files);
        assertThat(seconds).isBetween(20.0, 60.0);
    }

    @Test
    void theJobIsToldOfOddPathsAndDoesNotTryAgain() throws IOException {
        write(50);
        Path odd = root.resolve("a \"b\"\\c\n${x}");
        String definition = DemoJob.definition(odd, root.resolve("work"), InputCensus.of(root));
        Config source = ConfigFactory.parseString(definition).getConfigList("source").get(0);
        assertThat(source.getString("path")).isEqualTo(odd.toString());
        assertThat(source.getLong("rows_per_second")).isEqualTo(2);
        assertThat(definition).contains("job.retry.times = 0\n");
    }

    @Test
    void theBusiestReader() {
        assertThat(DemoJob.linesOfBusiestReader(new long[] {10})).isEqualTo(10);
        assertThat(DemoJob.linesOfBusiestReader(new long[] {10, 4, 5})).isEqualTo(10);
        assertThat(DemoJob.linesOfBusiestReader(new long[] {1, 1, 10})).isEqualTo(11);
    }

    @Test
    void whyAJobFailedIsOneLine() {
        assertThat(
                        Reason.of(
                                "java.lang.RuntimeException: outer\n\tat a.B.c(B.java:1)\n"
                                        + "Caused by: java.io.IOException: middle\n\t... 3 more\n"
                                        + "Caused by: java.io.EOFException: inner\n\t... 5 more\n"))
                .isEqualTo("java.io.EOFException: inner");
        assertThat(
                        Reason.of(
                                "java.lang.RuntimeException: outer\n"
                                        + "Caused by: X: ErrorCode:[FOREBAY-C02] - cannot list\n"
                                        + "Caused by: java.nio.file.NoSuchFileException: /x\n"))
                .isEqualTo("X: ErrorCode:[FOREBAY-C02] - cannot list");
        assertThat(Reason.of("only this")).isEqualTo("only this");
        assertThat(Reason.of(null)).isEqualTo("the engine gives no reason");
        assertThat(Reason.of("")).isEqualTo("the engine gives no reason");
    }
}
