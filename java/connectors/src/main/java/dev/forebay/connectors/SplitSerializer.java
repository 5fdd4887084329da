// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;

/**
 * State of one split: exactly the bytes of its {@link SplitCodec}.
 *
 * @param <SplitT> the split type
 */
public final class SplitSerializer<SplitT extends SourceSplit>
        implements VersionedSerializer<SplitT> {
    private final SplitCodec<SplitT> codec;

    public SplitSerializer(SplitCodec<SplitT> codec) {
        this.codec = codec;
    }

    @Override
    public int version() {
        return codec.version();
    }

    @Override
    public byte[] serialize(SplitT split) throws IOException {
        StateWriter out = new StateWriter();
        codec.write(split, out);
        return out.toBytes();
    }

    @Override
    public SplitT deserialize(int version, byte[] bytes) throws IOException {
        return StateReader.decode(
                "a split", version, codec.version(), bytes, in -> codec.read(version, in));
    }
}
