// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.natives.testing.ChildJvm;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/**
 * Whatever Java hands over, the real library answers with a status or an exception and the JVM
 * lives. Each case has a JVM of its own, under {@code -Xcheck:jni}, because a failure would end the
 * process.
 */
class BoundaryTest {
    private static final String JDKS = "dev.forebay.natives.testing.TestJdks#homes";

    @ParameterizedTest
    @MethodSource(JDKS)
    void aDefectOfTheLibraryIsAnExceptionAndTheLibraryStaysUsable(Path jdk) throws Exception {
        assertThat(child(BoundaryMains.Panic.class, jdk).run())
                .contains(
                        "code 7: FB7: defect in the native library:",
                        "asked for by a test",
                        "still usable");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void wrongArgumentsAreExceptions(Path jdk) throws Exception {
        assertThat(child(BoundaryMains.WrongArguments.class, jdk).run()).contains("all refused");
    }

    /** Bytes of other members must not decide how much is copied. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void anOfferThatIsTooLargeIsAnsweredForItsSize(Path jdk) throws Exception {
        assertThat(child(BoundaryMains.HugeOffers.class, jdk).run())
                .contains("all refused for their size");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void damagedCommandsAndCheckpointsAreRefused(Path jdk) throws Exception {
        assertThat(child(BoundaryMains.DamagedBytes.class, jdk).run()).contains("all refused");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void useAfterCloseFromManyThreadsWithACollectorRunningIsOnlyExceptions(Path jdk)
            throws Exception {
        assertThat(child(BoundaryMains.UseAfterClose.class, jdk).option("-Xmx64m").run())
                .contains("only exceptions");
    }

    private static ChildJvm child(Class<?> main, Path jdk) {
        return ChildJvm.of(main).jdk(jdk).classPath(classPath()).option("-Xcheck:jni");
    }

    private static List<Path> classPath() {
        List<Path> entries = new ArrayList<>();
        for (String entry :
                System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            entries.add(Paths.get(entry));
        }
        return entries;
    }
}
