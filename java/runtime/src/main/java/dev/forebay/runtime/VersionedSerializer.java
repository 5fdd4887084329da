// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

import java.io.IOException;

/**
 * Turns connector state into bytes that later releases can read. The version is stored beside the
 * bytes.
 *
 * @param <T> a split or an enumerator's state
 */
public interface VersionedSerializer<T> {
    /** The version that {@link #serialize} writes; at least 1. */
    int version();

    byte[] serialize(T value) throws IOException;

    /**
     * Reads what any released version wrote.
     *
     * @param version the version stored beside the bytes
     * @throws IOException if the version is unknown or the bytes are damaged; the message says
     *     which
     */
    T deserialize(int version, byte[] bytes) throws IOException;
}
