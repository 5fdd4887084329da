// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.natives.testing.TestJdks;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Surroundings that have broken other loaders: locales, context class loaders, shading, a JVM that
 * denies native access.
 */
class NativeLibraryEnvironmentTest {
    private static final String JDKS = "dev.forebay.natives.testing.TestJdks#homes";

    /** The first version that can deny native access (JEP 472). */
    private static final int DENYING_JDK = 24;

    @TempDir Path temp;

    private LoaderFixture loader;

    @BeforeEach
    void makeFixture() throws IOException {
        loader = new LoaderFixture(temp);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void namesThePlatformAlikeInTurkey(Path jdk) throws Exception {
        String output =
                loader.bundled(LoaderMains.NamePlatform.class)
                        .jdk(jdk)
                        .property("user.language", "tr")
                        .property("user.country", "TR")
                        .option("-Dstdout.encoding=UTF-8")
                        .option("-Dfile.encoding=UTF-8")
                        .run();

        assertThat(output).as("the locale is in force").contains("\u0131 linux-x86_64");
        assertThat(output).contains("loaded from bundled resource");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "hostile"})
    void doesNotAskTheContextClassLoader(String contextLoader) throws Exception {
        String output =
                loader.bundled(LoaderMains.LoadUnderHostileContextLoader.class)
                        .argument(contextLoader)
                        .run();

        assertThat(output).contains("loaded from bundled resource");
    }

    @Test
    void saysThatItWasShaded() throws Exception {
        String output = loader.relocated(LoaderMains.LoadRelocated.class).run();

        assertThat(output)
                .contains(
                        "The class dev.forebay.natives.NativeLibrary was renamed to dev.shaded_.natives.NativeLibrary");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void saysThatNativeAccessIsDenied(Path jdk) throws Exception {
        assumeTrue(
                TestJdks.feature(jdk) >= DENYING_JDK,
                "SKIPPED: " + jdk + " cannot deny native access");

        String output =
                loader.bundled(LoaderMains.Fail.class)
                        .jdk(jdk)
                        .option("--illegal-native-access=deny")
                        .run();

        assertThat(output)
                .contains("Start the JVM with --enable-native-access=ALL-UNNAMED", "loaded=false");
        assertThat(loader.leftovers()).isEmpty();
    }
}
