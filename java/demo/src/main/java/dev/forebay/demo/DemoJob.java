// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.nio.file.Path;
import java.util.PriorityQueue;

/** The text of the demo's job file. */
final class DemoJob {
    /**
     * How long the reading is made to take: long enough for several checkpoints on both sides of
     * the savepoint. With rates that are whole numbers it becomes 20 to 40 seconds.
     */
    static final int SECONDS = 27;

    private static final int PARALLELISM = 2;

    /** More is refused by the source; 0 is no limit. */
    private static final long MAX_RATE = 1_000_000;

    private DemoJob() {}

    static String definition(Path input, Path work, Census in) {
        return String.join(
                "\n",
                "env {",
                "  parallelism = " + PARALLELISM,
                "  job.mode = \"BATCH\"",
                "  checkpoint.interval = 1000",
                // What goes wrong is to be told at once, and not to be tried again.
                "  job.retry.times = 0",
                "}",
                "source {",
                "  ManagedFile {",
                "    result_table_name = \"lines\"",
                "    path = " + quote(input),
                "    metadata = true",
                "    max_line_bytes = " + InputCensus.MAX_LINE_BYTES,
                "    rows_per_second = " + rate(in.linesOfFiles()),
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

    /**
     * Rows a second of each reader with which the reading of these files takes about {@link
     * #SECONDS}.
     */
    static long rate(long[] linesOfFiles) {
        long rate = Math.round((double) linesOfBusiestReader(linesOfFiles) / SECONDS);
        return rate > MAX_RATE ? 0 : Math.max(1, rate);
    }

    /**
     * A file is read by one reader from start to end, and the next one by the first that is free.
     */
    static long linesOfBusiestReader(long[] linesOfFiles) {
        PriorityQueue<Long> readers = new PriorityQueue<>();
        for (int i = 0; i < PARALLELISM; i++) {
            readers.add(0L);
        }
        long busiest = 0;
        for (long lines : linesOfFiles) {
            long read = readers.remove() + lines;
            busiest = Math.max(busiest, read);
            readers.add(read);
        }
        return busiest;
    }

    private static String quote(Path path) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : path.toString().toCharArray()) {
            if (c == '\\' || c == '"') {
                quoted.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
