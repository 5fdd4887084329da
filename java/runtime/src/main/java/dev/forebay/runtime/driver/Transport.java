// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.util.function.LongConsumer;

/**
 * Carries batches of commands between a coordinator and its readers. Sending never waits; the
 * answer comes on any thread, exactly once, as {@link dev.forebay.natives.Admission} bits.
 */
public interface Transport {
    /** Where commands for loops of this process go; the format is the transport's own. */
    byte[] address();

    /**
     * Finds the coordinator of a source and sends it a registration. Later batches go where it was
     * taken.
     */
    void register(byte[] batch, LongConsumer answer);

    /** Sends a batch to the coordinator that took the registration. */
    void toCoordinator(byte[] batch, LongConsumer answer);

    /** Sends a batch to a reader. */
    void toReader(int subtask, byte[] address, byte[] batch, LongConsumer answer);
}
