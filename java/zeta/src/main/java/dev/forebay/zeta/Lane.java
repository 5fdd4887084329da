// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.runtime.driver.ManagedSourceException;

/** Who owns the concurrency of a source. */
public enum Lane {
    /** The Forebay runtime. */
    MANAGED(EngineSplit.MANAGED),

    /** The engine's own threads and its checkpoint monitor. */
    PLAIN(EngineSplit.PLAIN);

    final byte tag;

    Lane(byte tag) {
        this.tag = tag;
    }

    /** Refuses a part of a checkpoint that another lane took. */
    void check(byte found) {
        if (found != tag && !(this == MANAGED && found == EngineSplit.METADATA)) {
            throw new ManagedSourceException(
                    "the checkpoint was taken on the "
                            + (found == PLAIN.tag ? PLAIN : MANAGED)
                            + " lane and the job now runs on the "
                            + this
                            + " lane: a source never switches lane, so restore it on the lane that took the checkpoint"
                            + " or start without it");
        }
    }
}
