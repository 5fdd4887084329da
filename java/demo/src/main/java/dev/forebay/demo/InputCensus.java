// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Counts the lines of a directory in the simplest way that is right: a whole file in memory, split
 * at line feeds. Its rules are those of {@code ManagedFile}: no hidden files, no links to
 * directories, UTF-8 with U+FFFD for what is malformed, a byte order mark at the start dropped, a
 * carriage return before the line feed dropped, a last line without a line feed kept.
 */
final class InputCensus {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private InputCensus() {}

    static Census of(Path directory) throws IOException {
        Census census = new Census();
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        return folder.equals(directory) || !isHidden(folder)
                                ? FileVisitResult.CONTINUE
                                : FileVisitResult.SKIP_SUBTREE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (!isHidden(file) && Files.isRegularFile(file)) {
                            String name = directory.relativize(file).toString().replace('\\', '/');
                            count(census, name, Files.readAllBytes(file));
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return census;
    }

    private static boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    private static void count(Census census, String name, byte[] bytes) {
        census.file(name);
        int start = hasByteOrderMark(bytes) ? BYTE_ORDER_MARK.length : 0;
        while (start < bytes.length) {
            int end = start;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            int length = end - start;
            if (length > 0 && end < bytes.length && bytes[end - 1] == '\r') {
                length--;
            }
            census.line(name, start, new String(bytes, start, length, StandardCharsets.UTF_8));
            start = end + 1;
        }
    }

    private static boolean hasByteOrderMark(byte[] bytes) {
        if (bytes.length < BYTE_ORDER_MARK.length) {
            return false;
        }
        for (int i = 0; i < BYTE_ORDER_MARK.length; i++) {
            if (bytes[i] != BYTE_ORDER_MARK[i]) {
                return false;
            }
        }
        return true;
    }
}
