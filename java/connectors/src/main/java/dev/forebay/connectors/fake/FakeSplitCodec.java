// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.SplitCodec;
import dev.forebay.connectors.StateReader;
import dev.forebay.connectors.StateWriter;

import java.io.IOException;

/**
 * The bytes of a {@link FakeSplit}, version 1.
 *
 * <pre>
 * bytes  type   content
 * 8      i64    index, at least 0
 * 8      i64    rows, at least 0, or -1 for a split that never ends
 * 8      i64    next row, 0 to rows
 * </pre>
 */
final class FakeSplitCodec implements SplitCodec<FakeSplit> {

    @Override
    public int version() {
        return 1;
    }

    @Override
    public int minBytes() {
        return 3 * Long.BYTES;
    }

    @Override
    public void write(FakeSplit split, StateWriter out) throws IOException {
        out.writeLong(split.index());
        out.writeLong(split.rows());
        out.writeLong(split.next());
    }

    @Override
    public FakeSplit read(int version, StateReader in) throws IOException {
        FakeSplit split = new FakeSplit(in.readLong(), in.readLong(), in.readLong());
        boolean unbounded = split.rows() == FakeSplit.UNBOUNDED;
        if (split.index() < 0 || split.next() < 0 || !unbounded && split.next() > split.rows()) {
            throw in.damaged("no such split can be: " + split);
        }
        return split;
    }
}
