// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Describes a JVM of its own for a test: a main class, a class path, properties, a time limit.
 * {@link #run()} expects it to end well; {@link #start()} hands it out running.
 *
 * <p>Every child runs under {@code -Xcheck:jni} in a fresh working folder. Whatever its exit code,
 * it fails the test if it crashed, if a JNI check warned, or if it did not end in time (see {@link
 * Child}). The builder belongs to one thread.
 */
public final class ChildJvm {
    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

    /** Variables by which the surroundings would add options to the child's. */
    private static final List<String> INHERITED_OPTIONS =
            Arrays.asList("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH");

    private final String mainClass;
    private final List<String> prefix = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private Path home = TestJdks.current();
    private String classPath = System.getProperty("java.class.path");
    private Duration limit = DEFAULT_LIMIT;
    private Path parent = Paths.get(System.getProperty("java.io.tmpdir"));

    private ChildJvm(String mainClass) {
        this.mainClass = mainClass;
    }

    /**
     * A child that runs this class on this JVM's JDK and class path.
     *
     * @param mainClass has a main method
     */
    public static ChildJvm of(Class<?> mainClass) {
        return new ChildJvm(mainClass.getName());
    }

    /** Runs on the JDK in this folder. */
    public ChildJvm jdk(Path javaHome) {
        this.home = javaHome;
        return this;
    }

    /** Replaces the class path. */
    public ChildJvm classPath(List<Path> entries) {
        this.classPath =
                entries.stream()
                        .map(entry -> entry.toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator));
        return this;
    }

    /** Sets a system property of the child. */
    public ChildJvm property(String name, Object value) {
        properties.put(name, value.toString());
        return this;
    }

    /** Adds an option of the JVM. */
    public ChildJvm option(String option) {
        options.add(option);
        return this;
    }

    /** Adds an argument of the main method. */
    public ChildJvm argument(Object argument) {
        arguments.add(argument.toString());
        return this;
    }

    /** How long the child may live, from its start on; 60 seconds if not said. */
    public ChildJvm limit(Duration longest) {
        this.limit = longest;
        return this;
    }

    /** Makes the child's working folder in this folder instead of the temporary one. */
    public ChildJvm below(Path folder) {
        this.parent = folder;
        return this;
    }

    /**
     * Puts words in front of the command; the program that they name must end up executing the
     * rest.
     */
    public ChildJvm inside(String... command) {
        prefix.addAll(Arrays.asList(command));
        return this;
    }

    /**
     * Starts the child.
     *
     * @return the running child; to be closed, which kills it if it still runs
     * @throws IOException if no process can be started
     */
    public Child start() throws IOException {
        Path directory = Files.createTempDirectory(parent, "forebay-child-");
        ProcessBuilder builder =
                new ProcessBuilder(command(directory))
                        .directory(directory.toFile())
                        .redirectErrorStream(true);
        builder.environment().keySet().removeAll(INHERITED_OPTIONS);
        return new Child(builder, directory, limit);
    }

    /**
     * Starts the child and waits for it to end with exit code 0.
     *
     * @return all that it wrote
     * @throws AssertionError if it ended otherwise, crashed, warned or took too long
     */
    public String run() throws IOException, InterruptedException {
        try (Child child = start()) {
            child.awaitExit(0);
            return child.output();
        }
    }

    private List<String> command(Path directory) {
        List<String> command = new ArrayList<>(prefix);
        command.add(home.resolve(Paths.get("bin", "java")).toString());
        // Small and quick to start: tests run several at a time on few cores.
        command.addAll(
                Arrays.asList(
                        "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xcheck:jni"));
        command.add("-XX:-CreateCoredumpOnCrash");
        command.add("-XX:ErrorFile=" + directory.resolve(Child.CRASH_LOG_PREFIX + "%p.log"));
        command.addAll(options);
        properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.addAll(Arrays.asList("-cp", classPath, mainClass));
        command.addAll(arguments);
        return command;
    }
}
