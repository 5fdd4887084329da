// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.connectors.fake.ManagedFakeFeed;
import dev.forebay.testkit.RecordingSink;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A job that is stopped with a savepoint and started again from it loses no row and repeats none.
 */
@SystemTest
class SavepointTest {
    private static final int SPLITS = 6;
    private static final int ROWS = 400;
    private static final int RATE = 1_000;
    private static final int MIDWAY = 500;

    private static Job fake(String recording, int rows, int rate) {
        return Job.reading("ManagedFake", recording)
                .option("splits", SPLITS)
                .option("rows", rows)
                .option("rows_per_second", rate)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(300);
    }

    @Test
    void everyRowComesOnceAcrossASavepoint() throws Exception {
        int rows = 20 * ROWS;
        Run first = stopMidway(fake("savepoint-fake", rows, RATE), "savepoint-fake");
        assertThat(Rows.count("savepoint-fake")).isLessThan(SPLITS * rows);
        fake("savepoint-fake", rows, 0).restore(first).awaitFinished();
        Rows.assertEachOnce(Rows.recorded("savepoint-fake"), Rows.expected(SPLITS, rows));
    }

    @Test
    void everyRowComesOnceAcrossManySavepoints() throws Exception {
        // So many that the last savepoint is still on the way, however long the others take.
        int rows = 50 * ROWS;
        Run run = stopMidway(fake("savepoint-many", rows, RATE), "savepoint-many");
        for (int i = 0; i < 3; i++) {
            int before = Rows.count("savepoint-many");
            run = fake("savepoint-many", rows, RATE).restore(run);
            Rows.await("savepoint-many", before + MIDWAY / 2);
            run.savepoint();
        }
        assertThat(Rows.count("savepoint-many")).isLessThan(SPLITS * rows);
        fake("savepoint-many", rows, 0).restore(run).awaitFinished();
        Rows.assertEachOnce(Rows.recorded("savepoint-many"), Rows.expected(SPLITS, rows));
    }

    @Test
    void twoRestoresOfOneSavepointBringTheSameRows(@TempDir Path folder) throws Exception {
        int rows = 20 * ROWS;
        Run first = stopMidway(fake("savepoint-twice", rows, RATE), "savepoint-twice");
        Path kept = Files.createDirectory(folder.resolve("kept"));
        copy(Engine.checkpoints(first.id()), kept);
        fake("savepoint-twice", rows, 0)
                .recordedAs("savepoint-once-more")
                .restore(first)
                .awaitFinished();
        // A finished job removes its checkpoints.
        copy(kept, Engine.checkpoints(first.id()));
        fake("savepoint-twice", rows, 0)
                .recordedAs("savepoint-yet-again")
                .restore(first)
                .awaitFinished();
        Rows.assertEachOnce(
                Rows.recorded("savepoint-yet-again"), Rows.recorded("savepoint-once-more"));
        List<String> all = Rows.recorded("savepoint-twice");
        all.addAll(Rows.recorded("savepoint-yet-again"));
        Rows.assertEachOnce(all, Rows.expected(SPLITS, rows));
    }

    @Test
    void everyLineOfFilesComesOnceAcrossASavepoint(@TempDir Path folder) throws Exception {
        List<String> lines = writeFiles(folder);
        Run first = stopMidway(files(folder, RATE), "savepoint-files");
        assertThat(Rows.count("savepoint-files")).isLessThan(lines.size());
        files(folder, 0).restore(first).awaitFinished();
        List<String> recorded =
                RecordingSink.rows("savepoint-files").stream()
                        .map(row -> (String) row.getField(0))
                        .collect(Collectors.toList());
        Rows.assertEachOnce(recorded, lines);
    }

    private static Job files(Path folder, int rate) {
        return Job.reading("ManagedFile", "savepoint-files")
                .option("path", folder.toString())
                .option("rows_per_second", rate)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(300);
    }

    private static List<String> writeFiles(Path folder) throws IOException {
        List<String> all = new ArrayList<>();
        for (int file = 0; file < SPLITS; file++) {
            List<String> lines = new ArrayList<>();
            for (int line = 0; line < 10 * ROWS; line++) {
                lines.add("file " + file + " line " + line);
            }
            Files.write(folder.resolve("file-" + file + ".txt"), lines);
            all.addAll(lines);
        }
        return all;
    }

    @Test
    void anIdleSourceStopsQuicklyAndGoesOnAfterwards() throws Exception {
        Job idle =
                Job.reading("ManagedFake", "savepoint-idle")
                        .option("splits", 2)
                        .option("rows", -1)
                        .option("feed", "savepoint-idle")
                        .parallelism(2)
                        .streaming()
                        .checkpointEveryMillis(60_000);
        ManagedFakeFeed feed = ManagedFakeFeed.named("savepoint-idle");
        feed.push(1);
        Run first = idle.submit();
        Rows.await("savepoint-idle", 1);
        long begin = System.nanoTime();
        first.savepoint();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        Run second = idle.restore(first);
        feed.push(2);
        Rows.await("savepoint-idle", 2);
        second.cancel();
        assertThat(RecordingSink.rows("savepoint-idle"))
                .extracting(row -> row.getField(1))
                .containsExactly(1L, 2L);
    }

    private static Run stopMidway(Job job, String recording) throws Exception {
        Run run = job.submit();
        Rows.await(recording, MIDWAY);
        run.savepoint();
        return run;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        List<Path> files = Files.list(from).collect(Collectors.toList());
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            Files.copy(file, to.resolve(file.getFileName()));
        }
    }
}
