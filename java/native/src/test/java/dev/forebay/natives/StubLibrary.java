// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import dev.forebay.natives.testing.TestJdks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Libraries for the tests of the loader, compiled from {@code src/test/c} at first use by the C
 * compiler {@code cc}.
 */
enum StubLibrary {
    GOOD,
    OTHER_VERSION("-DLAYOUT=99"),
    NOT_FOREBAY("-DNO_VERSION"),
    /** Never comes back from being loaded. */
    HANGING("-DHANG"),
    /** Brings the JVM down when it is loaded. */
    CRASHING("-DCRASH"),
    /** Works, and makes -Xcheck:jni complain. */
    MISUSING("-DMISUSE");

    private static final long COMPILE_LIMIT_SECONDS = 30;

    private final List<String> flags;
    private Path file;

    StubLibrary(String... flags) {
        this.flags = Arrays.asList(flags);
    }

    /** The compiled file, which carries the name that the loader looks for. */
    synchronized Path file() throws IOException, InterruptedException {
        if (file == null) {
            file = compile();
        }
        return file;
    }

    /** The name of the library on this machine. */
    static String fileName() {
        return NativeLibrary.fileName(NativeLibrary.platform());
    }

    private Path compile() throws IOException, InterruptedException {
        Path module = Paths.get(System.getProperty("basedir", "")).toAbsolutePath();
        Path folder =
                Files.createDirectories(
                        module.resolve(
                                Paths.get(
                                        "target",
                                        "stub-libraries",
                                        name().toLowerCase(Locale.ROOT))));
        Path library = folder.resolve(fileName());
        Path include = TestJdks.current().resolve("include");
        List<String> command =
                new ArrayList<>(Arrays.asList("cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror"));
        command.addAll(flags);
        command.add("-I" + include);
        command.add("-I" + include.resolve(fileName().endsWith(".dylib") ? "darwin" : "linux"));
        command.addAll(
                Arrays.asList(
                        "-o",
                        library.toString(),
                        module.resolve("src/test/c/forebay_stub.c").toString()));
        File log = folder.resolve("cc.log").toFile();
        Process compiler =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
        if (!compiler.waitFor(COMPILE_LIMIT_SECONDS, TimeUnit.SECONDS)
                || compiler.exitValue() != 0) {
            compiler.destroyForcibly();
            throw new AssertionError(
                    "Cannot compile " + name() + " with " + command + "; see " + log);
        }
        return library;
    }
}
