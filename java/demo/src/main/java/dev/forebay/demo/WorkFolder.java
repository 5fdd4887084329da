// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A folder of its own for each run; those of the last few runs stay, to be looked at. */
final class WorkFolder {
    /** Earlier ones that stay. */
    static final int KEPT = 3;

    private WorkFolder() {}

    /**
     * Makes a folder below {@code parent} and deletes the older ones of the same kind, except for
     * the last {@value #KEPT}.
     *
     * @param prefix begins the names of this kind
     */
    static Path make(Path parent, String prefix) throws IOException {
        Files.createDirectories(parent);
        for (Path old : newestFirst(parent, prefix).stream().skip(KEPT).toArray(Path[]::new)) {
            delete(old);
        }
        return Files.createTempDirectory(parent, prefix);
    }

    private static List<Path> newestFirst(Path parent, String prefix) throws IOException {
        Map<Path, FileTime> changed = new HashMap<>();
        try (Stream<Path> all = Files.list(parent)) {
            for (Path path : all.toArray(Path[]::new)) {
                if (path.getFileName().toString().startsWith(prefix)
                        && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    changed.put(path, Files.getLastModifiedTime(path));
                }
            }
        }
        return changed.keySet().stream()
                .sorted(Comparator.comparing(changed::get).reversed())
                .collect(Collectors.toList());
    }

    /** Links are deleted, not what they lead to. */
    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    /** Another run that starts now deletes the same ones. */
                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException problem)
                            throws IOException {
                        if (problem instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw problem;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException problem)
                            throws IOException {
                        if (problem != null) {
                            throw problem;
                        }
                        Files.deleteIfExists(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
