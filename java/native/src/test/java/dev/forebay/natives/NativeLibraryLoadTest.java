// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.natives.testing.Child;
import dev.forebay.natives.testing.ChildJvm;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads that succeed: from each place, in two class loaders, in many threads and processes. Nothing
 * may be left over.
 */
class NativeLibraryLoadTest {
    private static final String JDKS = "dev.forebay.natives.testing.TestJdks#homes";

    /** As many as start in a few seconds on two cores. */
    private static final int PROCESSES = 8;

    @TempDir Path temp;

    private LoaderFixture loader;

    @BeforeEach
    void makeFixture() throws IOException {
        loader = new LoaderFixture(temp);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void loadsTheBundledLibraryAndReturns(Path jdk) throws Exception {
        String output = loader.bundled(LoaderMains.LoadAndReturn.class).jdk(jdk).run();

        assertThat(output)
                .contains(
                        "loaded=true", "layout 1, protocol 7, loaded from bundled resource file:");
        assertThat(loader.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void endsWhenAnotherThreadExits(Path jdk) throws Exception {
        loader.bundled(LoaderMains.LoadAndExitOnAnotherThread.class).jdk(jdk).run();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void twoClassLoadersLoadTheSameJar(Path jdk) throws Exception {
        Path jar = LoaderClassPath.jar(temp.resolve("natives.jar"), StubLibrary.GOOD.file());

        String output =
                loader.bare(LoaderMains.LoadInTwoClassLoaders.class).jdk(jdk).argument(jar).run();

        assertThat(output.split("loaded from bundled resource jar:file:")).hasSize(3);
        assertThat(loader.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void theSecondClassLoaderGetsACopyOfAnExplicitFile(Path jdk) throws Exception {
        String output =
                loader.bare(LoaderMains.LoadInTwoClassLoaders.class)
                        .jdk(jdk)
                        .property("forebay.library.path", StubLibrary.GOOD.file())
                        .argument(LoaderClassPath.bare(temp.resolve("again")).get(0))
                        .run();

        String explicit = "loaded from forebay.library.path: " + StubLibrary.GOOD.file();
        assertThat(output)
                .contains(explicit + "\n", explicit + ", by the private copy " + loader.work());
        assertThat(loader.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anExplicitFileOrFolderComesBeforeAllOthers(boolean folder) throws Exception {
        Path library = StubLibrary.GOOD.file();

        String output =
                loader.bundling(StubLibrary.OTHER_VERSION.file(), LoaderMains.LoadAndReturn.class)
                        .property("forebay.library.path", folder ? library.getParent() : library)
                        .property("java.library.path", StubLibrary.OTHER_VERSION.file().getParent())
                        .run();

        assertThat(output).contains("loaded from forebay.library.path: " + library);
    }

    @Test
    void theLibraryPathComesBeforeTheBundledLibrary() throws Exception {
        Path folder = StubLibrary.GOOD.file().getParent();

        String output =
                loader.bundling(StubLibrary.OTHER_VERSION.file(), LoaderMains.LoadAndReturn.class)
                        .property("java.library.path", "/nowhere:" + folder)
                        .run();

        assertThat(output).contains("loaded from java.library.path: " + folder);
    }

    @Test
    void aFileThatDoesNotLinkIsPassedOver() throws Exception {
        Path folder = Files.createDirectory(temp.resolve("broken"));
        Files.write(folder.resolve(StubLibrary.fileName()), "no library".getBytes());

        String output =
                loader.bundled(LoaderMains.LoadAndReturn.class)
                        .property("java.library.path", folder)
                        .run();

        assertThat(output).contains("loaded from bundled resource");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void manyThreadsSeeOneOutcome(Path jdk) throws Exception {
        assertThat(loader.bundled(LoaderMains.LoadInManyThreads.class).jdk(jdk).run())
                .contains("outcomes=1", "loaded from bundled resource");
        assertThat(loader.bare(LoaderMains.LoadInManyThreads.class).jdk(jdk).run())
                .contains("outcomes=1", "NativeLibraryException");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void manyProcessesExtractAtOnce(Path jdk) throws Exception {
        ChildJvm loading = loader.bundled(LoaderMains.LoadAndReturn.class).jdk(jdk);
        List<Child> children = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(loading.start());
            }
            for (Child child : children) {
                child.awaitExit(0);
                assertThat(child.output()).contains("loaded=true");
            }
        } finally {
            for (Child child : children) {
                child.close();
            }
        }
        assertThat(loader.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anInterruptDoesNotSpoilTheLoadAndIsNotLost(Path jdk) throws Exception {
        Path classes =
                LoaderClassPath.bundling(temp.resolve("interrupted"), StubLibrary.GOOD.file())
                        .get(0);

        String output =
                loader.bare(LoaderMains.LoadInterrupted.class).jdk(jdk).argument(classes).run();

        assertThat(output)
                .contains("loaded from bundled resource", "interrupts=1", "interrupted=true");
        assertThat(loader.leftovers()).isEmpty();
    }

    @Test
    void keepsTheCopyOnRequest() throws Exception {
        String output =
                loader.bundled(LoaderMains.LoadAndReturn.class)
                        .property("forebay.library.keep", true)
                        .run();

        assertThat(loader.leftovers()).hasSize(1);
        Path kept = loader.leftovers().get(0);
        assertThat(output).contains("by the private copy " + kept.resolve(StubLibrary.fileName()));
        assertThat(kept.resolve(StubLibrary.fileName()))
                .hasSameBinaryContentAs(StubLibrary.GOOD.file());

        loader.bundled(LoaderMains.LoadAndReturn.class).run();
        assertThat(loader.leftovers()).as("a kept copy is not swept").containsExactly(kept);
    }
}
