// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the splits that it is given one after another, in the order in which they came, and asks
 * for another one when it has none. A split that is finished leaves in the turn that emitted its
 * last row, so no snapshot holds it.
 *
 * <p>Threads: as {@link ManagedSourceReader} says; the only field that another thread touches is
 * {@link #wakeup}.
 *
 * @param <SplitT> the split type
 */
public final class CursorReader<SplitT extends SourceSplit>
        implements ManagedSourceReader<SeaTunnelRow, SplitT> {
    /**
     * Steps without a row after which a turn ends; the budget of a turn counts emitted rows only.
     */
    private static final int MAX_SEARCHES = 16;

    /**
     * Starts to read a split.
     *
     * @param <SplitT> the split type
     */
    public interface Opener<SplitT extends SourceSplit> {
        /** A cursor at the place that {@code split} says; an exception fails the source. */
        SplitCursor<SplitT> open(SplitT split) throws Exception;
    }

    private final ManagedReaderContext context;
    private final ManagedSourceCapability capability;
    private final Pace pace;
    private final Opener<SplitT> opener;
    private final Deque<SplitT> assigned = new ArrayDeque<>();
    private final CompletableFuture<Void> never = new CompletableFuture<>();
    private SplitCursor<SplitT> cursor;
    private boolean requested;
    private boolean noMoreSplits;
    private volatile boolean wakeup;

    /** A reader that {@link #open()} makes ask for its first split. */
    public CursorReader(
            ManagedReaderContext context,
            ManagedSourceCapability capability,
            Pace pace,
            Opener<SplitT> opener) {
        this.context = context;
        this.capability = capability;
        this.pace = pace;
        this.opener = opener;
    }

    @Override
    public ManagedSourceCapability managedSourceCapability() {
        return capability;
    }

    @Override
    public void open() {
        requestSplitIfIdle();
    }

    @Override
    public PollStatus pollNextManaged(Collector<SeaTunnelRow> output, PollContext turn)
            throws Exception {
        int searches = 0;
        while (moveToUnfinishedSplit()) {
            if (!pace.isDue()) {
                return PollStatus.NOTHING_AVAILABLE;
            }
            SplitCursor.Step step = cursor.step(output);
            if (step == SplitCursor.Step.WAITING) {
                return PollStatus.NOTHING_AVAILABLE;
            }
            boolean spent;
            if (step == SplitCursor.Step.EMITTED) {
                pace.count();
                spent = turn.shouldYield();
            } else {
                spent = ++searches == MAX_SEARCHES;
            }
            if (takeWakeup() || spent) {
                leaveFinishedSplit();
                return PollStatus.MORE_AVAILABLE;
            }
        }
        boolean ended = noMoreSplits && context.getBoundedness() == Boundedness.BOUNDED;
        return ended ? PollStatus.END_OF_INPUT : PollStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        if (cursor == null) {
            // The runtime polls by itself when a split or the end of the splits arrives.
            return never;
        }
        return pace.isDue() ? cursor.whenAvailable() : pace.whenDue();
    }

    @Override
    public void wakeup() {
        wakeup = true;
    }

    @Override
    public void addSplits(List<SplitT> splits) {
        requested = false;
        assigned.addAll(splits);
    }

    @Override
    public void handleNoMoreSplits() {
        noMoreSplits = true;
    }

    @Override
    public List<SplitT> snapshotState(long checkpointId) {
        List<SplitT> splits = new ArrayList<>(assigned.size() + 1);
        if (cursor != null) {
            splits.add(cursor.position());
        }
        splits.addAll(assigned);
        return splits;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {}

    @Override
    public void close() throws IOException {
        pace.close();
        closeCursor();
    }

    /** Opens the next split when none is open; false if there is none. */
    private boolean moveToUnfinishedSplit() throws Exception {
        leaveFinishedSplit();
        while (cursor == null && !assigned.isEmpty()) {
            // Kept at the head until it is open, so that a failure loses no split from a snapshot.
            cursor = opener.open(assigned.getFirst());
            assigned.removeFirst();
            leaveFinishedSplit();
        }
        return cursor != null;
    }

    private void leaveFinishedSplit() throws IOException {
        if (cursor != null && cursor.isFinished()) {
            closeCursor();
            requestSplitIfIdle();
        }
    }

    private void requestSplitIfIdle() {
        if (cursor == null && assigned.isEmpty() && !requested && !noMoreSplits) {
            requested = true;
            context.sendSplitRequest();
        }
    }

    private void closeCursor() throws IOException {
        if (cursor != null) {
            SplitCursor<SplitT> closing = cursor;
            cursor = null;
            closing.close();
        }
    }

    private boolean takeWakeup() {
        if (!wakeup) {
            return false;
        }
        wakeup = false;
        return true;
    }
}
