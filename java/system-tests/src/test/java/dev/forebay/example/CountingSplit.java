// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.example;

import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;

import java.nio.ByteBuffer;

/** Numbers to count, and where to go on. Immutable, so that a snapshot can hold it. */
final class CountingSplit implements SourceSplit {
    private static final long serialVersionUID = 1L;

    final long index;
    final long rows;
    final long next;

    CountingSplit(long index, long rows, long next) {
        this.index = index;
        this.rows = rows;
        this.next = next;
    }

    @Override
    public String splitId() {
        return "counting-" + index;
    }

    /** Its bytes stand in checkpoints: another layout needs another version. */
    static final class Serializer implements VersionedSerializer<CountingSplit> {
        @Override
        public int version() {
            return 1;
        }

        @Override
        public byte[] serialize(CountingSplit split) {
            ByteBuffer bytes = ByteBuffer.allocate(3 * Long.BYTES);
            return bytes.putLong(split.index).putLong(split.rows).putLong(split.next).array();
        }

        @Override
        public CountingSplit deserialize(int version, byte[] serialized) {
            ByteBuffer bytes = ByteBuffer.wrap(serialized);
            return new CountingSplit(bytes.getLong(), bytes.getLong(), bytes.getLong());
        }
    }
}
