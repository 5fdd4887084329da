// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.CoordinatorScheduler;
import dev.forebay.runtime.ManagedSplitEnumerator;

import org.apache.seatunnel.api.common.metrics.MetricsContext;
import org.apache.seatunnel.api.event.EventListener;
import org.apache.seatunnel.api.source.SourceEvent;
import org.apache.seatunnel.api.source.SourceSplit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/** Records what an enumerator does, and runs its slow work when the test says so. */
public final class TestEnumeratorContext<SplitT extends SourceSplit>
        implements ManagedSplitEnumerator.Context<SplitT>, CoordinatorScheduler {
    /** An assignment, or the end of the splits where {@link #split} is null. */
    public static final class Answer<SplitT> {
        public final int reader;
        public final SplitT split;

        Answer(int reader, SplitT split) {
            this.reader = reader;
            this.split = split;
        }

        @Override
        public String toString() {
            return reader
                    + ":"
                    + (split instanceof SourceSplit ? ((SourceSplit) split).splitId() : "end");
        }
    }

    private final List<Answer<SplitT>> answers = new ArrayList<>();
    private final Deque<Runnable> slowWork = new ArrayDeque<>();
    private boolean cancelled;
    public int capacity = Integer.MAX_VALUE;

    /** Answers since this was last asked. */
    public List<Answer<SplitT>> takeAnswers() {
        List<Answer<SplitT>> taken = new ArrayList<>(answers);
        answers.clear();
        return taken;
    }

    /** Runs the oldest piece of slow work and its handler. */
    public void runSlowWork() {
        slowWork.remove().run();
    }

    public int slowWork() {
        return slowWork.size();
    }

    public boolean cancelled() {
        return cancelled;
    }

    @Override
    public CoordinatorScheduler getCoordinatorScheduler() {
        return this;
    }

    @Override
    public boolean isAssignmentCapacityAvailable() {
        return capacity > 0;
    }

    @Override
    public void assignSplit(int subtaskId, List<SplitT> splits) {
        capacity -= splits.size();
        splits.forEach(split -> answers.add(new Answer<>(subtaskId, split)));
    }

    @Override
    public void signalNoMoreSplits(int subtask) {
        answers.add(new Answer<>(subtask, null));
    }

    @Override
    public <T> Cancellable callAsync(
            String key, Callable<T> callable, BiConsumer<T, Throwable> handler, Duration timeout) {
        slowWork.add(
                () -> {
                    T result;
                    try {
                        result = callable.call();
                    } catch (Exception e) {
                        handler.accept(null, e);
                        return;
                    }
                    handler.accept(result, null);
                });
        return new Cancellable() {
            @Override
            public void cancel() {
                cancelled = true;
            }

            @Override
            public boolean isCancelled() {
                return cancelled;
            }
        };
    }

    @Override
    public Cancellable scheduleInCoordinatorThread(String key, Duration delay, Runnable task) {
        throw new UnsupportedOperationException("no connector of this module uses it");
    }

    @Override
    public int currentParallelism() {
        return 1;
    }

    @Override
    public Set<Integer> registeredReaders() {
        return Collections.emptySet();
    }

    @Override
    public void sendEventToSourceReader(int subtaskId, SourceEvent event) {
        throw new UnsupportedOperationException("no connector of this module uses it");
    }

    @Override
    public MetricsContext getMetricsContext() {
        throw new UnsupportedOperationException("no connector of this module uses it");
    }

    @Override
    public EventListener getEventListener() {
        return event -> {};
    }
}
