// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The demo's default input: the text files of a source tree, copied without what was built from
 * them.
 */
final class TextFiles {
    private static final Set<String> ENDINGS =
            new HashSet<>(
                    Arrays.asList(
                            "rs",
                            "java",
                            "md",
                            "toml",
                            "xml",
                            "c",
                            "h",
                            "conf",
                            "properties",
                            "yaml",
                            "lock"));

    private TextFiles() {}

    static void copy(Path tree, Path target) throws IOException {
        Files.walkFileTree(
                tree,
                new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        String name = folder.equals(tree) ? "" : folder.getFileName().toString();
                        return name.equals("target") || name.startsWith(".")
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        String name = file.getFileName().toString();
                        if (ENDINGS.contains(name.substring(name.lastIndexOf('.') + 1))) {
                            Path copy = target.resolve(tree.relativize(file));
                            Files.createDirectories(copy.getParent());
                            Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
