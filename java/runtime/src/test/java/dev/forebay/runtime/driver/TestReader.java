// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A reader that never has anything to emit; a test overrides what it is about. */
class TestReader implements ManagedSourceReader<SeaTunnelRow, TestSplit> {
    static final ManagedSourceCapability CAPABILITY = ManagedSourceCapability.of("Test", 1);

    final AtomicInteger polls = new AtomicInteger();
    final AtomicInteger wakeups = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();
    final List<TestSplit> splits = new CopyOnWriteArrayList<>();
    final List<Long> completed = new CopyOnWriteArrayList<>();

    @Override
    public ManagedSourceCapability managedSourceCapability() {
        return CAPABILITY;
    }

    @Override
    public PollStatus pollNextManaged(Collector<SeaTunnelRow> output, PollContext context)
            throws Exception {
        polls.incrementAndGet();
        return PollStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return new CompletableFuture<>();
    }

    @Override
    public void wakeup() {
        wakeups.incrementAndGet();
    }

    @Override
    public List<TestSplit> snapshotState(long checkpointId) throws Exception {
        return splits;
    }

    @Override
    public void addSplits(List<TestSplit> more) {
        splits.addAll(more);
    }

    @Override
    public void handleNoMoreSplits() {}

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        completed.add(checkpointId);
    }

    @Override
    public void close() {
        closes.incrementAndGet();
    }
}
