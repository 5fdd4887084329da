// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import dev.forebay.testkit.EngineNode;

import org.apache.seatunnel.engine.client.job.ClientJobProxy;
import org.apache.seatunnel.engine.core.job.JobResult;
import org.apache.seatunnel.engine.core.job.JobStatus;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a job file on a node in this process until the job ends by itself, or the process is
 * interrupted; says so every ten seconds.
 *
 * <p>Arguments: the folder to work in, and the job file. The exit status is 0 if the job finished.
 */
public final class RunJob {
    private static final long TELL_EVERY_SECONDS = 10;

    private RunJob() {}

    public static void main(String[] arguments) {
        // The engine leaves threads behind.
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        try {
            Path file = Paths.get(arguments[1]);
            if (!Files.isRegularFile(file)) {
                say("JOB is not a file: " + file.toAbsolutePath());
                return 1;
            }
            String definition = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            Path work = WorkFolder.make(Paths.get(arguments[0]), "job-");
            say("starting a Zeta node in " + work);
            try (EngineNode node = EngineNode.start(work)) {
                return await(node.submit(file.getFileName().toString(), definition));
            }
        } catch (Throwable t) {
            t.printStackTrace();
            say("the job could not be run: " + t);
            return 1;
        }
    }

    private static int await(ClientJobProxy job) throws Exception {
        long begin = System.nanoTime();
        CompletableFuture<JobResult> end = CompletableFuture.supplyAsync(job::waitForJobCompleteV2);
        while (true) {
            try {
                JobResult result = end.get(TELL_EVERY_SECONDS, TimeUnit.SECONDS);
                say("the job has ended: " + result.getStatus());
                if (result.getError() != null) {
                    say(result.getError());
                }
                return result.getStatus() == JobStatus.FINISHED ? 0 : 1;
            } catch (TimeoutException e) {
                Duration runs = Duration.ofNanos(System.nanoTime() - begin);
                say(job.getJobStatus() + " for " + runs.getSeconds() + " s");
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
