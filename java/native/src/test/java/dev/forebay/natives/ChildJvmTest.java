// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.natives.testing.Child;
import dev.forebay.natives.testing.ChildJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * The harness must fail for the right reasons: a check that never fires would let every other test
 * pass.
 */
class ChildJvmTest {
    private static final String JDKS = "dev.forebay.natives.testing.TestJdks#homes";

    @TempDir Path temp;

    @Test
    void passesOutputInputAndExitCode() throws Exception {
        Path directory;
        try (Child child = child(Echo.class).argument("hello").start()) {
            directory = child.directory();
            child.awaitOutput("hello in " + directory.toRealPath());
            child.send("again");
            child.awaitOutput("read again");
            child.awaitExit(3);
        }
        assertThat(directory).doesNotExist();
    }

    @Test
    void failsOnAnUnexpectedExitCode() {
        assertThatThrownBy(() -> child(Thrower.class).run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exit code 1, expected 0")
                .hasMessageContaining("thrown on purpose");
    }

    @Test
    void failsWhenTheChildEndsWithoutAWord() throws Exception {
        try (Child child = child(Thrower.class).start()) {
            assertThatThrownBy(() -> child.awaitOutput("never written"))
                    .hasMessageContaining("ended and did not write 'never written'");
        }
    }

    @Test
    void takesAThreadDumpOfAChildThatDoesNotEnd() throws Exception {
        try (Child child = child(Sleeper.class).limit(Duration.ofSeconds(2)).start()) {
            assertThatThrownBy(() -> child.awaitExit(0))
                    .hasMessageContaining("did not end within PT2S")
                    .hasMessageContaining("Full thread dump")
                    .hasMessageContaining("ChildJvmTest$Sleeper.main");
        }
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void noticesACrash(Path jdk) throws Exception {
        ChildJvm crashing =
                new LoaderFixture(temp)
                        .bundling(StubLibrary.CRASHING.file(), LoaderMains.LoadAndReturn.class)
                        .below(temp)
                        .jdk(jdk);

        assertThatThrownBy(crashing::run)
                .hasMessageContaining("crashed; its log is")
                .hasMessageContaining("SIGSEGV");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void noticesAJniWarning(Path jdk) throws Exception {
        ChildJvm misusing =
                new LoaderFixture(temp)
                        .bundling(StubLibrary.MISUSING.file(), LoaderMains.LoadAndReturn.class)
                        .below(temp)
                        .jdk(jdk);

        assertThatThrownBy(misusing::run).hasMessageContaining("was warned by -Xcheck:jni");
    }

    /**
     * A child whose folder goes with the test's, even if the child fails, which is what most are
     * here for.
     */
    private ChildJvm child(Class<?> main) {
        return ChildJvm.of(main).below(temp);
    }

    static final class Echo {
        public static void main(String[] arguments) throws IOException {
            System.out.println(arguments[0] + " in " + new File("").getCanonicalPath());
            byte[] line = new byte[16];
            int length = System.in.read(line);
            System.out.println("read " + new String(line, 0, length).trim());
            System.exit(3);
        }
    }

    static final class Thrower {
        public static void main(String[] arguments) {
            throw new IllegalStateException("thrown on purpose");
        }
    }

    static final class Sleeper {
        public static void main(String[] arguments) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }
}
