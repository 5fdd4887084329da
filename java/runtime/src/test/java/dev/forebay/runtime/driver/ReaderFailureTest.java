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

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Whatever a reader fails of is thrown from a call of the engine, as it was, and only once. */
@Timeout(30)
class ReaderFailureTest {
    private static final String MESSAGE = "the pump in basin 7 is broken";

    /** Its input has ended, and its commits fail. */
    private static final class FailsToCommit extends EndingReader {
        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            completed.add(checkpointId);
            throw new IllegalStateException(MESSAGE);
        }
    }

    private static TestJob endedJob(FailsToCommit connector) throws Exception {
        TestJob job = new TestJob().startWithoutSplits(new TestEnumerator());
        FutureTask<Void> task = job.startTask(connector);
        assertThat(Await.thrownBy(task)).isNull();
        assertThat(job.inputEnded).isTrue();
        return job;
    }

    private static void awaitFailure(TestJob job) {
        Await.until(
                "the loop has ended",
                () -> job.reader.describe().contains("terminal Some(Failed)"));
    }

    @Test
    void aCommitThatFailsAfterTheEndOfTheInputIsThrownFromTheClose() throws Exception {
        FailsToCommit connector = new FailsToCommit();
        TestJob job = endedJob(connector);
        job.reader.checkpointComplete(1);
        awaitFailure(job);
        assertThatThrownBy(job.reader::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(MESSAGE);
        assertThat(connector.completed).containsExactly(1L);
        assertThat(connector.closes).hasValue(1);
        job.close();
    }

    @Test
    void aCommitThatFailsInTheCloseIsThrownFromIt() throws Exception {
        TestJob job = endedJob(new FailsToCommit());
        synchronized (job.output.lock) {
            job.reader.checkpointComplete(1);
            assertThatThrownBy(job.reader::close).hasMessage(MESSAGE);
        }
        job.close();
    }

    @Test
    void aFailureAfterTheEndOfTheInputDeclinesTheNextCheckpointAndIsNotToldTwice()
            throws Exception {
        TestJob job = endedJob(new FailsToCommit());
        job.reader.checkpointComplete(1);
        awaitFailure(job);
        synchronized (job.output.lock) {
            assertThatThrownBy(() -> job.reader.snapshot(2)).cause().hasMessage(MESSAGE);
        }
        job.reader.close();
        job.close();
    }

    @Test
    void aFailureAfterTheEndOfTheInputIsThrownIfTheEngineCallsAgain() throws Exception {
        TestJob job = endedJob(new FailsToCommit());
        job.reader.checkpointComplete(1);
        awaitFailure(job);
        assertThatThrownBy(() -> job.reader.run(job.output)).hasMessage(MESSAGE);
        job.close();
    }

    /** The coordinator's failure reaches a reader that no thread of the engine comes for. */
    @Test
    void aSourceThatFailsAfterTheEndOfTheInputIsThrownFromTheClose() throws Exception {
        TestJob job = new TestJob();
        job.startWithoutSplits(
                new TestEnumerator() {
                    @Override
                    public void notifyCheckpointComplete(long checkpointId) {
                        throw new IllegalStateException(MESSAGE);
                    }
                });
        assertThat(Await.thrownBy(job.startTask(new FailsToCommit()))).isNull();
        job.coordinator.checkpointComplete(1);
        awaitFailure(job);
        assertThatThrownBy(job.reader::close).hasMessageContaining(MESSAGE);
        job.close();
    }

    @Test
    void anExhaustedReserveFailsTheTaskAndIsNamed() throws Exception {
        TestJob job =
                new TestJob(TestJob.SMALL, TestJob.USUAL, Duration.ofSeconds(30))
                        .start(new TestEnumerator());
        FutureTask<Void> task = job.startIdle(new TestReader());
        synchronized (job.output.lock) {
            for (int checkpoint = 1; checkpoint <= 20; checkpoint++) {
                job.reader.checkpointComplete(checkpoint);
            }
        }
        assertThat(Await.thrownBy(task))
                .isInstanceOf(ManagedSourceException.class)
                .hasMessageContaining("the reserve of the reader's mailbox is exhausted");
        job.close();
    }

    @Test
    void anInterruptedTaskSaysThatItWasCancelled() throws Exception {
        TestJob job = new TestJob().start(new TestEnumerator());
        TestReader connector = new TestReader();
        job.reader.host(connector);
        FutureTask<Void> task =
                Await.start(
                        "task",
                        () -> {
                            job.reader.open();
                            Thread.currentThread().interrupt();
                            job.reader.run(job.output);
                            return null;
                        });
        assertThat(Await.thrownBy(task)).isInstanceOf(InterruptedException.class);
        job.close();
    }

    @Test
    void whatIsNeitherErrorNorExceptionIsTheCauseOfWhatIsThrown() throws Exception {
        Throwable plain = new Throwable(MESSAGE);
        TestJob job = new TestJob().start(new TestEnumerator());
        FutureTask<Void> task =
                job.startTask(
                        new TestReader() {
                            @Override
                            public PollStatus pollNextManaged(
                                    Collector<SeaTunnelRow> output, PollContext context) {
                                throw Sneaky.<RuntimeException>asItIs(plain);
                            }
                        });
        assertThat(Await.thrownBy(task))
                .isInstanceOf(ManagedSourceException.class)
                .hasMessageContaining(MESSAGE)
                .hasCause(plain);
        job.close();
    }

    @Test
    void whatACloseThrowsIsKeptWhateverItIs() {
        Throwable plain = new Throwable(MESSAGE);
        CloseStages stages = new CloseStages();
        stages.run(
                () -> {
                    throw Sneaky.<RuntimeException>asItIs(plain);
                });
        assertThatThrownBy(stages::rethrow)
                .isInstanceOf(ManagedSourceException.class)
                .hasCause(plain);
    }

    @Test
    void aSnapshotThatIsNullNamesClassAndMethod() throws Exception {
        TestReader connector =
                new TestReader() {
                    @Override
                    public List<TestSplit> snapshotState(long checkpointId) {
                        return null;
                    }
                };
        assertThat(snapshotFailureOf(connector))
                .hasMessage(connector.getClass().getName() + ".snapshotState returned null");
    }

    @Test
    void aSnapshotWithANullInItSaysSo() throws Exception {
        assertThat(
                        snapshotFailureOf(
                                new TestReader() {
                                    @Override
                                    public List<TestSplit> snapshotState(long checkpointId) {
                                        return Arrays.asList(new TestSplit("a"), null);
                                    }
                                }))
                .hasMessage("a list of 2 splits has a null in it");
    }

    private static Throwable snapshotFailureOf(TestReader connector) throws Exception {
        TestJob job = new TestJob().start(new TestEnumerator());
        FutureTask<Void> task = job.startIdle(connector);
        Throwable failure;
        synchronized (job.output.lock) {
            failure = catchThrowable(() -> job.reader.snapshot(1));
        }
        assertThat(Await.thrownBy(task)).isSameAs(failure);
        job.close();
        return failure;
    }
}
