// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which lines there are, per file: their number and a digest that does not depend on their order. A
 * line counts with the offset at which it stands in its file, so equal lines are different ones.
 */
final class Census {
    private final Map<String, Tally> files = new TreeMap<>();
    private final LineDigest digest = new LineDigest();
    private long lines;

    private static final class Tally {
        long lines;

        /**
         * Sum of 64 bits of each line's SHA-256: a line too much and another one too few do not
         * cancel out.
         */
        long digest;
    }

    /** Makes a file known, also if it has no line. */
    void file(String name) {
        files.computeIfAbsent(name, key -> new Tally());
    }

    void line(String file, long offset, byte[] bytes, int from, int length) {
        Tally tally = files.computeIfAbsent(file, key -> new Tally());
        tally.lines++;
        tally.digest += digest.of(bytes, from, length, offset);
        lines++;
    }

    long lines() {
        return lines;
    }

    /** Lines of each file, in the order of their names. */
    long[] linesOfFiles() {
        return files.values().stream().mapToLong(file -> file.lines).toArray();
    }

    int files() {
        return files.size();
    }

    /** How many files have all the lines here that they have in {@code whole}. */
    long complete(Census whole) {
        return whole.files.entrySet().stream()
                .filter(file -> lines(file.getKey()) >= file.getValue().lines)
                .count();
    }

    private long lines(String file) {
        Tally tally = files.get(file);
        return tally == null ? 0 : tally.lines;
    }

    private long digest(String file) {
        Tally tally = files.get(file);
        return tally == null ? 0 : tally.digest;
    }

    /** The first file in which {@code other} differs, in words; null if none does. */
    String difference(Census other) {
        TreeSet<String> names = new TreeSet<>(files.keySet());
        names.addAll(other.files.keySet());
        for (String name : names) {
            if (lines(name) != other.lines(name)) {
                return name + ": " + lines(name) + " lines in, " + other.lines(name) + " lines out";
            }
            if (digest(name) != other.digest(name)) {
                return name + ": " + lines(name) + " lines in and out, but not the same ones";
            }
        }
        return null;
    }
}
