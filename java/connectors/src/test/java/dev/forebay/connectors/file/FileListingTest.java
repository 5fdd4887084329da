// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.connectors.ConnectorException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class FileListingTest {
    @TempDir Path root;

    private Path write(String name) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, name.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> list(String path, boolean recursive) throws IOException {
        List<String> names = new ArrayList<>();
        for (FileSplit split : new FileListing(path, recursive, "UTF-8").call()) {
            assertThat(Files.size(split.path())).isEqualTo(split.size());
            assertThat(split.offset()).isZero();
            names.add(split.displayName());
        }
        return names;
    }

    private List<String> listBelow(String glob) throws IOException {
        return list(root.toString() + '/' + glob, true);
    }

    @Test
    void aDirectoryInPathOrder() throws IOException {
        write("b.log");
        write("a/z.log");
        write("a/deep/er/x");
        write("c");
        assertThat(list(root.toString(), true))
                .containsExactly("a/deep/er/x", "a/z.log", "b.log", "c");
        assertThat(list(root.toString() + '/', true)).hasSize(4);
        assertThat(list(root.toString(), false)).containsExactly("b.log", "c");
    }

    @Test
    void oneFile() throws IOException {
        Path file = write("only.log");
        assertThat(list(file.toString(), true)).containsExactly("only.log");
        Path hidden = write(".hidden");
        assertThat(list(hidden.toString(), true))
                .as("asked for by name")
                .containsExactly(".hidden");
    }

    @Test
    void globs() throws IOException {
        for (String name :
                new String[] {
                    "a.log", "b.txt", "sub/a.log", "sub/deep/c.log", "sub/d.gz", "other/a.log"
                }) {
            write(name);
        }
        assertThat(listBelow("*.log")).containsExactly("a.log");
        assertThat(listBelow("**/*.log"))
                .containsExactly("a.log", "other/a.log", "sub/a.log", "sub/deep/c.log");
        assertThat(listBelow("sub/**/*.log"))
                .as("below its base")
                .containsExactly("a.log", "deep/c.log");
        assertThat(listBelow("s*/**/*.log")).containsExactly("sub/a.log", "sub/deep/c.log");
        assertThat(listBelow("*/a.log")).containsExactly("other/a.log", "sub/a.log");
        assertThat(listBelow("?.{log,txt}")).containsExactly("a.log", "b.txt");
        assertThat(listBelow("{other,sub/deep}/*.log"))
                .containsExactly("other/a.log", "sub/deep/c.log");
        assertThat(listBelow("[ab].*")).containsExactly("a.log", "b.txt");
        assertThat(listBelow("**")).hasSize(6);
    }

    @Test
    void aGlobThatNothingMatchesFailsTheListing() throws IOException {
        write("a.log");
        write(".b.none");
        Files.createDirectory(root.resolve("dir.none"));
        for (String glob : new String[] {"*.none", "*/", "dir.none/*", "**/x"}) {
            assertThatThrownBy(() -> listBelow(glob))
                    .as(glob)
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("cannot list '" + root + '/' + glob + "'")
                    .hasMessageContaining("no file below '" + root.toRealPath())
                    .hasMessageContaining("matches this glob");
        }
        assertThat(list(root.resolve("dir.none").toString(), true)).isEmpty();
    }

    @Test
    void aGlobThatNamesDotFiles() throws IOException {
        for (String name :
                new String[] {
                    ".hidden", ".other", "h", "a/.h1/x", "a/.h1/.y", ".g/.h1/x", "a/b/x"
                }) {
            write(name);
        }
        assertThat(listBelow(".h*")).containsExactly(".hidden");
        assertThat(listBelow("\\.h*")).containsExactly(".hidden");
        assertThat(listBelow("*")).containsExactly("h");
        assertThat(listBelow("*/.h*/*")).containsExactly("a/.h1/x");
        assertThat(listBelow("*/.h*/.*")).containsExactly("a/.h1/.y");
        assertThat(listBelow("*/*/x")).containsExactly("a/b/x");
        for (String glob : new String[] {"**/.h*", "{.h,x}*", "*/{a,.b}"}) {
            assertThatThrownBy(() -> listBelow(glob))
                    .as(glob)
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("start with a dot cannot stand in one glob with");
        }
    }

    @Test
    void globsThatCouldNeverMatchAreRefused() throws IOException {
        write("a/x.log");
        for (String glob : new String[] {"*/../a/x.log", "*/..", "*/./x.log"}) {
            assertThatThrownBy(() -> listBelow(glob))
                    .as(glob)
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("put it before the first wildcard");
        }
        assertThat(listBelow("a/../a/*.log")).containsExactly("x.log");
        assertThatThrownBy(() -> list(root.toString() + "/*.log", false))
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining("recursive = false is for directories")
                .hasMessageContaining("leave 'recursive' out");
    }

    @Test
    void aGlobLooksNoDeeperThanItCanMatch() throws IOException {
        write("a.log");
        // A link that leads nowhere would fail the listing if it were looked at.
        write("sub/x");
        Files.createSymbolicLink(root.resolve("sub/gone.log"), Paths.get("nowhere"));
        assertThat(listBelow("*.log")).containsExactly("a.log");
        assertThat(listBelow("*/x")).containsExactly("sub/x");
        assertThatThrownBy(() -> listBelow("*/*.log"))
                .hasMessageContaining("gone.log")
                .hasMessageContaining("nowhere");
    }

    @Test
    void aPathThatExistsIsTakenAsItIs() throws IOException {
        Path odd = write("a[1]*.log");
        write("a1x.log");
        assertThat(list(odd.toString(), true)).containsExactly("a[1]*.log");
        assertThat(listBelow("a\\[1\\]\\*.log")).containsExactly("a[1]*.log");
    }

    @Test
    void oddNamesKeepTheirIdsApartAndLeadToTheirFiles() throws IOException {
        List<String> names = new ArrayList<>();
        Collections.addAll(
                names, "--help", "-rf", "a b", "a%20b", "a+b", "q?x=1#y", "c:d", "new\nline");
        // A JVM that runs in the locale C cannot name such a file.
        if (Charset.forName(System.getProperty("sun.jnu.encoding"))
                .newEncoder()
                .canEncode('\u4e2d')) {
            names.add("\u00fcber \u4e2d");
        }
        for (String name : names) {
            write(name);
        }
        List<FileSplit> splits = new FileListing(root.toString(), true, "UTF-8").call();
        assertThat(splits)
                .extracting(FileSplit::displayName)
                .containsExactlyInAnyOrderElementsOf(names);
        assertThat(splits)
                .extracting(FileSplit::splitId)
                .doesNotHaveDuplicates()
                .contains("a%20b", "a%2520b");
        for (FileSplit split : splits) {
            assertThat(new String(Files.readAllBytes(split.path()), StandardCharsets.UTF_8))
                    .isEqualTo(split.displayName());
        }
    }

    @Test
    void namesThatAreNoTextLeadToTheirFiles() throws Exception {
        String script =
                "for byte in 376 377; do printf $byte > \"$1/bad$(printf \"\\\\$byte\")\"; done";
        int made = new ProcessBuilder("sh", "-c", script, "sh", root.toString()).start().waitFor();
        assumeTrue(made == 0, "this file system takes text only");
        List<FileSplit> splits = new FileListing(root.toString(), true, "UTF-8").call();
        assertThat(splits).extracting(FileSplit::splitId).containsExactly("bad%FE", "bad%FF");
        assertThat(Files.readAllBytes(splits.get(0).path())).asString().isEqualTo("376");
        assertThat(Files.readAllBytes(splits.get(1).path())).asString().isEqualTo("377");
    }

    @Test
    void hiddenNamesAreSkipped() throws IOException {
        write(".git/config");
        write("a/.swp");
        write("a/_temporary");
        assertThat(list(root.toString(), true)).containsExactly("a/_temporary");
        assertThat(listBelow("**")).containsExactly("a/_temporary");
    }

    @Test
    void links() throws IOException {
        write("data/real.log");
        Path data = root.resolve("data");
        Files.createSymbolicLink(data.resolve("loop"), data);
        Files.createSymbolicLink(data.resolve("link.log"), Paths.get("real.log"));
        assertThat(list(data.toString(), true)).containsExactly("link.log", "real.log");
        Files.createSymbolicLink(root.resolve("way"), data);
        assertThat(list(root.resolve("way").toString(), true))
                .containsExactly("link.log", "real.log");
        assertThat(listBelow("way/*.log")).containsExactly("link.log", "real.log");
        assertThat(list(data.resolve("link.log").toString(), true)).containsExactly("link.log");
    }

    @Test
    void whatIsNoRegularFileIsSkipped() throws Exception {
        write("a");
        int made = new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start().waitFor();
        assumeTrue(made == 0);
        assertThat(list(root.toString(), true)).containsExactly("a");
        assertThatThrownBy(() -> list(root.resolve("pipe").toString(), true))
                .hasMessageContaining("neither a regular file nor a directory");
    }

    @Test
    void whatIsMissingIsNamed() {
        for (String missing : new String[] {"no/such", "no/such/*.log", "bad[glob"}) {
            assertThatThrownBy(() -> listBelow(missing))
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("cannot list '" + root + '/' + missing + "'")
                    .hasMessageContaining("does not exist")
                    .hasMessageContaining("correct the option 'path'");
        }
        assertThatThrownBy(() -> list("nul\0byte", true)).isInstanceOf(ConnectorException.class);
        assertThatThrownBy(() -> listBelow("a{b")).hasMessageContaining("no valid glob");
    }

    @Test
    void anUnreadableDirectoryFailsTheListing() throws IOException {
        write("closed/a");
        Path closed = root.resolve("closed");
        Files.setPosixFilePermissions(closed, Collections.emptySet());
        try {
            assumeTrue(!Files.isReadable(closed), "this user may read everything");
            assertThatThrownBy(() -> list(root.toString(), true)).hasMessageContaining("closed");
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void anInterruptEndsIt() throws IOException {
        write("a");
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> list(root.toString(), true))
                    .isInstanceOf(InterruptedIOException.class);
        } finally {
            Thread.interrupted();
        }
    }
}
