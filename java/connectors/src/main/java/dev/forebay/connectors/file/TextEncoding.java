// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.ConnectorError;
import dev.forebay.connectors.ConnectorException;

import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.util.Arrays;

/**
 * How line ends and byte order marks look in a charset. A line end is looked for at multiples of
 * {@link #unit()} from the start of the file only, so that the two halves of neighbouring UTF-16
 * characters are not taken for one. Immutable.
 */
final class TextEncoding {
    private static final String EXAMPLES =
            "UTF-8, UTF-16LE, UTF-16BE, UTF-16, ISO-8859-1, windows-1252, GBK, GB18030, Big5, Shift_JIS, EUC-KR";

    /** Characters of several scripts, and some that hold a line feed's byte in UTF-16. */
    private static final String PROBE = "a\u00e9\u0a0a\u0a00\u010a\u3042\u4e2d\ud55c";

    /** Bytes at a file's start that are enough to see a byte order mark of any charset. */
    static final int HEAD_BYTES = 4;

    private final Charset charset;
    private final byte[] lineFeed;
    private final byte[] carriageReturn;
    private final byte[] byteOrderMark;

    /**
     * What it is when the file starts with the other byte order's mark; null if the charset fixes
     * the order.
     */
    private final TextEncoding otherOrder;

    private TextEncoding(Charset charset, TextEncoding otherOrder) {
        this.charset = charset;
        this.lineFeed = encodedAlone(charset, "\n");
        this.carriageReturn = encodedAlone(charset, "\r");
        this.byteOrderMark =
                charset.newEncoder().canEncode('\ufeff')
                        ? encodedAlone(charset, "\ufeff")
                        : new byte[0];
        this.otherOrder = otherOrder;
    }

    /**
     * @param name any name that Java has for a charset; {@code UTF-16} and {@code UTF-32} go by the
     *     byte order mark of each file, and without one the high byte comes first
     * @throws ConnectorException if Java has no such charset, or its text cannot be cut into lines
     */
    static TextEncoding named(String name) {
        Charset charset;
        try {
            charset = Charset.forName(name);
        } catch (IllegalArgumentException e) {
            throw refused(name, "Java has no charset of that name");
        }
        if (!charset.canEncode() || !charset.newEncoder().canEncode('\n')) {
            throw refused(name, "it has no line feed that could be looked for");
        }
        TextEncoding encoding = withFixedOrder(charset);
        if (!encoding.canBeCutIntoLines()) {
            throw refused(name, "what a byte means depends on earlier lines");
        }
        return encoding;
    }

    private static TextEncoding withFixedOrder(Charset charset) {
        int unit = encodedAlone(charset, "\n").length;
        if (unit == 1) {
            return new TextEncoding(charset, null);
        }
        String family = unit == 2 ? "UTF-16" : "UTF-32";
        boolean highFirst = encodedAlone(charset, "\n")[0] == 0;
        boolean byMark = charset.name().equals(family);
        Charset fixed = Charset.forName(family + (highFirst ? "BE" : "LE"));
        Charset other = Charset.forName(family + (highFirst ? "LE" : "BE"));
        return new TextEncoding(fixed, byMark ? new TextEncoding(other, null) : null);
    }

    private static ConnectorException refused(String name, String why) {
        return new ConnectorException(
                ConnectorError.BAD_OPTION,
                "option 'encoding' cannot be '"
                        + name
                        + "': "
                        + why
                        + "; use for example one of "
                        + EXAMPLES);
    }

    /** The bytes of {@code text} without the mark that some encoders put in front of everything. */
    private static byte[] encodedAlone(Charset charset, String text) {
        int once = text.getBytes(charset).length;
        byte[] twice = (text + text).getBytes(charset);
        return Arrays.copyOfRange(twice, once, twice.length);
    }

    private boolean canBeCutIntoLines() {
        CharsetEncoder encoder = charset.newEncoder();
        StringBuilder line = new StringBuilder();
        PROBE.chars().filter(c -> encoder.canEncode((char) c)).forEach(c -> line.append((char) c));
        byte[] bytes = (line + "\n" + line + "\n").getBytes(charset);
        int first = findLineFeed(bytes, 0, bytes.length);
        int second = first < 0 ? -1 : findLineFeed(bytes, first + unit(), bytes.length);
        return second >= 0
                && new String(bytes, 0, first, charset).contentEquals(line)
                && new String(bytes, first + unit(), second - first - unit(), charset)
                        .contentEquals(line);
    }

    /**
     * What the encoding is for a file that starts with the first {@code length} bytes of {@code
     * head}.
     */
    TextEncoding forFile(byte[] head, int length) {
        return otherOrder != null && otherOrder.markLength(head, length) > 0 ? otherOrder : this;
    }

    /** Bytes of the byte order mark that {@code head} starts with; 0 if there is none. */
    int markLength(byte[] head, int length) {
        boolean marked = byteOrderMark.length <= length && startsWith(head, 0, byteOrderMark);
        return marked ? byteOrderMark.length : 0;
    }

    Charset charset() {
        return charset;
    }

    /** Bytes of a line feed, and of a carriage return: 1, 2 or 4. */
    int unit() {
        return lineFeed.length;
    }

    /**
     * Index of the first line feed that lies in {@code [from, to)} as a whole units from {@code
     * from}; -1 if none.
     */
    int findLineFeed(byte[] bytes, int from, int to) {
        int unit = lineFeed.length;
        if (unit == 1) {
            byte feed = lineFeed[0];
            for (int i = from; i < to; i++) {
                if (bytes[i] == feed) {
                    return i;
                }
            }
            return -1;
        }
        for (int i = from; i + unit <= to; i += unit) {
            if (startsWith(bytes, i, lineFeed)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether {@code [from, to)} ends with a carriage return. */
    boolean endsWithReturn(byte[] bytes, int from, int to) {
        int at = to - carriageReturn.length;
        return at >= from && startsWith(bytes, at, carriageReturn);
    }

    private static boolean startsWith(byte[] bytes, int at, byte[] prefix) {
        for (int i = 0; i < prefix.length; i++) {
            if (bytes[at + i] != prefix[i]) {
                return false;
            }
        }
        return true;
    }
}
