// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** Runs leave their folders behind, and those must not pile up. */
class WorkFolderTest {
    @TempDir Path root;

    private Path parent() {
        return root.resolve("target/demo");
    }

    /** A folder with something in it, of the day with this number. */
    private Path earlier(String name, int day) throws IOException {
        Path folder = Files.createDirectories(parent().resolve(name));
        Files.createDirectories(folder.resolve("checkpoints/1"));
        Files.write(folder.resolve("checkpoints/1/state"), new byte[1]);
        Files.setLastModifiedTime(folder, FileTime.fromMillis(day * 86_400_000L));
        return folder;
    }

    @Test
    void theLastFewStay() throws IOException {
        Path[] earlier = new Path[WorkFolder.KEPT + 3];
        for (int day = 0; day < earlier.length; day++) {
            // Not in the order of the names.
            earlier[day] = earlier("run-" + day * 7 % 10, day);
        }
        Path made = WorkFolder.make(parent(), "run-");
        assertThat(made).isEmptyDirectory();
        assertThat(earlier[0]).doesNotExist();
        assertThat(earlier[2]).doesNotExist();
        for (int day = 3; day < earlier.length; day++) {
            assertThat(earlier[day].resolve("checkpoints/1/state")).exists();
        }
    }

    @Test
    void whatIsNotOfTheKindStaysAndLinksAreNotFollowed() throws IOException {
        Path beside = Files.write(root.resolve("beside"), new byte[1]);
        Path other = earlier("job-1", 0);
        Path log = Files.write(parent().resolve("run-engine.log"), new byte[1]);
        Path link = Files.createSymbolicLink(parent().resolve("run-link"), root);
        for (int day = 1; day <= WorkFolder.KEPT + 1; day++) {
            Files.createSymbolicLink(earlier("run-" + day, day).resolve("out"), beside);
            Files.setLastModifiedTime(
                    parent().resolve("run-" + day), FileTime.fromMillis(day * 86_400_000L));
        }
        WorkFolder.make(parent(), "run-");
        assertThat(parent().resolve("run-1")).doesNotExist();
        assertThat(beside).exists();
        assertThat(other).exists();
        assertThat(log).exists();
        assertThat(link).exists();
    }

    @Test
    void theFirstOneIsMadeWithItsParents() throws IOException {
        assertThat(WorkFolder.make(parent(), "run-").getParent()).isEqualTo(parent());
    }
}
