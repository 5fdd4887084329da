// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.ManagedSplitEnumerator;

import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Hands out a fixed set of splits, one for each request, returned ones first. A request that cannot
 * be answered yet is remembered; when nothing is left it is answered with the end of the splits.
 *
 * <p>Threads: as {@link ManagedSplitEnumerator} says.
 *
 * @param <SplitT> the split type
 */
public abstract class RequestEnumerator<SplitT extends SourceSplit>
        implements ManagedSplitEnumerator<SplitT, PendingSplits<SplitT>> {
    private final ManagedSplitEnumerator.Context<SplitT> context;
    private final Deque<SplitT> unassigned = new ArrayDeque<>();
    private final Set<Integer> waitingReaders = new LinkedHashSet<>();
    private boolean discovered;

    /**
     * @param restored what an earlier enumerator remembered, or null for a job that starts fresh
     */
    protected RequestEnumerator(
            ManagedSplitEnumerator.Context<SplitT> context, PendingSplits<SplitT> restored) {
        this.context = context;
        if (restored != null) {
            discovered = restored.discovered();
            unassigned.addAll(restored.unassigned());
        }
    }

    /**
     * Finds the splits and has {@link #discovered} called with them, at once or later. Must not
     * wait.
     */
    protected abstract void discover();

    /** Takes all splits of the source, in the order in which they are handed out. */
    protected final void discovered(List<SplitT> splits) {
        unassigned.addAll(splits);
        discovered = true;
        serveWaitingReaders();
    }

    @Override
    public void open() {}

    @Override
    public void run() {
        if (!discovered) {
            discover();
        }
    }

    @Override
    public void registerReader(int subtaskId) {}

    @Override
    public void handleSplitRequest(int subtaskId) {
        waitingReaders.add(subtaskId);
        serveWaitingReaders();
    }

    @Override
    public void addSplitsBack(List<SplitT> splits, int subtaskId) {
        for (int i = splits.size() - 1; i >= 0; i--) {
            unassigned.addFirst(splits.get(i));
        }
        serveWaitingReaders();
    }

    @Override
    public int currentUnassignedSplitSize() {
        return unassigned.size();
    }

    @Override
    public PendingSplits<SplitT> snapshotState(long checkpointId) {
        return new PendingSplits<>(discovered, unassigned);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        // A completed checkpoint may have made room for assignments that had to wait.
        serveWaitingReaders();
    }

    @Override
    public void close() throws IOException {}

    private void serveWaitingReaders() {
        Iterator<Integer> readers = waitingReaders.iterator();
        while (readers.hasNext()) {
            if (!unassigned.isEmpty()) {
                if (!context.isAssignmentCapacityAvailable()) {
                    return;
                }
                int reader = readers.next();
                readers.remove();
                context.assignSplit(reader, unassigned.removeFirst());
            } else if (discovered) {
                int reader = readers.next();
                readers.remove();
                context.signalNoMoreSplits(reader);
            } else {
                return;
            }
        }
    }
}
