// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.util.UUID;

/** Who a loop is. */
public final class LoopIdentity {
    final long job;
    final UUID runtime;
    final UUID attempt;
    private final byte[] digest;

    /**
     * @param job the engine's number of the job
     * @param runtime names the source in the job
     * @param attempt this life of the loop, drawn at random
     * @param digest the connector's capability, 32 bytes
     */
    public LoopIdentity(long job, UUID runtime, UUID attempt, byte[] digest) {
        this.job = job;
        this.runtime = runtime;
        this.attempt = attempt;
        this.digest = digest.clone();
    }

    byte[] digest() {
        return digest;
    }

    /** Draws the jitter of back-offs; any number will do. */
    long seed() {
        return attempt.getLeastSignificantBits() ^ attempt.getMostSignificantBits();
    }
}
