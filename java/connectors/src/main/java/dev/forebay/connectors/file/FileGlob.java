// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.Paths;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A path with wildcards, as {@link java.nio.file.FileSystem#getPathMatcher} reads a glob, except
 * that a component {@code **} also stands for no directory at all: {@code /data/**&#47;*.log}
 * matches {@code /data/a.log}. Parts are separated by {@code /}; a backslash escapes.
 *
 * <p>A name that starts with a dot matches only a component that itself starts with one, as in a
 * shell. Immutable.
 */
final class FileGlob {
    private static final String WILDCARDS = "*?[{\\";
    private static final Pattern RELATIVE = Pattern.compile("(^|[/{,])\\.{1,2}(/|$)");
    private static final Pattern DOTTED = Pattern.compile("(^|[/{,])\\\\?\\.");

    private final Path base;
    private final int depth;
    private final PathMatcher matcher;

    /** For each component of the pattern whether it starts with a dot; none if no one does. */
    private final boolean[] dotted;

    private FileGlob(Path base, int depth, PathMatcher matcher, boolean[] dotted) {
        this.base = base;
        this.depth = depth;
        this.matcher = matcher;
        this.dotted = dotted;
    }

    static boolean hasWildcard(String path) {
        return firstWildcard(path) < path.length();
    }

    /**
     * @throws PatternSyntaxException if the glob is malformed, or is one that could never match
     */
    static FileGlob parse(String path) {
        int slash = path.lastIndexOf('/', firstWildcard(path));
        String base = slash == 0 ? "/" : path.substring(0, Math.max(slash, 0));
        String pattern = path.substring(slash + 1);
        return new FileGlob(
                Paths.get(base),
                depthOf(pattern),
                FileSystems.getDefault().getPathMatcher("glob:" + withOptionalDirectories(pattern)),
                dottedComponents(pattern));
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

    /**
     * Whether the pattern names the last component of {@code below} as one that starts with a dot.
     */
    boolean namesHidden(Path below) {
        int component = below.getNameCount() - 1;
        return component < dotted.length && dotted[component];
    }

    private static boolean[] dottedComponents(String pattern) {
        if (RELATIVE.matcher(pattern).find()) {
            throw new PatternSyntaxException(
                    "no file that is found has a component '.' or '..' in its path; put it before the first"
                            + " wildcard",
                    pattern,
                    -1);
        }
        if (!DOTTED.matcher(pattern).find()) {
            return new boolean[0];
        }
        if (pattern.contains("**") || pattern.contains("{")) {
            throw new PatternSyntaxException(
                    "components that start with a dot cannot stand in one glob with '**' or '{'; name them"
                            + " before the first wildcard, or use one glob for each",
                    pattern,
                    -1);
        }
        String[] components = pattern.split("/");
        boolean[] dotted = new boolean[components.length];
        for (int i = 0; i < components.length; i++) {
            dotted[i] = DOTTED.matcher(components[i]).find();
        }
        return dotted;
    }

    private static int firstWildcard(String path) {
        int i = 0;
        while (i < path.length() && WILDCARDS.indexOf(path.charAt(i)) < 0) {
            i++;
        }
        return i;
    }

    private static int depthOf(String pattern) {
        if (pattern.contains("**")) {
            return Integer.MAX_VALUE;
        }
        // Separators in groups count as well: no alternative has more of them than all together.
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
