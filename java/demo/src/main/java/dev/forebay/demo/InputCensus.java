// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Counts the lines of a directory in a way of its own, with one line in memory at a time. Its rules
 * are those of {@code ManagedFile}: no hidden files, no links to directories, a link that leads
 * nowhere is an error, UTF-8 with U+FFFD for what is malformed, a byte order mark at the start
 * dropped, a carriage return before the line feed dropped, a last line without a line feed kept.
 *
 * <p>What the demo cannot compare is refused here, before anything is started.
 */
final class InputCensus {
    /** The longest line that {@code ManagedFile} can be told to take. */
    static final int MAX_LINE_BYTES = 64 << 20;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final Path directory;
    private final Census census = new Census();

    private InputCensus(Path directory) {
        this.directory = directory;
    }

    /**
     * @throws Refusal if the directory holds what cannot be read or compared
     */
    static Census of(Path directory) throws IOException {
        InputCensus input = new InputCensus(directory);
        Files.walkFileTree(directory, input.new Visitor());
        return input.census;
    }

    private final class Visitor extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return isHidden(folder) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            if (!isHidden(file) && attributesOfTarget(file).isRegularFile()) {
                count(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException problem) {
            if (isHidden(file) || problem instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw new Refusal("'" + shown(file) + "' cannot be looked at (" + problem + ")");
        }
    }

    private boolean isHidden(Path path) {
        return !path.equals(directory) && path.getFileName().toString().startsWith(".");
    }

    private BasicFileAttributes attributesOfTarget(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class);
        } catch (IOException e) {
            throw new Refusal(
                    "the link '"
                            + shown(file)
                            + "' leads nowhere ("
                            + e
                            + "), at which ManagedFile fails; remove it");
        }
    }

    private void count(Path file) {
        String name = name(file);
        if (name.indexOf('\n') >= 0 || name.indexOf(OutputCensus.FIELD_DELIMITER) >= 0) {
            throw new Refusal(
                    "the name '"
                            + shown(file)
                            + "' holds a line feed or U+0001, between which the demo's text sink separates; rename"
                            + " the file");
        }
        census.file(name);
        try (InputStream in = Files.newInputStream(file)) {
            // A mark before the line and a carriage return behind it are no part of it.
            new LineSplitter(
                            MAX_LINE_BYTES + BYTE_ORDER_MARK.length + 1,
                            (bytes, length, offset, ended) ->
                                    line(name, bytes, length, offset, ended))
                    .split(in);
        } catch (IOException e) {
            throw new Refusal("'" + shown(file) + "' cannot be read (" + e + ")");
        }
    }

    private void line(String name, byte[] bytes, int length, long offset, boolean ended)
            throws IOException {
        int from = offset == 0 ? byteOrderMark(bytes, length) : 0;
        boolean withReturn = ended && length > from && bytes[length - 1] == '\r';
        int to = withReturn ? length - 1 : length;
        if (to - from > MAX_LINE_BYTES) {
            throw new IOException(
                    "the line at byte " + offset + " has more than " + MAX_LINE_BYTES + " bytes");
        }
        if (ended || to > from) {
            census.line(name, offset + from, bytes, from, to - from);
        }
    }

    private static int byteOrderMark(byte[] bytes, int length) {
        if (length < BYTE_ORDER_MARK.length) {
            return 0;
        }
        for (int i = 0; i < BYTE_ORDER_MARK.length; i++) {
            if (bytes[i] != BYTE_ORDER_MARK[i]) {
                return 0;
            }
        }
        return BYTE_ORDER_MARK.length;
    }

    /**
     * As {@code ManagedFile} names it: the bytes of the name taken for UTF-8, whatever encoding the
     * JVM has for names.
     */
    private String name(Path file) {
        String base = directory.toUri().toString();
        String below = file.toUri().toString().substring(base.length());
        return URI.create('/' + below).getPath().substring(1);
    }

    private String shown(Path file) {
        return file.equals(directory) ? file.toString() : name(file);
    }
}
