// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.Paths;

/**
 * A path with wildcards, as {@link java.nio.file.FileSystem#getPathMatcher} reads a glob, except
 * that a component {@code **} also stands for no directory at all: {@code /data/**&#47;*.log}
 * matches {@code /data/a.log}. Parts are separated by {@code /}; a backslash escapes. Immutable.
 */
final class FileGlob {
    private static final String WILDCARDS = "*?[{\\";

    private final Path base;
    private final int depth;
    private final PathMatcher matcher;

    private FileGlob(Path base, int depth, PathMatcher matcher) {
        this.base = base;
        this.depth = depth;
        this.matcher = matcher;
    }

    static boolean hasWildcard(String path) {
        return firstWildcard(path) < path.length();
    }

    /**
     * @throws java.util.regex.PatternSyntaxException if the glob is malformed
     */
    static FileGlob parse(String path) {
        int slash = path.lastIndexOf('/', firstWildcard(path));
        String base = slash == 0 ? "/" : path.substring(0, Math.max(slash, 0));
        String pattern = path.substring(slash + 1);
        return new FileGlob(
                Paths.get(base),
                depthOf(pattern),
                FileSystems.getDefault()
                        .getPathMatcher("glob:" + withOptionalDirectories(pattern)));
    }

    /** The directory above all that can match, as the user wrote it. */
    Path base() {
        return base;
    }

    /** How many levels below {@link #base()} a match can lie: nothing deeper need be looked at. */
    int depth() {
        return depth;
    }

    /**
     * @param below a path relative to {@link #base()}
     */
    boolean matches(Path below) {
        return matcher.matches(below);
    }

    private static int firstWildcard(String path) {
        int i = 0;
        while (i < path.length() && WILDCARDS.indexOf(path.charAt(i)) < 0) {
            i++;
        }
        return i;
    }

    private static int depthOf(String pattern) {
        if (pattern.contains("**") || pattern.contains("{")) {
            return Integer.MAX_VALUE; // a group may hold separators
        }
        return (int) pattern.chars().filter(c -> c == '/').count() + 1;
    }

    private static String withOptionalDirectories(String pattern) {
        StringBuilder result = new StringBuilder(pattern.length() + 8);
        boolean inGroup = false; // a group inside of a group is not allowed
        int i = 0;
        while (i < pattern.length()) {
            boolean componentStarts = i == 0 || pattern.charAt(i - 1) == '/';
            if (componentStarts && !inGroup && pattern.startsWith("**/", i)) {
                result.append("{,**/}");
                i += 3;
                continue;
            }
            char c = pattern.charAt(i++);
            inGroup = c == '{' || inGroup && c != '}';
            result.append(c);
        }
        return result.toString();
    }
}
