// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

/** What becomes of a line that has more bytes than the job allows. */
public enum LongLine {
    /** The job fails and names the file and the place. */
    FAIL,

    /**
     * The line is emitted as far as it is allowed to be, the rest of it is dropped, and the line is
     * counted.
     */
    CUT
}
