// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import org.apache.seatunnel.api.serialization.Serializer;

import java.io.Serializable;

/**
 * What the engine takes for an enumerator's state, as bytes. The first byte says whose it is.
 *
 * <pre>
 * 0  1  1: the managed lane's coordinator; 2: the plain lane's enumerator
 * 1     the state
 * </pre>
 */
final class EngineState implements Serializable {
    private static final long serialVersionUID = 1L;

    final byte tag;
    final byte[] bytes;

    EngineState(byte tag, byte[] bytes) {
        this.tag = tag;
        this.bytes = bytes;
    }

    /** The one tag, then the bytes as they are. */
    static final class Codec implements Serializer<EngineState> {
        @Override
        public byte[] serialize(EngineState state) {
            return Tagged.join(state.tag, state.bytes);
        }

        @Override
        public EngineState deserialize(byte[] serialized) {
            return new EngineState(
                    Tagged.tag(serialized, "an enumerator's state"), Tagged.rest(serialized));
        }
    }
}
