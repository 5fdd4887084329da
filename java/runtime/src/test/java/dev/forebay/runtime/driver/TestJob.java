// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.LoopIdentity;
import dev.forebay.natives.LoopSettings;
import dev.forebay.natives.NativeBudget;
import dev.forebay.natives.NativeCoordinator;
import dev.forebay.natives.NativeReader;

import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/**
 * One source with one reader in this process: both drivers on real native loops, joined by a
 * transport that delivers at once, or what and when a test wants. The engine is the test.
 */
final class TestJob {
    static final LoopSettings USUAL = LoopSettings.defaults();

    /** A mailbox that a few notices fill. */
    static final LoopSettings SMALL = new LoopSettings(16, 64 << 10, 4, 4 << 10, 8 << 10);

    private static final NativeBudget BUDGET = new NativeBudget(64 << 20);
    private static final int DIGEST_BYTES = 32;

    /** The connector's, which is not that of the runtime. */
    final ClassLoader loader = new ClassLoader(TestJob.class.getClassLoader()) {};

    final TestOutput output = new TestOutput();
    final CoordinatorDriver<TestSplit, String> coordinator;
    final ReaderDriver<SeaTunnelRow, TestSplit> reader;
    final AtomicReference<byte[]> lastToCoordinator = new AtomicReference<>();
    final AtomicReference<byte[]> lastToReader = new AtomicReference<>();

    /** Batches are kept in {@link #lastToReader} and {@link #lastToCoordinator}, not delivered. */
    volatile boolean holdsBack;

    volatile boolean inputEnded;

    private final UUID runtime = UUID.randomUUID();

    TestJob() {
        this(USUAL, USUAL, Duration.ofSeconds(30));
    }

    TestJob(LoopSettings ofReader, LoopSettings ofCoordinator, Duration closeLimit) {
        this(ofReader, ofCoordinator, closeLimit, 0);
    }

    /** With a reader of another version of the connector, if the number is not 0. */
    TestJob(
            LoopSettings ofReader,
            LoopSettings ofCoordinator,
            Duration closeLimit,
            int versionOfReader) {
        coordinator =
                new CoordinatorDriver<>(
                        "test",
                        new NativeCoordinator(BUDGET, identity(0), 1, 1, ofCoordinator),
                        new Wire(),
                        TestSplit.serializer(),
                        TestSplit.textSerializer(),
                        loader,
                        closeLimit);
        reader =
                new ReaderDriver<>(
                        new NativeReader(
                                BUDGET, identity(versionOfReader), 0, 1, new byte[1], ofReader),
                        new Wire(),
                        TestSplit.serializer(),
                        loader,
                        new Engine());
    }

    private LoopIdentity identity(int version) {
        byte[] digest = new byte[DIGEST_BYTES];
        digest[0] = (byte) version;
        return new LoopIdentity(1, runtime, UUID.randomUUID(), digest);
    }

    /** Opens and runs the enumerator. */
    TestJob start(TestEnumerator enumerator) throws Exception {
        coordinator.host(enumerator);
        coordinator.open();
        coordinator.run();
        return this;
    }

    /** As {@link #start}, and the enumerator says that no split will come. */
    TestJob startWithoutSplits(TestEnumerator enumerator) throws Exception {
        enumerator.whenRun = () -> coordinator.noMoreSplits(0);
        return start(enumerator);
    }

    /** Opens the reader on a task thread of its own and runs it until it returns or throws. */
    FutureTask<Void> startTask(TestReader connector) {
        reader.host(connector);
        return Await.start(
                "task",
                () -> {
                    reader.open();
                    reader.run(output);
                    return null;
                });
    }

    /** As {@link #startTask}, and waits until the reader has nothing to do any more. */
    FutureTask<Void> startIdle(TestReader connector) {
        FutureTask<Void> task = startTask(connector);
        Await.until("the reader was polled", () -> connector.polls.get() > 0 || task.isDone());
        return task;
    }

    void close() throws Exception {
        CloseStages stages = new CloseStages();
        stages.run(reader::close);
        stages.run(coordinator::close);
        stages.rethrow();
    }

    private final class Engine implements ReaderDriver.Engine {
        @Override
        public void endOfInput() {
            inputEnded = true;
        }

        @Override
        public boolean wantsThreadBack() {
            return false;
        }
    }

    private final class Wire implements Transport {
        @Override
        public byte[] address() {
            return new byte[1];
        }

        @Override
        public void register(byte[] batch, LongConsumer answer) {
            toCoordinator(batch, answer);
        }

        @Override
        public void toCoordinator(byte[] batch, LongConsumer answer) {
            lastToCoordinator.set(batch);
            answer.accept(holdsBack ? Admission.undelivered() : coordinator.offerBatch(batch));
        }

        @Override
        public void toReader(int subtask, byte[] address, byte[] batch, LongConsumer answer) {
            lastToReader.set(batch);
            answer.accept(holdsBack ? Admission.undelivered() : reader.offerBatch(batch));
        }
    }
}
