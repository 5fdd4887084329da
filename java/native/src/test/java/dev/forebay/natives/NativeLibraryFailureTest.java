// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.natives.testing.ChildJvm;
import dev.forebay.natives.testing.TestJdks;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * Loads that fail: every one in good words, the same for all callers, with nothing left over and
 * the JVM alive.
 */
class NativeLibraryFailureTest {
    private static final String JDKS = "dev.forebay.natives.testing.TestJdks#homes";

    /** In the header of an ELF file, the low byte of the machine's number. */
    private static final int ELF_MACHINE = 18;

    @TempDir Path temp;

    private LoaderFixture loader;

    @BeforeEach
    void makeFixture() throws IOException {
        loader = new LoaderFixture(temp);
    }

    /** A name with letters that the process's locale lacks is one too. */
    @Test
    void saysThatANameIsNoPath() throws Exception {
        assertThat(expectFailure(loader.bare(LoaderMains.FailAtNoPath.class)))
                .containsSubsequence(
                        NativeLibrary.platform(),
                        "1. forebay.library.path: no",
                        "no path in this process",
                        "UTF-8 locale");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void namesEveryPlaceInOrder(Path jdk) throws Exception {
        String output =
                expectFailure(
                        loader.bare(LoaderMains.Fail.class)
                                .jdk(jdk)
                                .property("java.library.path", "/nowhere"));

        assertThat(output)
                .containsSubsequence(
                        "Cannot load the Forebay native library "
                                + StubLibrary.fileName()
                                + " for the platform "
                                + NativeLibrary.platform(),
                        "1. forebay.library.path: not set",
                        "2. java.library.path: no " + StubLibrary.fileName() + " in '/nowhere'",
                        "3. bundled resource "
                                + NativeLibrary.platform()
                                + "/"
                                + StubLibrary.fileName(),
                        "no library for this platform",
                        "-Dforebay.library.path");
    }

    @Test
    void anExplicitPathThatIsNotThereIsTheEnd() throws Exception {
        String output =
                expectFailure(
                        loader.bundled(LoaderMains.Fail.class)
                                .property("forebay.library.path", "/nowhere/libforebay.so"));

        assertThat(output)
                .contains("1. forebay.library.path: /nowhere/libforebay.so: no such file");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void refusesAnotherVersion(Path jdk) throws Exception {
        Path library = StubLibrary.OTHER_VERSION.file();

        String output =
                expectFailure(
                        loader.bundled(LoaderMains.Fail.class)
                                .jdk(jdk)
                                .property("forebay.library.path", library));

        assertThat(output)
                .contains(
                        library.toString(),
                        "has layout 99 (protocol 7)",
                        "Java classes have layout 1");
    }

    @Test
    void refusesALibraryThatIsNotForebay() throws Exception {
        Path folder = StubLibrary.NOT_FOREBAY.file().getParent();

        String output =
                expectFailure(
                        loader.bundled(LoaderMains.Fail.class)
                                .property("java.library.path", folder));

        assertThat(output)
                .contains(
                        "java.library.path: " + folder,
                        "not a Forebay library, or too old to tell its version");
    }

    @EnabledOnOs(OS.LINUX)
    @ParameterizedTest
    @MethodSource(JDKS)
    void refusesACutFileBeforeTheJvmDiesOfIt(Path jdk) throws Exception {
        byte[] whole = Files.readAllBytes(StubLibrary.GOOD.file());
        Path cut = Files.write(temp.resolve("cut.so"), Arrays.copyOf(whole, whole.length / 2));

        assertThat(
                        expectFailure(
                                loader.bundled(LoaderMains.Fail.class)
                                        .jdk(jdk)
                                        .property("forebay.library.path", cut)))
                .contains(
                        "the file is cut",
                        "has " + whole.length / 2 + " bytes",
                        "need " + whole.length);
        assertThat(expectFailure(loader.bundling(cut, LoaderMains.Fail.class).jdk(jdk)))
                .contains("bundled resource file:", "the file is cut");
    }

    @EnabledOnOs(OS.LINUX)
    @ParameterizedTest
    @MethodSource(JDKS)
    void refusesAnotherProcessorsLibrary(Path jdk) throws Exception {
        byte[] foreign = Files.readAllBytes(StubLibrary.GOOD.file());
        foreign[ELF_MACHINE] = (byte) (NativeLibrary.platform().contains("aarch64") ? 62 : 183);
        Path file = Files.write(temp.resolve("foreign.so"), foreign);

        assertThat(
                        expectFailure(
                                loader.bare(LoaderMains.Fail.class)
                                        .jdk(jdk)
                                        .property("forebay.library.path", file)))
                .contains("Possible cause: can't load");
    }

    @EnabledOnOs(OS.LINUX)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "this is no library at all, and long enough to have a header if it were one, of 64 bytes"
            })
    void refusesATextFile(String text) throws Exception {
        Path file = Files.write(temp.resolve("text.so"), text.getBytes());

        assertThat(expectFailure(loader.bundling(file, LoaderMains.Fail.class)))
                .containsAnyOf("file too short", "invalid ELF header");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void saysWhatIsWrongWithAWorkFolder(Path jdk) throws Exception {
        Path file = Files.createFile(temp.resolve("file"));
        Path missing = temp.resolve("missing");

        assertThat(expectFailureBelow(missing, jdk))
                .contains("the folder " + missing + " does not exist");
        assertThat(expectFailureBelow(file, jdk)).contains(file + " is not a folder");
    }

    /**
     * Real mounts, in a name space of the child's own; where the machine does not grant one, the
     * tables must do.
     */
    @ParameterizedTest
    @CsvSource({
        "noexec, is on a mount with the option noexec",
        "ro, Read-only file system",
        "size=4k, No space left on device"
    })
    void saysWhatIsWrongWithTheMountOfAWorkFolder(String option, String words) throws Exception {
        assumeTrue(canMount(), "SKIPPED: no user name spaces here, so no mounts to test with");
        String mount = "mount -t tmpfs -o " + option + " none " + loader.work() + " && exec \"$@\"";

        String output =
                expectFailure(
                        loader.bundled(LoaderMains.Fail.class)
                                .inside("unshare", "-rm", "sh", "-c", mount, "sh"));

        assertThat(output)
                .contains(
                        "copied to a folder below " + loader.work(),
                        words,
                        "-Dforebay.library.workdir");
    }

    /** The tables' answer where no mount can be made: /proc takes no files, whoever asks. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void saysThatAWorkFolderTakesNoFiles() throws Exception {
        assertThat(expectFailureBelow(Paths.get("/proc"), TestJdks.current()))
                .contains("copied to a folder below /proc: ");
    }

    @Test
    void aReadOnlyWorkFolderDoesNotMatterToALibraryOnThePath() throws Exception {
        String output =
                loader.bare(LoaderMains.LoadAndReturn.class)
                        .property("forebay.library.workdir", "/proc")
                        .property("forebay.library.path", StubLibrary.GOOD.file())
                        .run();

        assertThat(output).contains("loaded=true");
    }

    private String expectFailureBelow(Path work, Path jdk) throws Exception {
        String output =
                expectFailure(
                        loader.bundled(LoaderMains.Fail.class)
                                .jdk(jdk)
                                .property("forebay.library.workdir", work));
        assertThat(output).contains("-Dforebay.library.workdir");
        return output;
    }

    private String expectFailure(ChildJvm child) throws IOException, InterruptedException {
        String output = child.run();
        assertThat(output)
                .contains("same text: true", "same cause: true", "described: true", "loaded=false");
        assertThat(loader.leftovers()).isEmpty();
        return output;
    }

    private static boolean canMount() throws InterruptedException {
        try {
            Process probe =
                    new ProcessBuilder("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/tmp")
                            .start();
            return probe.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
