// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.common.exception.SeaTunnelErrorCode;

/** What can go wrong in a connector, as stable codes: a code is never reused for something else. */
public enum ConnectorError implements SeaTunnelErrorCode {
    /** An option has a value that the connector does not take. Found when the job is submitted. */
    BAD_OPTION("FOREBAY-C01", "An option has a value that is not allowed"),

    /** The files to read could not be listed. */
    LISTING_FAILED("FOREBAY-C02", "The files to read could not be listed"),

    /** A file is missing, must not be read, or failed while it was read. */
    FILE_UNREADABLE("FOREBAY-C03", "A file could not be read"),

    /** A file became shorter than it was when it was listed. */
    FILE_TRUNCATED("FOREBAY-C04", "A file became shorter while the job ran"),

    /** A line has more bytes than the job allows. */
    LINE_TOO_LONG("FOREBAY-C05", "A line is longer than allowed"),

    /** Under the name of a file that was listed there is another file now. */
    FILE_REPLACED("FOREBAY-C06", "A file was replaced while the job ran"),

    /** A checkpoint is restored with an option that would change what its places mean. */
    OPTION_CHANGED("FOREBAY-C07", "A restored job has another option than the checkpoint");

    private final String code;
    private final String description;

    ConnectorError(String code, String description) {
        this.code = code;
        this.description = description;
    }

    @Override
    public String getCode() {
        return code;
    }

    @Override
    public String getDescription() {
        return description;
    }
}
