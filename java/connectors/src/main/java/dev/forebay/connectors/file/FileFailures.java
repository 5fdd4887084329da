// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.ConnectorError;
import dev.forebay.connectors.ConnectorException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** What a user reads when a file cannot be read to its end. */
final class FileFailures {
    private FileFailures() {}

    /** The file is missing, forbidden or broken. */
    static ConnectorException unreadable(FileSplit split, long offset, IOException cause) {
        return new ConnectorException(
                ConnectorError.FILE_UNREADABLE,
                attempt(split, offset) + reasonAndRemedy(cause),
                cause);
    }

    private static String reasonAndRemedy(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "it does not exist (any more), or not on this machine; put it back, or start a new job";
        }
        if (cause instanceof AccessDeniedException) {
            return "the engine's user may not read it; allow that and restart the job";
        }
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return reason + "; check the disk or the mount, and restart the job";
    }

    /** The file is shorter than it was when it was listed: {@code sizeNow} bytes. */
    static ConnectorException truncated(FileSplit split, long offset, long sizeNow) {
        return new ConnectorException(
                ConnectorError.FILE_TRUNCATED,
                attempt(split, offset)
                        + "it now has "
                        + sizeNow
                        + " bytes only: it was truncated or replaced after it"
                        + " was listed; put the old content back, or start a new job, and let nothing but appending"
                        + " happen to files that a job reads");
    }

    /** Another file has the name now: {@code identityNow}. */
    static ConnectorException replaced(FileSplit split, String identityNow) {
        return new ConnectorException(
                ConnectorError.FILE_REPLACED,
                attempt(split, split.offset())
                        + "it is not the file that was opened first, which was "
                        + split.identity()
                        + ", but "
                        + identityNow
                        + ": it was replaced or rotated, or this member has a copy of its own; move the old file back"
                        + " to this name, or start a new job, give rotated files a path that the job does not read, and"
                        + " let members share the file system if a job must go on after a failure");
    }

    /** The job's option {@code encoding} is not what the split was made with. */
    static ConnectorException encodingChanged(FileSplit split, String encodingNow) {
        return new ConnectorException(
                ConnectorError.OPTION_CHANGED,
                attempt(split, split.offset())
                        + "the job was started with encoding = "
                        + split.encoding()
                        + " and is restored with encoding = "
                        + encodingNow
                        + ", in which lines start at other bytes; set the old encoding again, or start a new job");
    }

    /** A line has more than {@code maxLineBytes} bytes. */
    static ConnectorException lineTooLong(FileSplit split, long lineOffset, int maxLineBytes) {
        return new ConnectorException(
                ConnectorError.LINE_TOO_LONG,
                attempt(split, lineOffset)
                        + "the line that starts there has more than the "
                        + maxLineBytes
                        + " bytes that 'max_line_bytes' allows; raise it (up to 67108864), or set long_line = cut, or"
                        + " check that this is a text file in the configured encoding");
    }

    private static String attempt(FileSplit split, long offset) {
        return "reading '"
                + pathOf(split)
                + "' ("
                + split.size()
                + " bytes when it was listed) at byte "
                + offset
                + ": ";
    }

    private static String pathOf(FileSplit split) {
        try {
            return split.path().toString();
        } catch (RuntimeException e) {
            return split.uri();
        }
    }
}
