// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** What README shows compiles: it is the file in this folder, from its class line on. */
class ReadmeTest {
    private static final Path EXAMPLE =
            Paths.get("src/test/java/dev/forebay/example/CountingReader.java");

    @Test
    void theReadmeShowsTheExampleAsItIs() throws IOException {
        String example = read(EXAMPLE);
        String shown = example.substring(example.indexOf("public class"));
        assertThat(read(Paths.get("../../README.md"))).contains("```java\n" + shown + "```\n");
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
