// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.runtime.driver.ManagedSourceException;
import dev.forebay.runtime.driver.SplitCodec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What reader and enumerator of the plain lane have in common. */
final class Plain {
    private Plain() {}

    /**
     * The connector's splits out of what the engine carries; refuses what another lane has written.
     */
    static <SplitT> List<SplitT> decode(SplitCodec<SplitT> codec, List<EngineSplit> parts) {
        List<byte[]> splits = new ArrayList<>();
        for (EngineSplit part : parts) {
            Lane.PLAIN.check(part.tag);
            splits.add(part.bytes);
        }
        try {
            return codec.decode(splits);
        } catch (IOException e) {
            throw new ManagedSourceException("a split cannot be read: " + e.getMessage(), e);
        }
    }
}
