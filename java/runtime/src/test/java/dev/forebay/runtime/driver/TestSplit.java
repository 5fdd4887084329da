// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** A split that is nothing but its name. Immutable. */
final class TestSplit implements SourceSplit {
    private static final long serialVersionUID = 1L;

    private final String name;

    TestSplit(String name) {
        this.name = name;
    }

    @Override
    public String splitId() {
        return name;
    }

    static VersionedSerializer<TestSplit> serializer() {
        return new Text<>(TestSplit::splitId, TestSplit::new);
    }

    /** For states that are texts. */
    static VersionedSerializer<String> textSerializer() {
        return new Text<>(text -> text, text -> text);
    }

    private static final class Text<V> implements VersionedSerializer<V> {
        private final Function<V, String> write;
        private final Function<String, V> read;

        Text(Function<V, String> write, Function<String, V> read) {
            this.write = write;
            this.read = read;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public byte[] serialize(V value) {
            return write.apply(value).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public V deserialize(int version, byte[] bytes) {
            return read.apply(new String(bytes, StandardCharsets.UTF_8));
        }
    }
}
