// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import dev.forebay.connectors.OneLine;
import dev.forebay.testkit.EngineNode;

import org.apache.seatunnel.engine.client.job.ClientJobProxy;
import org.apache.seatunnel.engine.core.job.JobResult;
import org.apache.seatunnel.engine.core.job.JobStatus;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Reads a directory with {@code ManagedFile} at parallelism 2 into the engine's own transactional
 * text sink, with a checkpoint every second; takes a savepoint on the way, restores it, lets the
 * job end by itself, and compares: every line of the input must have come out exactly once.
 *
 * <p>Arguments: the folder to work in, the source tree, and optionally the input directory.
 * Whatever happens, the last line says how it ended.
 */
public final class Demo {
    private static final String OK = "demo ok: ";
    private static final String FAILED = "demo failed: ";

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
        String line = lastLine(() -> run(arguments));
        say(line);
        // The engine leaves threads behind.
        System.exit(line.startsWith(OK) ? 0 : 1);
    }

    /** What the demo ends with: what {@code demo} answers, or why it did not. */
    static String lastLine(Callable<String> demo) {
        try {
            return demo.call();
        } catch (Refusal e) {
            return FAILED + e.getMessage();
        } catch (Throwable e) { // an error is to end with its line as well
            e.printStackTrace();
            return FAILED + OneLine.of(e.toString()) + seeLog();
        }
    }

    private static String run(String[] arguments) throws Exception {
        Path work = WorkFolder.make(Paths.get(arguments[0]), "run-");
        Path input;
        if (arguments.length > 2 && !arguments[2].isEmpty()) {
            input = InputFolder.named(arguments[2], work);
        } else {
            TextFiles.copy(Paths.get(arguments[1]), work.resolve("input"));
            input = work.resolve("input").toRealPath();
        }
        InputFolder.checkNameable(input);
        Census in = InputCensus.of(input);
        InputFolder.checkEnough(input, in);
        say(
                "input "
                        + input
                        + ": "
                        + in.files()
                        + " files, "
                        + in.lines()
                        + " lines; starting a Zeta node (its log is "
                        + log()
                        + ")");
        try (EngineNode node = EngineNode.start(work)) {
            return new Demo(work, input, in, node).run();
        }
    }

    private String run() throws Exception {
        String definition = DemoJob.definition(input, work, in);
        ClientJobProxy job = node.submit("demo", definition);
        progress.follow(job, out -> out.lines() * 5 >= in.lines() * 2);
        if (job.getJobStatus().isEndState()) {
            throw ended("the job ended before a savepoint could be taken", job);
        }
        say("taking a savepoint");
        if (!"SAVEPOINT_DONE".equals(node.savepoint(job))) {
            throw ended("the savepoint failed", job);
        }
        say("restoring it");
        ClientJobProxy restored = node.restore("demo", definition, job.getJobId());
        progress.follow(restored, out -> false);
        if (restored.waitForJobCompleteV2().getStatus() != JobStatus.FINISHED) {
            throw ended("the restored job did not finish", restored);
        }
        return verdict(progress.update());
    }

    private static Refusal ended(String what, ClientJobProxy job) {
        JobResult result = job.waitForJobCompleteV2();
        return new Refusal(
                what + " (" + result.getStatus() + "): " + Reason.of(result.getError()) + seeLog());
    }

    private String verdict(Census out) throws IOException {
        String difference = in.difference(out);
        if (difference == null) {
            return String.format(
                    Locale.ROOT,
                    OK
                            + "lines_in=%d lines_out=%d checkpoints=%d savepoint=1 restored=1 lane=managed",
                    in.lines(),
                    out.lines(),
                    progress.checkpoints());
        }
        String changed = in.difference(InputCensus.of(input));
        if (changed != null) {
            throw new Refusal(
                    "INPUT changed while the demo ran; "
                            + changed
                            + " (what is there now); name a folder that stays as it is");
        }
        throw new Refusal(difference + seeLog());
    }

    private static String seeLog() {
        return "; see " + log();
    }

    private static String log() {
        return System.getProperty("forebay.demo.log", "engine.log");
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
