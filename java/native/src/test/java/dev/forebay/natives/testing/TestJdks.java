// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/**
 * The JDKs that child JVMs are started on: the one that runs the tests, and JDK 25 if the
 * environment variable {@code FOREBAY_JDK25} names its folder or it lies where the build machines
 * have it.
 */
public final class TestJdks {
    private static final Path USUAL_JDK_25 = Paths.get("/usr/lib/jvm/temurin-25-jdk-amd64");

    private static final List<Path> HOMES = find();

    private TestJdks() {}

    /** The folder of the JDK that runs this code. */
    public static Path current() {
        return Paths.get(System.getProperty("java.home"));
    }

    /** The folders of all JDKs to test on; a method source for parameterized tests. */
    public static List<Path> homes() {
        return HOMES;
    }

    /**
     * The feature number of a JDK, such as 17.
     *
     * @throws IOException if the folder has no readable {@code release} file
     */
    public static int feature(Path home) throws IOException {
        Properties release = new Properties();
        try (InputStream in = Files.newInputStream(home.resolve("release"))) {
            release.load(in);
        }
        String version = release.getProperty("JAVA_VERSION").replace("\"", "");
        return Integer.parseInt(version.split("[.+-]")[0]);
    }

    private static List<Path> find() {
        List<Path> homes = new ArrayList<>();
        homes.add(current());
        String named = System.getenv("FOREBAY_JDK25");
        Path second = named == null ? USUAL_JDK_25 : Paths.get(named);
        if (!Files.isExecutable(second.resolve(Paths.get("bin", "java")))) {
            System.out.println(
                    "SKIPPED on JDK 25: there is none in "
                            + second
                            + "; name one with FOREBAY_JDK25.");
        } else if (!second.equals(current())) {
            homes.add(second);
        }
        return Collections.unmodifiableList(homes);
    }
}
