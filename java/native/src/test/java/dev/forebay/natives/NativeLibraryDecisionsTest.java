// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;

/** The loader's decisions, as tables: they depend on nothing but their arguments. */
class NativeLibraryDecisionsTest {
    private static final String GLIBC_MAP =
            "7f00-7f01 r-xp 0 08:01 1 /lib/x86_64-linux-gnu/libc.so.6\n7f02-7f03 rw-p 0 00:00 0 [heap]\n";
    private static final String MUSL_MAP = "7f00-7f01 r-xp 0 08:01 1 /lib/ld-musl-x86_64.so.1\n";

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux-x86_64, libforebay.so",
        "LINUX, AMD64, linux-x86_64, libforebay.so",
        "Linux, x86_64, linux-x86_64, libforebay.so",
        "Linux, aarch64, linux-aarch64, libforebay.so",
        "Linux, riscv64, linux-riscv64, libforebay.so",
        "Mac OS X, aarch64, macos-aarch64, libforebay.dylib",
        "Mac OS X, x86_64, macos-x86_64, libforebay.dylib",
        "Darwin, arm64, macos-aarch64, libforebay.dylib",
        "Windows 11, amd64, windows-x86_64, forebay.dll",
        "WINDOWS Server 2022, amd64, windows-x86_64, forebay.dll",
        "FreeBSD, amd64, freebsd-x86_64, libforebay.so",
        "Odd/../OS, a b, odd____os-a_b, libforebay.so"
    })
    void namesThePlatformAndTheFile(String os, String arch, String platform, String fileName) {
        assertThat(NativeLibrary.platform(os, arch, GLIBC_MAP)).isEqualTo(platform);
        assertThat(NativeLibrary.fileName(platform)).isEqualTo(fileName);
    }

    @Test
    void theBuildAndTheLoaderNameThisMachineAlike() {
        assertThat(NativeLibrary.platform())
                .isEqualTo(System.getProperty("forebay.build.platform"));
    }

    @Test
    void tellsMuslByWhatTheProcessHasMapped() {
        assertThat(NativeLibrary.platform("Linux", "amd64", MUSL_MAP))
                .isEqualTo("linux-x86_64-musl");
        assertThat(NativeLibrary.isMusl("7f00 r-xp 0 08:01 1 /lib/libc.musl-aarch64.so.1\n"))
                .isTrue();
        assertThat(NativeLibrary.isMusl(GLIBC_MAP)).isFalse();
        assertThat(NativeLibrary.isMusl("")).isFalse();
        // A folder's name says nothing.
        assertThat(NativeLibrary.isMusl("7f00 r-xp 0 08:01 1 /opt/ld-musl-jdk/lib/libjvm.so\n"))
                .isFalse();
        // Only Linux has the choice.
        assertThat(NativeLibrary.platform("Mac OS X", "arm64", MUSL_MAP))
                .isEqualTo("macos-aarch64");
    }

    @Test
    void looksInEveryFolderOfTheLibraryPathOnce() {
        String path =
                String.join(File.pathSeparator, Arrays.asList("/a", "", "no\0path", "/b", "/a"));

        assertThat(NativeLibrary.candidates(path, "libforebay.so"))
                .containsExactly(Paths.get("/a/libforebay.so"), Paths.get("/b/libforebay.so"));
        assertThat(NativeLibrary.candidates("", "libforebay.so")).isEmpty();
    }

    @Test
    void noticesThatItWasRenamed() {
        assertThat(NativeLibrary.relocationProblem(NativeLibrary.class.getName())).isNull();
        assertThat(NativeLibrary.relocationProblem("shaded.dev.forebay.natives.NativeLibrary"))
                .contains(
                        "shaded.dev.forebay.natives.NativeLibrary",
                        "Exclude the package from relocation");
    }

    @Test
    void comparesLayoutsAndNamesBothNumbersAndThePlace() {
        long good = ((long) NativeLibrary.NATIVE_LAYOUT << 32) | 7;

        assertThat(NativeLibrary.versionProblem(good, "/x")).isNull();
        assertThat(NativeLibrary.versionProblem((2L << 32) | 7, "/x/libforebay.so"))
                .contains("/x/libforebay.so", "layout 2 (protocol 7)", "layout 1");
        assertThat(NativeLibrary.versionProblem(0, "/x")).contains("layout 0 ");
        assertThat(NativeLibrary.versionProblem(-1, "/x")).contains("layout -1 ");
    }

    @ParameterizedTest
    @CsvSource({
        "/work/a, true",
        "/work, true",
        "/work/allowed/a, false",
        "/workshop/a, false",
        "/with space/a, true",
        "/covered/a, false",
        "/home, false"
    })
    void readsTheMountThatAPathLiesOn(String path, boolean noexec) {
        String mounts =
                "root / ext4 rw,relatime 0 0\n"
                        + "tmpfs /work tmpfs rw,nosuid,noexec 0 0\n"
                        + "tmpfs /work/allowed tmpfs rw 0 0\n"
                        + "tmpfs /with\\040space tmpfs rw,noexec 0 0\n"
                        + "tmpfs /covered tmpfs rw,noexec 0 0\n"
                        + "tmpfs /covered tmpfs rw 0 0\n"
                        + "odd line\n";

        assertThat(NativeLibrary.isNoexec(path, mounts)).isEqualTo(noexec);
        assertThat(NativeLibrary.isNoexec(path, "")).isFalse();
    }

    @Test
    void advisesOnWhatItRecognises() {
        UnsatisfiedLinkError refused =
                new UnsatisfiedLinkError("failed to map segment from shared object");
        String noexec = "tmpfs /work tmpfs rw,noexec 0 0\n";
        String property = NativeLibrary.WORKDIR_PROPERTY;

        assertThat(NativeLibrary.advice(refused, "/work", property, noexec))
                .contains("/work", "noexec", "-Dforebay.library.workdir");
        assertThat(NativeLibrary.advice(refused, "/home", property, noexec)).isEmpty();
        assertThat(
                        NativeLibrary.advice(
                                new IOException("No space left on device"),
                                "/work",
                                property,
                                noexec))
                .contains("has room", "-Dforebay.library.workdir");
    }

    @Test
    void findsTheWordsOfAFailure() {
        assertThat(NativeLibrary.reason(new IOException("No space left on device")))
                .isEqualTo("No space left on device");
        assertThat(
                        NativeLibrary.reason(
                                new FileSystemException("/x", null, "Read-only file system")))
                .isEqualTo("Read-only file system");
        assertThat(NativeLibrary.reason(new FileSystemException("/x"))).contains("/x");
        assertThat(NativeLibrary.reason(new IllegalStateException()))
                .contains("IllegalStateException");
    }

    @Test
    void recognisesALibraryThatAnotherClassLoaderHas() {
        assertThat(
                        NativeLibrary.isHeldByAnotherClassLoader(
                                new UnsatisfiedLinkError(
                                        "Native Library /x already loaded in another classloader")))
                .isTrue();
        assertThat(
                        NativeLibrary.isHeldByAnotherClassLoader(
                                new UnsatisfiedLinkError("invalid ELF header")))
                .isFalse();
        assertThat(NativeLibrary.isHeldByAnotherClassLoader(new UnsatisfiedLinkError(null)))
                .isFalse();
    }

    @EnabledOnOs(OS.LINUX)
    @Test
    void knowsTheLengthOfALibraryByItsOwnTables() throws Exception {
        byte[] library = Files.readAllBytes(StubLibrary.GOOD.file());
        ByteBuffer head = ByteBuffer.wrap(library, 0, 4096);

        assertThat(NativeLibrary.elfLength(head)).isEqualTo(library.length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "too short",
                "a text that is longer than the header of an ELF file, which has 64 bytes"
            })
    void leavesWhatIsNoElfFileToTheLinker(String text) {
        assertThat(NativeLibrary.elfLength(ByteBuffer.wrap(text.getBytes()))).isZero();
    }

    @Test
    void readsATornHeadWithoutLeavingIt() {
        // All offsets point far away, or are negative.
        for (byte filler : new byte[] {0x7f, -1, 1}) {
            byte[] head = new byte[256];
            Arrays.fill(head, filler);
            System.arraycopy(new byte[] {0x7f, 'E', 'L', 'F', 2, 1}, 0, head, 0, 6);

            assertThatCode(() -> NativeLibrary.elfLength(ByteBuffer.wrap(head)))
                    .doesNotThrowAnyException();
        }
    }
}
