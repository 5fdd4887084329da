// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A child JVM that {@link ChildJvm} started. All waits end at the child's time limit, with a thread
 * dump of the child and an {@link AssertionError}; so does any sign of a crash and any warning of
 * {@code -Xcheck:jni}, with the output. For use by one thread.
 */
public final class Child implements AutoCloseable {
    static final String CRASH_LOG_PREFIX = "hs_err_pid";

    /**
     * How a JVM words what it has to say about JNI: calls, references, replaced signal handlers.
     */
    private static final Pattern JNI_WARNING =
            Pattern.compile(
                    "^.*(WARNING|FATAL ERROR) in native method.*$"
                            + "|^WARNING: JNI local refs.*$"
                            + "|^Warning: SIG.* handler .*$",
                    Pattern.MULTILINE);

    private static final String CRASH =
            "A fatal error has been detected by the Java Runtime Environment";

    /** The last part of a thread dump. */
    private static final String DUMP_END = "JNI global ref";

    private static final Duration DUMP_LIMIT = Duration.ofSeconds(10);

    private final Path directory;
    private final Duration limit;
    private final long deadlineNanos;
    private final Process process;
    private final OutputCollector collector;
    private boolean failed;

    Child(ProcessBuilder builder, Path directory, Duration limit) throws IOException {
        this.directory = directory;
        this.limit = limit;
        this.deadlineNanos = System.nanoTime() + limit.toNanos();
        this.process = builder.start();
        this.collector = new OutputCollector(process.getInputStream());
    }

    /** What the child has written so far, on both streams. */
    public String output() {
        return collector.text();
    }

    /** The child's working folder; it is removed at close, unless the child failed. */
    public Path directory() {
        return directory;
    }

    /** Waits until the child has written this text. */
    public void awaitOutput(String text) throws InterruptedException {
        if (collector.await(text, deadlineNanos)) {
            return;
        }
        throw collector.hasEnded()
                ? failure("ended and did not write '" + text + "'")
                : tooLate("write '" + text + "'");
    }

    /** Writes a line to the child's standard input. */
    public void send(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Waits for the child to end by itself with this exit code, and in good health. */
    public void awaitExit(int expectedCode) throws IOException, InterruptedException {
        if (!process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)
                || !collector.awaitEnd(deadlineNanos)) {
            throw tooLate("end");
        }
        checkHealth();
        if (process.exitValue() != expectedCode) {
            throw failure(
                    "ended with exit code " + process.exitValue() + ", expected " + expectedCode);
        }
    }

    /** Ends the child without giving it a chance (SIGKILL), and waits until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        collector.awaitEnd(System.nanoTime() + DUMP_LIMIT.toNanos());
    }

    /** Kills the child if it still runs, and removes its folder if nothing was wrong. */
    @Override
    public void close() throws IOException {
        try {
            kill();
        } catch (InterruptedException e) {
            // The folder may not be removable then; whoever interrupts a test does not mind.
            Thread.currentThread().interrupt();
        }
        if (failed) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }

    private void checkHealth() throws IOException {
        try (DirectoryStream<Path> logs =
                Files.newDirectoryStream(directory, CRASH_LOG_PREFIX + "*")) {
            for (Path log : logs) {
                throw failure("crashed; its log is " + log);
            }
        }
        if (output().contains(CRASH)) {
            throw failure("crashed");
        }
        Matcher warning = JNI_WARNING.matcher(output());
        if (warning.find()) {
            throw failure("was warned by -Xcheck:jni: " + warning.group());
        }
    }

    private AssertionError tooLate(String what) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder("kill", "-QUIT", processId()).start();
            kill.waitFor();
            collector.await(DUMP_END, System.nanoTime() + DUMP_LIMIT.toNanos());
        } catch (IOException | ReflectiveOperationException e) {
            return failure("did not " + what + " within " + limit + " (no thread dump: " + e + ")");
        }
        return failure("did not " + what + " within " + limit + "; a thread dump is in its output");
    }

    private AssertionError failure(String what) {
        failed = true;
        return new AssertionError(
                "The child JVM "
                        + what
                        + ". Its folder is "
                        + directory
                        + ", its output:\n"
                        + output());
    }

    private String processId() throws ReflectiveOperationException {
        // By reflection, since the tests too are compiled for Java 8; they run on 17 and later.
        return Process.class.getMethod("pid").invoke(process).toString();
    }
}
