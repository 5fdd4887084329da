// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What a connector declares it can do. Its digest is stored in each checkpoint, and a restore is
 * refused when the restored one differs, so it covers what state compatibility depends on and
 * nothing else.
 */
public final class ManagedSourceCapability implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The protocol between coordinator and readers that this release speaks. */
    public static final int RUNTIME_PROTOCOL_VERSION = 1;

    /** Length of {@link #digest()} in bytes: SHA-256. */
    public static final int DIGEST_BYTES = 32;

    private final String connector;
    private final int connectorStateVersion;

    private ManagedSourceCapability(String connector, int connectorStateVersion) {
        this.connector = connector;
        this.connectorStateVersion = connectorStateVersion;
    }

    /**
     * The capability of a connector that keeps every rule of {@link ManagedSourceReader} and {@link
     * ManagedSplitEnumerator}.
     *
     * @param connector the plugin name, 1 to 256 characters
     * @param connectorStateVersion at least 1; raised only when older state cannot be read any more
     */
    public static ManagedSourceCapability of(String connector, int connectorStateVersion) {
        if (connector == null || connector.trim().isEmpty() || connector.length() > 256) {
            throw new IllegalArgumentException(
                    "connector name must have 1 to 256 characters, not: " + connector);
        }
        if (connectorStateVersion < 1) {
            throw new IllegalArgumentException(
                    "connector state version must be at least 1: " + connectorStateVersion);
        }
        return new ManagedSourceCapability(connector, connectorStateVersion);
    }

    public String connector() {
        return connector;
    }

    public int connectorStateVersion() {
        return connectorStateVersion;
    }

    /**
     * SHA-256 over {@code forebay|<protocol version>|<connector>|<connector state version>} in
     * UTF-8.
     */
    public byte[] digest() {
        String text =
                "forebay|"
                        + RUNTIME_PROTOCOL_VERSION
                        + '|'
                        + connector
                        + '|'
                        + connectorStateVersion;
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ManagedSourceCapability
                && ((ManagedSourceCapability) other).connector.equals(connector)
                && ((ManagedSourceCapability) other).connectorStateVersion == connectorStateVersion;
    }

    @Override
    public int hashCode() {
        return connector.hashCode() * 31 + connectorStateVersion;
    }

    @Override
    public String toString() {
        return connector
                + " (state version "
                + connectorStateVersion
                + ", protocol "
                + RUNTIME_PROTOCOL_VERSION
                + ")";
    }
}
