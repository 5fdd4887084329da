// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.example;

import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

// README shows this class; ReadmeTest holds the two against each other.
public class CountingReader implements ManagedSourceReader<SeaTunnelRow, CountingSplit> {
    private final Deque<CountingSplit> splits = new ArrayDeque<>();
    private boolean noMoreSplits;

    @Override
    public PollStatus pollNextManaged(Collector<SeaTunnelRow> output, PollContext context) {
        while (!splits.isEmpty() && !context.shouldYield()) {
            CountingSplit split = splits.poll();
            output.collect(new SeaTunnelRow(new Object[] {split.index, split.next}));
            if (split.next + 1 < split.rows) {
                splits.push(new CountingSplit(split.index, split.rows, split.next + 1));
            }
        }
        if (!splits.isEmpty()) {
            return PollStatus.MORE_AVAILABLE;
        }
        return noMoreSplits ? PollStatus.END_OF_INPUT : PollStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return new CompletableFuture<>(); // never: new splits, and their end, poll by themselves
    }

    @Override
    public void addSplits(List<CountingSplit> added) {
        splits.addAll(added);
    }

    @Override
    public void handleNoMoreSplits() {
        noMoreSplits = true;
    }

    @Override
    public List<CountingSplit> snapshotState(long checkpointId) {
        return new ArrayList<>(splits);
    }

    @Override
    public ManagedSourceCapability managedSourceCapability() {
        return CountingSource.CAPABILITY;
    }
}
