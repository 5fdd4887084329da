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
     * ManagedSourceReader#open()}.
     */
    void sendSplitRequest();

    MetricsContext getMetricsContext();
}
