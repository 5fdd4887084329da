// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import org.apache.seatunnel.engine.client.job.ClientJobProxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Follows a job by what it leaves behind: committed output and completed checkpoints. A line every
 * second.
 */
final class Progress {
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SAY_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Census in;
    private final OutputCensus output;
    private final Path checkpointFolder;

    /** The engine keeps the last ones only, so each is counted when it is seen first. */
    private final Set<Path> checkpoints = new HashSet<>();

    private final long start = System.nanoTime();
    private long said = start;

    Progress(Census in, Path output, Path checkpointFolder) {
        this.in = in;
        this.output = new OutputCensus(output);
        this.checkpointFolder = checkpointFolder;
    }

    /** Returns when {@code enough} is true of the output, or the job has ended. */
    void follow(ClientJobProxy job, Predicate<Census> enough) throws IOException {
        while (true) {
            boolean ended = job.getJobStatus().isEndState();
            Census out = update();
            if (System.nanoTime() - said >= SAY_EVERY_NANOS) {
                said = System.nanoTime();
                say(out);
            }
            if (ended || enough.test(out)) {
                return;
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    /** What has been committed so far. */
    Census update() throws IOException {
        if (Files.isDirectory(checkpointFolder)) {
            try (Stream<Path> files = Files.walk(checkpointFolder)) {
                checkpoints.addAll(files.filter(Files::isRegularFile).collect(Collectors.toList()));
            }
        }
        return output.update();
    }

    int checkpoints() {
        return checkpoints.size();
    }

    private void say(Census out) {
        System.out.println(
                String.format(
                        Locale.ROOT,
                        "%3d s  lines %d/%d (%d %%)  splits %d/%d  checkpoints %d",
                        TimeUnit.NANOSECONDS.toSeconds(said - start),
                        out.lines(),
                        in.lines(),
                        in.lines() == 0 ? 100 : out.lines() * 100 / in.lines(),
                        out.complete(in),
                        in.files(),
                        checkpoints.size()));
    }
}
