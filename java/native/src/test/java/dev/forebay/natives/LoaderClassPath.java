// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * Class paths with the classes of this module and a library of the test's choice, whatever the
 * build has bundled.
 */
final class LoaderClassPath {
    private static final Path PACKAGE = Paths.get("dev", "forebay", "natives");

    private LoaderClassPath() {}

    /** The classes, the tests' main classes, and no library. */
    static List<Path> bare(Path folder) throws IOException {
        Path target = Files.createDirectories(folder.resolve(PACKAGE));
        try (DirectoryStream<Path> classes = mainClasses()) {
            for (Path file : classes) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
        return Arrays.asList(folder, codeSource(LoaderMains.class));
    }

    /** As {@link #bare}, with this file as the bundled library. */
    static List<Path> bundling(Path folder, Path library) throws IOException {
        List<Path> classPath = bare(folder);
        Path resources =
                Files.createDirectories(folder.resolve(PACKAGE).resolve(NativeLibrary.platform()));
        Files.copy(library, resources.resolve(StubLibrary.fileName()));
        return classPath;
    }

    /**
     * As {@link #bare}, with the package renamed the way a shading tool does it, to a name of the
     * same length.
     */
    static List<Path> relocated(Path folder) throws IOException {
        Path target =
                Files.createDirectories(folder.resolve(Paths.get("dev", "shaded_", "natives")));
        try (DirectoryStream<Path> classes = mainClasses()) {
            for (Path file : classes) {
                // Latin 1 maps bytes to characters and back one to one.
                String bytes =
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                                .replace("dev/forebay/", "dev/shaded_/")
                                .replace("dev.forebay.", "dev.shaded_.");
                Files.write(
                        target.resolve(file.getFileName()),
                        bytes.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return Arrays.asList(folder, codeSource(LoaderMains.class));
    }

    /** A jar of the classes with this file as the bundled library. */
    static Path jar(Path jar, Path library) throws IOException {
        String prefix = "dev/forebay/natives/";
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                DirectoryStream<Path> classes = mainClasses()) {
            for (Path file : classes) {
                add(entries, prefix + file.getFileName(), file);
            }
            add(entries, prefix + NativeLibrary.platform() + "/" + StubLibrary.fileName(), library);
        }
        return jar;
    }

    private static void add(JarOutputStream entries, String name, Path file) throws IOException {
        entries.putNextEntry(new JarEntry(name));
        Files.copy(file, entries);
        entries.closeEntry();
    }

    private static DirectoryStream<Path> mainClasses() throws IOException {
        return Files.newDirectoryStream(
                codeSource(NativeLibrary.class).resolve(PACKAGE), "*.class");
    }

    private static Path codeSource(Class<?> type) {
        try {
            return Paths.get(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("no folder of classes for " + type, e);
        }
    }
}
