// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

import org.apache.seatunnel.api.common.metrics.MetricsContext;
import org.apache.seatunnel.api.source.Boundedness;

/** What the runtime offers to a reader. To be used in the reader's turns only. */
public interface ManagedReaderContext {
    /** From 0 to parallelism - 1. */
    int getIndexOfSubtask();

    Boundedness getBoundedness();

    /**
     * Asks the enumerator for a split. Does not wait; also allowed in {@link
     * ManagedSourceReader#open()}. Says that this reader has room, not how much: several requests
     * that the enumerator has not been told of yet may become one {@link
     * ManagedSplitEnumerator#handleSplitRequest}, those of one turn always do. A reader that wants
     * more asks again when it has got some.
     */
    void sendSplitRequest();

    MetricsContext getMetricsContext();
}
