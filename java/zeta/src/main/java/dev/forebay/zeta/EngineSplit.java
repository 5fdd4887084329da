// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import org.apache.seatunnel.api.serialization.Serializer;
import org.apache.seatunnel.api.source.SourceSplit;

/**
 * What the engine takes for a split: one part of a reader's snapshot, as bytes. The first byte says
 * whose it is, so that a checkpoint of one lane is never read by the other.
 *
 * <pre>
 * 0  1  0: the runtime's part, first of each snapshot; 1: a split of the managed lane; 2: a split of the plain lane
 * 1     the part
 * </pre>
 */
final class EngineSplit implements SourceSplit {
    private static final long serialVersionUID = 1L;

    static final byte METADATA = 0;
    static final byte MANAGED = 1;
    static final byte PLAIN = 2;

    final byte tag;
    final byte[] bytes;

    EngineSplit(byte tag, byte[] bytes) {
        this.tag = tag;
        this.bytes = bytes;
    }

    /** The engine does not look at ids of splits that it only carries. */
    @Override
    public String splitId() {
        return "forebay";
    }

    /** The one tag, then the bytes as they are. */
    static final class Codec implements Serializer<EngineSplit> {
        @Override
        public byte[] serialize(EngineSplit split) {
            return Tagged.join(split.tag, split.bytes);
        }

        @Override
        public EngineSplit deserialize(byte[] serialized) {
            return new EngineSplit(
                    Tagged.tag(serialized, "a reader's state"), Tagged.rest(serialized));
        }
    }
}
