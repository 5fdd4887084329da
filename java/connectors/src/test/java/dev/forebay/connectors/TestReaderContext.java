// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.ManagedReaderContext;

import org.apache.seatunnel.api.common.metrics.AbstractMetricsContext;
import org.apache.seatunnel.api.common.metrics.MetricsContext;
import org.apache.seatunnel.api.source.Boundedness;

/** Counts requests and metrics. */
public final class TestReaderContext implements ManagedReaderContext {
    private static final class Metrics extends AbstractMetricsContext {
        private static final long serialVersionUID = 1L;
    }

    private final int subtask;
    private final Boundedness boundedness;
    private final Metrics metrics = new Metrics();
    private int requests;

    public TestReaderContext(int subtask, Boundedness boundedness) {
        this.subtask = subtask;
        this.boundedness = boundedness;
    }

    public static TestReaderContext bounded() {
        return new TestReaderContext(0, Boundedness.BOUNDED);
    }

    @Override
    public int getIndexOfSubtask() {
        return subtask;
    }

    @Override
    public Boundedness getBoundedness() {
        return boundedness;
    }

    @Override
    public void sendSplitRequest() {
        requests++;
    }

    @Override
    public MetricsContext getMetricsContext() {
        return metrics;
    }

    /** Requests since this was last asked. */
    public int takeRequests() {
        int taken = requests;
        requests = 0;
        return taken;
    }

    public long counter(String name) {
        return metrics.counter(name).getCount();
    }
}
