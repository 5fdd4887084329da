// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.natives.testing.Child;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What processes that are killed leave behind, and who clears it away: only ever what belongs to
 * the dead.
 */
class NativeLibraryKillTest {
    private static final String JDKS = "dev.forebay.natives.testing.TestJdks#homes";

    @TempDir Path temp;

    private LoaderFixture loader;

    @BeforeEach
    void makeFixture() throws IOException {
        loader = new LoaderFixture(temp);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void aProcessKilledAfterTheLoadLeavesNothing(Path jdk) throws Exception {
        try (Child child = loader.bundled(LoaderMains.LoadAndWait.class).jdk(jdk).start()) {
            child.awaitOutput("LOADED");
            child.kill();
        }
        assertThat(loader.leftovers()).isEmpty();
    }

    /** The killed process hangs inside dlopen, so its copy is complete and not yet deleted. */
    @ParameterizedTest
    @MethodSource(JDKS)
    void aProcessKilledDuringTheLoadIsSweptByTheNextAndNotBefore(Path jdk) throws Exception {
        try (Child child =
                loader.bundling(StubLibrary.HANGING.file(), LoaderMains.LoadAndReturn.class)
                        .jdk(jdk)
                        .start()) {
            child.awaitOutput("HANGING IN DLOPEN");
            assertThat(loader.leftovers()).hasSize(1);
            Path folder = loader.leftovers().get(0);

            loader.bundled(LoaderMains.LoadAndReturn.class).jdk(jdk).run();
            assertThat(loader.leftovers()).as("its owner is alive").containsExactly(folder);
            assertThat(folder.resolve(StubLibrary.fileName())).exists();

            child.kill();
            assertThat(loader.leftovers()).containsExactly(folder);
        }
        loader.bundled(LoaderMains.LoadAndReturn.class).jdk(jdk).run();

        assertThat(loader.leftovers()).isEmpty();
    }

    /**
     * Closing a channel on a file gives up all locks of the process on it, so a sibling's lock must
     * not be touched.
     */
    @ParameterizedTest
    @MethodSource(JDKS)
    void aSweepGivesNoSiblingInTheSameProcessAway(Path jdk) throws Exception {
        try (Child child =
                loader.bundled(LoaderMains.LoadBesideAStuckCopy.class)
                        .jdk(jdk)
                        .argument(
                                LoaderClassPath.bundling(
                                                temp.resolve("sibling"), StubLibrary.GOOD.file())
                                        .get(0))
                        .start()) {
            child.awaitOutput("LOADED");
            assertThat(loader.leftovers()).as("the folder of the stuck one").hasSize(1);

            loader.bundled(LoaderMains.LoadAndReturn.class).jdk(jdk).run();
            assertThat(loader.leftovers()).as("another process sees it locked").hasSize(1);

            child.kill();
        }
        loader.bundled(LoaderMains.LoadAndReturn.class).jdk(jdk).run();

        assertThat(loader.leftovers()).isEmpty();
    }

    @Test
    void sweepsAFolderWhoseOwnerDiedBeforeItMadeTheLock() throws Exception {
        Files.createDirectory(loader.work().resolve("forebay-native-1-x"));

        loader.bundled(LoaderMains.LoadAndReturn.class).run();

        assertThat(loader.leftovers()).isEmpty();
    }

    @Test
    void leavesAloneWhatTheLoaderDidNotMake() throws Exception {
        Path others = Files.createDirectory(temp.resolve("others"));
        Path precious = Files.createFile(others.resolve("precious"));
        Files.createFile(others.resolve("lock"));
        Path link =
                Files.createSymbolicLink(loader.work().resolve("forebay-native-1-link"), others);
        Path file = Files.createFile(loader.work().resolve("forebay-native-1-file"));
        Path unlocked = Files.createDirectory(loader.work().resolve("forebay-native-1-unlocked"));
        Files.createFile(unlocked.resolve("something"));

        loader.bundled(LoaderMains.LoadAndReturn.class).run();

        assertThat(loader.leftovers()).containsExactly(file, link, unlocked);
        assertThat(precious).exists();
        assertThat(unlocked.resolve("something")).exists();
    }
}
