// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.connectors.SourceTable;
import dev.forebay.runtime.ManagedReaderContext;
import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Emits the rows of its splits as far as the gates let them. */
final class ProbeReader implements ManagedSourceReader<SeaTunnelRow, ProbeSplit> {
    private final Probe probe;
    private final ProbeOptions options;
    private final SourceTable table;
    private final ManagedReaderContext context;
    private final int life;
    private final List<ProbeSplit> splits = new ArrayList<>();
    private CompletableFuture<Void> available;
    private boolean noMoreSplits;
    private long emitted;

    ProbeReader(
            Probe probe, ProbeOptions options, SourceTable table, ManagedReaderContext context) {
        this.probe = probe;
        this.options = options;
        this.table = table;
        this.context = context;
        this.life = probe.newLife();
        this.available = answer(Callback.READER_CREATE, 0, probe.gates()::whenChanged);
    }

    private <V> V answer(Callback callback, long number, Supplier<V> body) {
        return probe.during(callback, life, context.getIndexOfSubtask(), number, body);
    }

    private void run(Callback callback, long number, Runnable body) {
        answer(
                callback,
                number,
                () -> {
                    body.run();
                    return null;
                });
    }

    @Override
    public ManagedSourceCapability managedSourceCapability() {
        return probe.capability(ProbeSource.CAPABILITY);
    }

    @Override
    public void open() {
        run(Callback.READER_OPEN, 0, context::sendSplitRequest);
    }

    @Override
    public PollStatus pollNextManaged(Collector<SeaTunnelRow> output, PollContext turn) {
        return answer(
                Callback.READER_POLL,
                emitted,
                () -> {
                    available = probe.gates().whenChanged();
                    return probe.answer(emit(output, turn));
                });
    }

    private PollStatus emit(Collector<SeaTunnelRow> output, PollContext turn) {
        for (int i = 0; i < splits.size(); i++) {
            for (ProbeSplit split = splits.get(i); isEmittable(split); split = splits.get(i)) {
                output.collect(table.row((long) split.index(), split.next()));
                emitted++;
                splits.set(i, split.advanced());
                if (turn.shouldYield()) {
                    return PollStatus.MORE_AVAILABLE;
                }
            }
        }
        splits.removeIf(split -> split.next() >= options.rows);
        boolean ended =
                splits.isEmpty() && noMoreSplits && options.boundedness == Boundedness.BOUNDED;
        return ended ? PollStatus.END_OF_INPUT : PollStatus.NOTHING_AVAILABLE;
    }

    private boolean isEmittable(ProbeSplit split) {
        return split.next() < options.rows && probe.gates().lets(split);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return answer(Callback.READER_IS_AVAILABLE, 0, () -> probe.availability(available));
    }

    @Override
    public void wakeup() {}

    @Override
    public void addSplits(List<ProbeSplit> more) {
        run(Callback.READER_ADD_SPLITS, more.size(), () -> splits.addAll(more));
    }

    @Override
    public void handleNoMoreSplits() {
        run(Callback.READER_NO_MORE_SPLITS, 0, () -> noMoreSplits = true);
    }

    @Override
    public List<ProbeSplit> snapshotState(long checkpointId) {
        return answer(Callback.READER_SNAPSHOT, checkpointId, () -> new ArrayList<>(splits));
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        run(Callback.READER_COMPLETE, checkpointId, () -> {});
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        run(Callback.READER_ABORTED, checkpointId, () -> {});
    }

    @Override
    public void close() {
        run(Callback.READER_CLOSE, 0, () -> {});
    }
}
