// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;

/** The directory that the demo reads, and what makes one unfit for it. */
final class InputFolder {
    /** Fewer lines have no middle in which a savepoint could be taken. */
    static final int MIN_LINES = 50;

    private InputFolder() {}

    /**
     * The real path of the directory that the user has named.
     *
     * @param work the folder that the demo writes into
     * @throws Refusal if it is no directory, or the demo would read what it writes
     */
    static Path named(String name, Path work) throws IOException {
        Path input;
        try {
            input = Paths.get(name);
        } catch (InvalidPathException e) {
            throw new Refusal("INPUT is no path: " + e.getMessage() + localeHint());
        }
        if (!Files.isDirectory(input)) {
            throw new Refusal(
                    "INPUT is not a directory: "
                            + name
                            + (name.matches("[ -~&&[^?]]*") ? "" : localeHint()));
        }
        Path real = input.toRealPath();
        if (work.toRealPath().startsWith(real)) {
            throw new Refusal(
                    "INPUT "
                            + real
                            + " contains the folder that the demo itself writes into ("
                            + work.toRealPath().getParent()
                            + "); name a folder beside that, or leave INPUT out to read the text files of this"
                            + " repository");
        }
        return real;
    }

    /**
     * Checks that the job can be told of the directory: as text.
     *
     * @throws Refusal if the JVM's encoding for names has not all characters of its path
     */
    static void checkNameable(Path input) throws IOException {
        boolean same;
        try {
            Path again = Paths.get(input.toString());
            same = Files.exists(again) && Files.isSameFile(again, input);
        } catch (InvalidPathException e) {
            same = false;
        }
        if (!same) {
            throw new Refusal("the path of INPUT, " + input + ", gets lost" + localeHint());
        }
    }

    /**
     * @throws Refusal if there are too few lines
     */
    static void checkEnough(Path input, Census in) {
        if (in.lines() < MIN_LINES) {
            throw new Refusal(
                    "INPUT "
                            + input
                            + " has "
                            + in.files()
                            + " files (hidden ones do not count) with "
                            + in.lines()
                            + " lines; "
                            + MIN_LINES
                            + " lines are needed, so that there is a middle to take the savepoint in");
        }
    }

    private static String localeHint() {
        String encoding = System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name());
        return " (this JVM names files in "
                + encoding
                + "; if the name has characters that "
                + encoding
                + " has not, set LC_ALL=C.UTF-8)";
    }
}
