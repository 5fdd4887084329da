// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The text of a job with one source and the recording sink. Each setter answers this; one thread.
 */
final class Job {
    private static final AtomicInteger SUBMITTED = new AtomicInteger();

    private final List<String> source = new ArrayList<>();
    private final List<String> env = new ArrayList<>();
    private final String plugin;
    private String recording;
    private String mode = "BATCH";
    private int parallelism = 1;

    private Job(String plugin, String recording) {
        this.plugin = plugin;
        this.recording = recording;
        // What goes wrong is to be seen, not tried again.
        env.add("job.retry.times = 0");
    }

    /** A batch job of one subtask; its rows are recorded under this name. */
    static Job reading(String plugin, String recording) {
        return new Job(plugin, recording);
    }

    /** A job with the probe of this name, whose rows are recorded under the same name. */
    static Job probing(String name) {
        return reading("Probe", name).option("name", name);
    }

    Job streaming() {
        mode = "STREAMING";
        return this;
    }

    Job parallelism(int subtasks) {
        parallelism = subtasks;
        return this;
    }

    Job checkpointEveryMillis(int interval) {
        env.add("checkpoint.interval = " + interval);
        return this;
    }

    /** Restarts from the last checkpoint, at once, when it fails: at most so often. */
    Job retrying(int times) {
        env.set(0, "job.retry.times = " + times);
        env.add("job.retry.interval.seconds = 0");
        return this;
    }

    /** An option of the source. */
    Job option(String key, Object value) {
        source.add(key + " = " + (value instanceof String ? "\"" + value + "\"" : value));
        return this;
    }

    /** Records the rows under another name from now on. */
    Job recordedAs(String name) {
        recording = name;
        return this;
    }

    Run submit() throws Exception {
        return Run.of(Engine.node().submit(newName(), text()));
    }

    /** Submits this job as the continuation of a stopped one. */
    Run restore(Run earlier) throws Exception {
        return Run.of(Engine.node().restore(newName(), text(), earlier.id()));
    }

    private String newName() {
        return "job-" + SUBMITTED.incrementAndGet() + "-" + recording;
    }

    private String text() {
        return "env {\n  parallelism = "
                + parallelism
                + "\n  job.mode = \""
                + mode
                + "\"\n  "
                + String.join("\n  ", env)
                + "\n}\nsource { "
                + plugin
                + " {\n  result_table_name = \"rows\"\n  "
                + String.join("\n  ", source)
                + "\n} }\nsink { Recording {\n  source_table_name = \"rows\"\n  name = \""
                + recording
                + "\"\n} }\n";
    }
}
