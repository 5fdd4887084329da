// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;

/**
 * Whether a configured path still is what the user wrote. A JVM whose charsets have no Unicode, as
 * those that start without a locale, loses characters in two places: the engine passes the job file
 * through the default charset before JDK 18, where a lost character becomes '?' and would be taken
 * for a wildcard; and file names go through a charset of their own.
 */
final class PathText {
    private static final char REPLACEMENT = 0xFFFD;

    private PathText() {}

    /**
     * What is wrong with the path as it has arrived from the job file; null if nothing is.
     *
     * @param through the JVM's default charset
     */
    static String lossOnArrival(String path, Charset through) {
        if (path.indexOf(REPLACEMENT) >= 0) {
            return "it holds U+FFFD, which stands for a character that was lost: save the job file as UTF-8, and"
                    + remedy();
        }
        if (path.indexOf('?') >= 0 && !hasUnicode(through)) {
            return "its '?' may stand for a character that was lost, because this JVM's default charset is "
                    + through
                    + ":"
                    + remedy();
        }
        return null;
    }

    /** What is wrong with the path as the name of a file on this machine; null if nothing is. */
    static String lossAsName(String path) {
        try {
            return lossAsName(path, Charset.forName(System.getProperty("sun.jnu.encoding", "")));
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return null; // this JVM does not say; what it cannot name it will refuse without a hint
        }
    }

    /**
     * @param names the JVM's charset for the names of files
     */
    static String lossAsName(String path, Charset names) {
        if (names.canEncode() && !names.newEncoder().canEncode(path)) {
            return "this JVM names files in "
                    + names
                    + ", which has not all of its characters:"
                    + remedy();
        }
        return null;
    }

    private static boolean hasUnicode(Charset charset) {
        return charset.name().startsWith("UTF-") || charset.name().equals("GB18030");
    }

    private static String remedy() {
        return " start the engine with LC_ALL=C.UTF-8";
    }
}
