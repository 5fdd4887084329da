// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * State of a {@link RequestEnumerator}; its version is that of the splits in it.
 *
 * <pre>
 * bytes  type   content
 * 1      u8     1 if all splits are known, 0 if not
 * 4      i32    number of unassigned splits
 * ...           so many splits, each as its {@link SplitCodec} says
 * </pre>
 *
 * @param <SplitT> the split type
 */
public final class PendingSplitsSerializer<SplitT extends SourceSplit>
        implements VersionedSerializer<PendingSplits<SplitT>> {
    private final SplitCodec<SplitT> codec;

    public PendingSplitsSerializer(SplitCodec<SplitT> codec) {
        this.codec = codec;
    }

    @Override
    public int version() {
        return codec.version();
    }

    @Override
    public byte[] serialize(PendingSplits<SplitT> state) throws IOException {
        StateWriter out = new StateWriter();
        out.writeBoolean(state.discovered());
        out.writeInt(state.unassigned().size());
        for (SplitT split : state.unassigned()) {
            codec.write(split, out);
        }
        return out.toBytes();
    }

    @Override
    public PendingSplits<SplitT> deserialize(int version, byte[] bytes) throws IOException {
        return StateReader.decode(
                "an enumerator", version, codec.version(), bytes, in -> read(version, in));
    }

    private PendingSplits<SplitT> read(int version, StateReader in) throws IOException {
        boolean discovered = in.readBoolean();
        int count = in.readCount(codec.minBytes());
        List<SplitT> splits = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            splits.add(codec.read(version, in));
        }
        return new PendingSplits<>(discovered, splits);
    }
}
