// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.common.exception.SeaTunnelRuntimeException;

/**
 * A failure that the user of a connector can understand and act on; it carries a {@link
 * ConnectorError}.
 */
public class ConnectorException extends SeaTunnelRuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what was attempted, with which values, what went wrong and what to do
     */
    public ConnectorException(ConnectorError error, String message) {
        super(error, OneLine.of(message));
    }

    /**
     * @param message what was attempted, with which values, what went wrong and what to do
     * @param cause never null: where nothing was thrown, use the other constructor
     */
    public ConnectorException(ConnectorError error, String message, Throwable cause) {
        super(error, OneLine.of(message), cause);
    }
}
