// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.io.InputStream;
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
    /** Between the columns line, file and offset; the census of the input refuses names with it. */
    static final char FIELD_DELIMITER = '\u0001';

    /** A line whose bytes were no text has up to three bytes of U+FFFD for each. */
    private static final int MAX_ROW_BYTES = 3 * InputCensus.MAX_LINE_BYTES + 8192;

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
        try (InputStream in = Files.newInputStream(file)) {
            new LineSplitter(MAX_ROW_BYTES, (bytes, length, offset, ended) -> row(bytes, length))
                    .split(in);
        }
    }

    /** The line may hold the delimiter as well; the two columns behind it do not. */
    private void row(byte[] row, int length) throws IOException {
        int offset = lastDelimiter(row, length);
        int file = lastDelimiter(row, offset);
        if (file < 0) {
            throw new IOException("a row of the sink has less than three columns");
        }
        census.line(
                text(row, file + 1, offset),
                Long.parseLong(text(row, offset + 1, length)),
                row,
                0,
                file);
    }

    private static int lastDelimiter(byte[] row, int before) {
        int i = before - 1;
        while (i >= 0 && row[i] != FIELD_DELIMITER) {
            i--;
        }
        return i;
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
