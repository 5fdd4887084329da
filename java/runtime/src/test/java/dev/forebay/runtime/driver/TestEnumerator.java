// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.ManagedSplitEnumerator;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** An enumerator that assigns nothing; a test overrides what it is about. */
class TestEnumerator implements ManagedSplitEnumerator<TestSplit, String> {
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();

    /** What the enumerator does as soon as it runs. */
    Runnable whenRun = () -> {};

    @Override
    public void open() {}

    @Override
    public void run() throws Exception {
        whenRun.run();
    }

    @Override
    public void addSplitsBack(List<TestSplit> splits, int subtaskId) {}

    @Override
    public int currentUnassignedSplitSize() {
        return 0;
    }

    @Override
    public void handleSplitRequest(int subtaskId) {
        requests.incrementAndGet();
    }

    @Override
    public void registerReader(int subtaskId) {}

    @Override
    public String snapshotState(long checkpointId) throws Exception {
        return "state";
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {}

    @Override
    public void close() {
        closes.incrementAndGet();
    }
}
