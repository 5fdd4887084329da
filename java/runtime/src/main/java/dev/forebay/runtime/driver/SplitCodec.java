// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.VersionedSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits as bytes: u32 version of the connector's serializer, little-endian, then what it wrote.
 * Splits always cross between enumerator and reader as bytes, also within one process, so the two
 * never share an object.
 */
public final class SplitCodec<SplitT> {
    private static final int VERSION_BYTES = 4;

    private final VersionedSerializer<SplitT> serializer;

    public SplitCodec(VersionedSerializer<SplitT> serializer) {
        this.serializer = serializer;
    }

    public List<byte[]> encode(List<SplitT> splits) throws IOException {
        List<byte[]> encoded = new ArrayList<>(splits.size());
        for (SplitT split : splits) {
            if (split == null) {
                throw new ManagedSourceException(
                        "a list of " + splits.size() + " splits has a null in it");
            }
            encoded.add(encode(serializer, split));
        }
        return encoded;
    }

    public List<SplitT> decode(List<byte[]> encoded) throws IOException {
        List<SplitT> splits = new ArrayList<>(encoded.size());
        for (byte[] bytes : encoded) {
            splits.add(decode(serializer, bytes));
        }
        return splits;
    }

    /** Writes one value with its version in front. */
    public static <V> byte[] encode(VersionedSerializer<V> serializer, V value) throws IOException {
        byte[] bytes = Returned.notNull(serializer.serialize(value), serializer, "serialize");
        ByteBuffer out =
                ByteBuffer.allocate(VERSION_BYTES + bytes.length).order(ByteOrder.LITTLE_ENDIAN);
        return out.putInt(serializer.version()).put(bytes).array();
    }

    /** Reads one value that has its version in front. */
    public static <V> V decode(VersionedSerializer<V> serializer, byte[] bytes) throws IOException {
        if (bytes.length < VERSION_BYTES) {
            throw new IOException(
                    "a serialized value of " + bytes.length + " bytes has no version");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int version = in.getInt();
        byte[] rest = new byte[in.remaining()];
        in.get(rest);
        return Returned.notNull(serializer.deserialize(version, rest), serializer, "deserialize");
    }
}
