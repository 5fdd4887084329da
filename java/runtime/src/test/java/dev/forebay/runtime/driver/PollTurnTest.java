// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The budget of a poll turn, and that nothing is emitted outside of one. */
@Timeout(30)
class PollTurnTest {
    private static final int RECORDS = 64;
    private static final int BYTES = 1 << 20;
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static SeaTunnelRow row() {
        return new SeaTunnelRow(new Object[] {1L});
    }

    private static TurnContext begun() {
        TurnContext context = new TurnContext();
        context.begin(System.nanoTime(), PollBudget.DEFAULT);
        return context;
    }

    @Test
    void aTurnEndsAfter64Records() {
        TurnContext context = begun();
        for (int i = 0; i < RECORDS; i++) {
            assertThat(context.remainingRecords()).isEqualTo(RECORDS - i);
            context.emitted(0);
        }
        assertThat(context.shouldYield()).isTrue();
        context.emitted(0);
        assertThat(context.remainingRecords()).as("overspent").isZero();
        context.begin(System.nanoTime(), PollBudget.DEFAULT);
        assertThat(context.remainingRecords()).isEqualTo(RECORDS);
    }

    @Test
    void aTurnEndsAfterOneMebibyte() {
        TurnContext context = begun();
        context.emitted(BYTES - 1);
        assertThat(context.remainingBytes()).isEqualTo(1);
        context.emitted(-1);
        assertThat(context.remainingBytes()).as("an unknown size costs nothing").isEqualTo(1);
        context.emitted(2);
        assertThat(context.remainingBytes()).isZero();
        assertThat(context.shouldYield()).isTrue();
    }

    @Test
    void aTurnEndsAfterFiveMilliseconds() {
        TurnContext context = new TurnContext();
        long now = System.nanoTime();
        context.begin(now, PollBudget.DEFAULT);
        assertThat(context.deadlineNanos() - now).isEqualTo(NANOS);
        Await.until("the time is over", context::shouldYield);
        assertThat(System.nanoTime() - context.deadlineNanos()).isNotNegative();
        assertThat(context.remainingRecords()).isEqualTo(RECORDS);
    }

    /** The plain lane, which has no loop, grants what the loop does. */
    @Test
    void bothLanesGrantTheSame() throws Exception {
        AtomicReference<PollBudget> granted = new AtomicReference<>();
        TestJob job = new TestJob().start(new TestEnumerator());
        job.startIdle(
                new TestReader() {
                    @Override
                    public PollStatus pollNextManaged(
                            Collector<SeaTunnelRow> output, PollContext turn) {
                        long time = turn.deadlineNanos() - System.nanoTime();
                        int records = turn.remainingRecords();
                        granted.set(new PollBudget(records, turn.remainingBytes(), time));
                        polls.incrementAndGet();
                        return PollStatus.NOTHING_AVAILABLE;
                    }
                });
        assertThat(granted.get().records).isEqualTo(PollBudget.DEFAULT.records);
        assertThat(granted.get().bytes).isEqualTo(PollBudget.DEFAULT.bytes);
        assertThat(granted.get().nanos).isLessThanOrEqualTo(PollBudget.DEFAULT.nanos);
        job.close();
    }

    @Test
    void anotherThreadCannotEmit() throws Exception {
        TestOutput output = new TestOutput();
        TurnCollector<SeaTunnelRow> collector = new TurnCollector<>(begun());
        collector.begin(output);
        FutureTask<Throwable> other =
                Await.start("other", () -> catchThrowable(() -> collector.collect(row())));
        assertThat(Await.result(other))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("on its thread, not on other");
        collector.collect(row());
        assertThat(output.records).hasValue(1);
    }

    @Test
    void nothingIsEmittedOutsideOfATurn() {
        TestOutput output = new TestOutput();
        TurnCollector<SeaTunnelRow> collector = new TurnCollector<>(begun());
        assertThatThrownBy(() -> collector.collect(row()))
                .isInstanceOf(IllegalStateException.class);
        collector.begin(output);
        collector.end();
        assertThatThrownBy(() -> collector.collect(row()))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(collector::markSchemaChangeBeforeCheckpoint)
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(collector::getCheckpointLock)
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(output.records).hasValue(0);
    }

    /** A collector that a connector keeps is of no use after the poll that it came with. */
    @Test
    void aCollectorThatWasKeptIsRefusedInOtherCallbacks() throws Exception {
        AtomicReference<Collector<SeaTunnelRow>> kept = new AtomicReference<>();
        AtomicReference<Throwable> refused = new AtomicReference<>();
        TestReader connector =
                new TestReader() {
                    @Override
                    public PollStatus pollNextManaged(
                            Collector<SeaTunnelRow> output, PollContext context) throws Exception {
                        kept.set(output);
                        return super.pollNextManaged(output, context);
                    }

                    @Override
                    public void notifyCheckpointComplete(long checkpointId) {
                        refused.set(catchThrowable(() -> kept.get().collect(row())));
                    }
                };
        TestJob job = new TestJob().start(new TestEnumerator());
        job.startIdle(connector);
        job.reader.checkpointComplete(1);
        Await.until("the notice", () -> refused.get() != null);
        assertThat(refused.get()).isInstanceOf(IllegalStateException.class);
        job.close();
    }

    /** The engine looks at the announcement between two of its polls. */
    @Test
    void aSchemaChangeGivesTheThreadBack() throws Exception {
        TestReader connector =
                new TestReader() {
                    @Override
                    public PollStatus pollNextManaged(
                            Collector<SeaTunnelRow> output, PollContext context) {
                        if (polls.incrementAndGet() == 2) {
                            output.markSchemaChangeBeforeCheckpoint();
                        }
                        return PollStatus.MORE_AVAILABLE;
                    }
                };
        TestJob job = new TestJob().start(new TestEnumerator());
        assertThat(Await.thrownBy(job.startTask(connector))).isNull();
        assertThat(connector.polls).hasValue(2);
        assertThat(job.output.schemaMarks).hasValue(1);
        job.close();
    }

    /** Several requests of one turn say no more than one. */
    @Test
    void requestsOfOneTurnBecomeOne() throws Exception {
        TestJob job = new TestJob();
        TestEnumerator enumerator = new TestEnumerator();
        job.start(enumerator);
        TestReader connector =
                new TestReader() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) throws Exception {
                        job.reader.requestSplit();
                        job.reader.requestSplit();
                        job.reader.requestSplit();
                        super.notifyCheckpointComplete(checkpointId);
                    }
                };
        job.startIdle(connector);
        job.reader.checkpointComplete(1);
        Await.until("a request", () -> enumerator.requests.get() > 0);
        job.reader.checkpointComplete(2);
        Await.until("the next request", () -> enumerator.requests.get() > 1);
        job.coordinator.snapshot(3);
        assertThat(enumerator.requests).hasValue(2);
        assertThat(connector.polls).as("a notice grants no poll").hasValue(1);
        job.close();
    }
}
