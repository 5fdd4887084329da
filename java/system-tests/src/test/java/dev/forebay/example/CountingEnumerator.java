// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.example;

import dev.forebay.runtime.ManagedSplitEnumerator;

import java.util.ArrayList;
import java.util.List;

/**
 * Hands out all splits once every reader is there. An enumerator with many splits hands them out as
 * readers ask for them, with {@code sendSplitRequest()}, and lists them with {@code callAsync}.
 */
final class CountingEnumerator implements ManagedSplitEnumerator<CountingSplit, Long> {
    private final Context<CountingSplit> context;
    private final List<CountingSplit> pending = new ArrayList<>();

    /** What is not handed out yet is new, or comes back from the restored checkpoint. */
    CountingEnumerator(Context<CountingSplit> context, long splits, long rows, boolean restored) {
        this.context = context;
        for (long split = 0; split < splits && !restored; split++) {
            pending.add(new CountingSplit(split, rows, 0));
        }
    }

    @Override
    public void run() {
        int readers = context.currentParallelism();
        for (CountingSplit split : pending) {
            context.assignSplit((int) (split.index % readers), split);
        }
        pending.clear();
        for (int reader = 0; reader < readers; reader++) {
            context.signalNoMoreSplits(reader);
        }
    }

    @Override
    public void addSplitsBack(List<CountingSplit> splits, int subtask) {
        pending.addAll(splits);
    }

    /** The runtime remembers what was assigned; the rest is empty as soon as it runs. */
    @Override
    public Long snapshotState(long checkpointId) {
        return checkpointId;
    }

    @Override
    public int currentUnassignedSplitSize() {
        return pending.size();
    }

    @Override
    public void open() {}

    @Override
    public void registerReader(int subtask) {}

    @Override
    public void handleSplitRequest(int subtask) {}

    @Override
    public void notifyCheckpointComplete(long checkpointId) {}

    @Override
    public void close() {}
}
