// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.runtime.driver.ManagedSourceException;

import java.util.Arrays;

/** Bytes behind a tag. */
final class Tagged {
    private Tagged() {}

    static byte[] join(byte tag, byte[] bytes) {
        byte[] joined = new byte[1 + bytes.length];
        joined[0] = tag;
        System.arraycopy(bytes, 0, joined, 1, bytes.length);
        return joined;
    }

    static byte tag(byte[] joined, String what) {
        if (joined.length == 0
                || joined[0] < EngineSplit.METADATA
                || joined[0] > EngineSplit.PLAIN) {
            throw new ManagedSourceException(
                    what
                            + " in the checkpoint was not written by Forebay: restore it with the"
                            + " connector that took it");
        }
        return joined[0];
    }

    static byte[] rest(byte[] joined) {
        return Arrays.copyOfRange(joined, 1, joined.length);
    }
}
