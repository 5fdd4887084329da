// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;

import java.nio.charset.StandardCharsets;

/** Rows 0, 1, 2 and so on of one split, from a place on. Immutable. */
final class ProbeSplit implements SourceSplit {
    private static final long serialVersionUID = 1L;

    private final int index;
    private final long next;

    ProbeSplit(int index, long next) {
        this.index = index;
        this.next = next;
    }

    int index() {
        return index;
    }

    /** The number of the next row. */
    long next() {
        return next;
    }

    ProbeSplit advanced() {
        return new ProbeSplit(index, next + 1);
    }

    @Override
    public String splitId() {
        return "probe-" + index;
    }

    /** As {@code index:next}. */
    @Override
    public String toString() {
        return index + ":" + next;
    }

    static ProbeSplit parse(String text) {
        String[] parts = text.split(":");
        return new ProbeSplit(Integer.parseInt(parts[0]), Long.parseLong(parts[1]));
    }

    /** Text, so that a state that is not what it should be can be read. */
    static final class Serializer implements VersionedSerializer<ProbeSplit> {
        private final Probe probe;

        Serializer(Probe probe) {
            this.probe = probe;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public byte[] serialize(ProbeSplit split) {
            return probe.during(
                    Callback.SERIALIZE_SPLIT,
                    0,
                    -1,
                    0,
                    () -> split.toString().getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public ProbeSplit deserialize(int version, byte[] bytes) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            return probe.during(Callback.DESERIALIZE_SPLIT, 0, -1, 0, () -> parse(text));
        }
    }
}
