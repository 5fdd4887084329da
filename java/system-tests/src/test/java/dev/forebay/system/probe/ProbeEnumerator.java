// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.runtime.ManagedSplitEnumerator;

import org.apache.seatunnel.api.source.Boundedness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Finds its splits with a call beside the loop and gives split i to subtask i modulo parallelism
 * when that asks.
 */
final class ProbeEnumerator implements ManagedSplitEnumerator<ProbeSplit, ProbeState> {
    private static final int NOBODY = -1;
    private static final Duration DISCOVERY_LIMIT = Duration.ofSeconds(10);

    private final Probe probe;
    private final ProbeOptions options;
    private final ManagedSplitEnumerator.Context<ProbeSplit> context;
    private final int life;
    private final List<ProbeSplit> unassigned = new ArrayList<>();
    private final Set<Integer> waiting = new TreeSet<>();
    private boolean discovered;

    ProbeEnumerator(
            Probe probe,
            ProbeOptions options,
            ManagedSplitEnumerator.Context<ProbeSplit> context,
            ProbeState restored) {
        this.probe = probe;
        this.options = options;
        this.context = context;
        this.life = probe.newLife();
        run(
                Callback.ENUMERATOR_CREATE,
                NOBODY,
                () -> {
                    if (restored != null) {
                        discovered = restored.discovered();
                        unassigned.addAll(restored.unassigned());
                    }
                });
    }

    private void run(Callback callback, long number, Runnable body) {
        run(callback, NOBODY, number, body);
    }

    private void run(Callback callback, int subtask, long number, Runnable body) {
        answer(
                callback,
                subtask,
                number,
                () -> {
                    body.run();
                    return null;
                });
    }

    private <V> V answer(Callback callback, int subtask, long number, Supplier<V> body) {
        return probe.during(callback, life, subtask, number, body);
    }

    @Override
    public void open() {
        run(Callback.ENUMERATOR_OPEN, 0, () -> {});
    }

    @Override
    public void run() {
        run(Callback.ENUMERATOR_RUN, 0, this::startDiscovery);
    }

    private void startDiscovery() {
        if (!discovered) {
            context.getCoordinatorScheduler()
                    .callAsync("discover", this::discover, this::discovered, DISCOVERY_LIMIT);
        }
    }

    /** On a worker. */
    private List<ProbeSplit> discover() {
        return answer(
                Callback.DISCOVER,
                NOBODY,
                0,
                () ->
                        IntStream.range(0, options.splits)
                                .mapToObj(index -> new ProbeSplit(index, 0))
                                .collect(Collectors.toList()));
    }

    private void discovered(List<ProbeSplit> found, Throwable failure) {
        run(
                Callback.ENUMERATOR_DISCOVERED,
                0,
                () -> {
                    if (failure != null) {
                        throw new IllegalStateException(
                                "discovery failed: " + failure.getMessage(), failure);
                    }
                    unassigned.addAll(found);
                    discovered = true;
                    serve();
                });
    }

    @Override
    public void registerReader(int subtaskId) {
        run(Callback.ENUMERATOR_REGISTER_READER, subtaskId, 0, () -> {});
    }

    @Override
    public void handleSplitRequest(int subtaskId) {
        run(
                Callback.ENUMERATOR_REQUEST_SPLIT,
                subtaskId,
                0,
                () -> {
                    waiting.add(subtaskId);
                    serve();
                });
    }

    private void serve() {
        if (discovered) {
            waiting.forEach(this::serve);
            waiting.clear();
        }
    }

    private void serve(int subtask) {
        Predicate<ProbeSplit> its =
                split -> split.index() % context.currentParallelism() == subtask;
        List<ProbeSplit> splits = unassigned.stream().filter(its).collect(Collectors.toList());
        unassigned.removeIf(its);
        context.assignSplit(subtask, splits);
        if (options.boundedness == Boundedness.BOUNDED) {
            context.signalNoMoreSplits(subtask);
        }
    }

    @Override
    public void addSplitsBack(List<ProbeSplit> splits, int subtaskId) {
        run(
                Callback.ENUMERATOR_ADD_SPLITS_BACK,
                subtaskId,
                splits.size(),
                () -> unassigned.addAll(splits));
    }

    @Override
    public int currentUnassignedSplitSize() {
        return unassigned.size();
    }

    @Override
    public ProbeState snapshotState(long checkpointId) {
        return answer(
                Callback.ENUMERATOR_SNAPSHOT,
                NOBODY,
                checkpointId,
                () -> new ProbeState(discovered, unassigned));
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        run(Callback.ENUMERATOR_COMPLETE, checkpointId, () -> {});
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        run(Callback.ENUMERATOR_ABORTED, checkpointId, () -> {});
    }

    @Override
    public void close() {
        run(Callback.ENUMERATOR_CLOSE, 0, () -> {});
    }
}
