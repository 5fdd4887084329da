// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.runtime.VersionedSerializer;

import java.io.IOException;
import java.util.Arrays;

/** Checks what a serializer makes of bytes that are not as it wrote them. */
public final class Damage {
    private Damage() {}

    /**
     * Round trip, wrong versions, every truncation, every flipped bit, every byte forced to its
     * extremes.
     */
    public static <T> void check(VersionedSerializer<T> serializer, T value) throws IOException {
        byte[] bytes = serializer.serialize(value);
        assertThat(serializer.deserialize(serializer.version(), bytes)).isEqualTo(value);
        for (int version : new int[] {0, serializer.version() + 1, -1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> serializer.deserialize(version, bytes))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("version " + version);
        }
        for (int length = 0; length < bytes.length; length++) {
            byte[] shorter = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> serializer.deserialize(serializer.version(), shorter))
                    .isInstanceOf(IOException.class);
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(() -> serializer.deserialize(serializer.version(), longer))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 bytes follow");
        for (int i = 0; i < bytes.length; i++) {
            for (int bit = 0; bit < 8; bit++) {
                readsOrRefuses(serializer, bytes, i, bytes[i] ^ 1 << bit);
            }
            readsOrRefuses(serializer, bytes, i, 0x7f);
            readsOrRefuses(serializer, bytes, i, 0xff);
        }
    }

    private static <T> void readsOrRefuses(
            VersionedSerializer<T> serializer, byte[] bytes, int index, int value)
            throws IOException {
        byte[] damaged = bytes.clone();
        damaged[index] = (byte) value;
        T read;
        try {
            read = serializer.deserialize(serializer.version(), damaged);
        } catch (IOException expected) {
            return;
        }
        // What is read must be a value like any other: it writes the bytes that it was read from.
        assertThat(serializer.serialize(read)).isEqualTo(damaged);
    }
}
