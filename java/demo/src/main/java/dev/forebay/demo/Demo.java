// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import dev.forebay.testkit.EngineNode;

import org.apache.seatunnel.engine.client.job.ClientJobProxy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;

/**
 * Reads a directory with {@code ManagedFile} at parallelism 2 into the engine's own transactional
 * text sink, with a checkpoint every second; takes a savepoint on the way, restores it, lets the
 * job end by itself, and compares: every line of the input must have come out exactly once.
 *
 * <p>Arguments: the folder to work in, the source tree, and optionally the input directory.
 */
public final class Demo {
    /**
     * How long the reading is made to take: long enough for several checkpoints on both sides of
     * the savepoint.
     */
    private static final int SECONDS = 24;

    private static final int PARALLELISM = 2;

    private final Path work;
    private final Path input;
    private final Census in;
    private final Progress progress;
    private final EngineNode node;

    private Demo(Path work, Path input, Census in, EngineNode node) {
        this.work = work;
        this.input = input;
        this.in = in;
        this.node = node;
        this.progress = new Progress(in, work.resolve("output"), node.checkpoints());
    }

    public static void main(String[] arguments) {
        // The engine leaves threads behind.
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        try {
            Path work =
                    Files.createTempDirectory(
                            Files.createDirectories(Paths.get(arguments[0])), "run-");
            Path input =
                    arguments.length > 2 && !arguments[2].isEmpty()
                            ? Paths.get(arguments[2])
                            : work.resolve("input");
            if (input.startsWith(work)) {
                TextFiles.copy(Paths.get(arguments[1]), input);
            } else if (!Files.isDirectory(input)) {
                return differs("INPUT is not a directory: " + input);
            }
            Census in = InputCensus.of(input.toRealPath());
            say(
                    "input "
                            + input
                            + ": "
                            + in.files()
                            + " files, "
                            + in.lines()
                            + " lines; starting a Zeta node (its log is "
                            + System.getProperty("forebay.demo.log", "engine.log")
                            + ")");
            try (EngineNode node = EngineNode.start(work)) {
                return new Demo(work, input.toRealPath(), in, node).run();
            }
        } catch (Exception e) {
            e.printStackTrace();
            return differs(e.toString());
        }
    }

    private int run() throws Exception {
        ClientJobProxy job = node.submit("demo", definition());
        long jobId = job.getJobId();
        progress.follow(job, out -> out.lines() * 5 >= in.lines() * 2);
        if (job.getJobStatus().isEndState()) {
            return differs(
                    "the job was "
                            + job.getJobStatus()
                            + " before a savepoint could be taken"
                            + (in.lines() < 50
                                    ? ": the input has only " + in.lines() + " lines, 50 are needed"
                                    : ""));
        }
        say("taking a savepoint");
        String stopped = node.savepoint(job);
        if (!"SAVEPOINT_DONE".equals(stopped)) {
            return differs("the savepoint ended as " + stopped);
        }
        say("restoring it");
        ClientJobProxy restored = node.restore("demo", definition(), jobId);
        progress.follow(restored, out -> false);
        String ended = restored.waitForJobCompleteV2().getStatus().name();
        if (!"FINISHED".equals(ended)) {
            return differs("the restored job ended as " + ended);
        }
        return verdict(progress.update());
    }

    private int verdict(Census out) {
        String difference = in.difference(out);
        if (difference != null) {
            return differs(difference);
        }
        say(
                String.format(
                        Locale.ROOT,
                        "demo ok: lines_in=%d lines_out=%d checkpoints=%d savepoint=1 restored=1 lane=managed",
                        in.lines(),
                        out.lines(),
                        progress.checkpoints()));
        return 0;
    }

    private String definition() {
        // A file is read by one reader from start to end, so the longest one bounds the time as
        // well.
        long rate =
                Math.max(
                        1,
                        Math.max(
                                in.lines() / (PARALLELISM * SECONDS),
                                in.longest() / (2 * SECONDS)));
        return String.join(
                "\n",
                "env {",
                "  parallelism = " + PARALLELISM,
                "  job.mode = \"BATCH\"",
                "  checkpoint.interval = 1000",
                "}",
                "source {",
                "  ManagedFile {",
                "    result_table_name = \"lines\"",
                "    path = " + quote(input),
                "    metadata = true",
                "    max_line_bytes = 67108864",
                "    rows_per_second = " + rate,
                "  }",
                "}",
                "sink {",
                "  LocalFile {",
                "    source_table_name = \"lines\"",
                "    path = " + quote(work.resolve("output")),
                "    tmp_path = " + quote(work.resolve("tmp")),
                "    file_format_type = \"text\"",
                "    field_delimiter = \"\\u0001\"",
                "    row_delimiter = \"\\n\"",
                "  }",
                "}",
                "");
    }

    private static String quote(Path path) {
        return '"' + path.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private static int differs(String what) {
        say("demo failed: " + what);
        return 1;
    }
}
