// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counts the lines that the sink has committed: each of its files once, as soon as it is there. */
final class OutputCensus {
    /** Between the columns line, file and offset; a character that no file name of the demo has. */
    static final char FIELD_DELIMITER = '\u0001';

    private final Path directory;
    private final Set<Path> seen = new HashSet<>();
    private final Census census = new Census();

    OutputCensus(Path directory) {
        this.directory = directory;
    }

    /** Reads what has been committed since the last call. */
    Census update() throws IOException {
        for (Path file : committed()) {
            if (seen.add(file)) {
                count(file);
            }
        }
        return census;
    }

    private List<Path> committed() throws IOException {
        if (!Files.isDirectory(directory)) {
            return Collections.emptyList();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .collect(Collectors.toList());
        }
    }

    private void count(Path file) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        int start = 0;
        while (start < text.length()) {
            int end = text.indexOf('\n', start);
            if (end < 0) {
                end = text.length();
            }
            row(text.substring(start, end));
            start = end + 1;
        }
    }

    private void row(String row) {
        int offset = row.lastIndexOf(FIELD_DELIMITER);
        int file = row.lastIndexOf(FIELD_DELIMITER, offset - 1);
        census.line(
                row.substring(file + 1, offset),
                Long.parseLong(row.substring(offset + 1)),
                row.substring(0, file));
    }
}
