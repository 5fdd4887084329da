// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.CommandKind;
import dev.forebay.natives.NativeReader;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceSplit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The host of one reader's loop: executes what the core decides on the connector.
 *
 * <p>A turn is held exactly while the checkpoint lock is held. The task thread takes both for one
 * step and gives both back, and parks without them; the engine's barrier thread, which holds the
 * lock when it asks for a snapshot, takes the turn where it lies. {@link #offerBatch}, {@link
 * #checkpointComplete}, {@link #checkpointAborted} and {@link #describe} may come from any thread
 * and never wait.
 *
 * <p>A failure is thrown from the engine's call that is under way. One that comes when none is, as
 * after the end of the input, is logged and thrown from the next snapshot, at the latest from
 * {@link #close}.
 *
 * @param <T> the record type
 * @param <SplitT> the split type
 */
public final class ReaderDriver<T, SplitT extends SourceSplit> {
    private static final Logger LOG = LoggerFactory.getLogger(ReaderDriver.class);

    private final NativeReader loop;
    private final Engine engine;
    private final ClassLoader loader;
    private final FirstFailure failure = new FirstFailure();
    private final ReaderSteps<T, SplitT> steps;
    private final ReaderSnapshot snapshots;
    private final DetachedServing afterEnd;

    private volatile Object lock = new Object();
    private volatile Thread task;
    private volatile boolean leave;
    private volatile boolean detached;

    /** A close is on its way: no turn begins any more. */
    private volatile boolean closing;

    private volatile boolean closed;

    /** The number that the task thread's last step came with. */
    private long value;

    /** What the driver needs of the engine. */
    public interface Engine {
        /**
         * Tells the engine that the input has ended. Called on the task thread, without the
         * checkpoint lock.
         */
        void endOfInput() throws Exception;

        /** Whether the engine wants its thread back after the snapshot that is being taken. */
        boolean wantsThreadBack();
    }

    /**
     * @param loader the connector's class loader
     */
    public ReaderDriver(
            NativeReader loop,
            Transport transport,
            VersionedSerializer<SplitT> serializer,
            ClassLoader loader,
            Engine engine) {
        this.loader = loader;
        this.loop = loop;
        this.engine = engine;
        Availability availability =
                new Availability(
                        turn -> wakeIf(ClosedLoop.waking(() -> loop.available(turn))), this::fail);
        this.steps = new ReaderSteps<>(loop, transport, serializer, availability, new StepHost());
        this.snapshots = new ReaderSnapshot(steps, loop::describe, this::ended);
        this.afterEnd = new DetachedServing(loader, this::serveDetached, this::fail);
    }

    private final class StepHost implements ReaderSteps.Host {
        @Override
        public void answered(int flight, long answer) {
            wakeIf(ClosedLoop.waking(() -> loop.answer(flight, answer)));
        }

        @Override
        public void keep(Throwable cause) {
            ReaderDriver.this.keep(cause);
        }

        @Override
        public void endedBy(long cause) {
            // Unless it was cancelled, the source has failed.
            Throwable end = LoopEnd.asFailure("reader", cause, loop.failure(), loop.describe());
            if (end != null) {
                ReaderDriver.this.keep(end);
            }
        }

        @Override
        public void schemaChanged() {
            leave = true;
        }
    }

    /** The connector's reader; set once, before {@link #open}. */
    public void host(ManagedSourceReader<T, SplitT> connector) {
        steps.host(connector);
    }

    /**
     * Opens the connector and registers with the coordinator. On the task thread; waits for the
     * coordinator.
     */
    public void open() throws Exception {
        task = Thread.currentThread();
        openConnector();
        while (!steps.isRegistered()) {
            if (closing) {
                throw new InterruptedException(
                        "the reader was closed before its coordinator took its registration");
            }
            stopIfInterrupted();
            afterTurn(takeTurn(false, null));
        }
    }

    /** A close from another thread waits for it: the connector sees one call at a time. */
    private void openConnector() throws Exception {
        synchronized (lock) {
            if (closing) {
                throw new InterruptedException("the reader was closed before it was opened");
            }
            steps.open();
        }
    }

    /** Runs the loop until the engine wants its thread back. On the task thread. */
    public void run(Collector<T> output) throws Exception {
        task = Thread.currentThread();
        takeTurnsUnder(output.getCheckpointLock());
        while (!leave && !detached && !closing) {
            stopIfInterrupted();
            afterTurn(takeTurn(true, output));
        }
        leave = false;
        if (detached) {
            throwUntold();
        }
    }

    private void takeTurnsUnder(Object checkpointLock) {
        if (lock != checkpointLock) {
            // Under the old lock, so that a close that holds it sees the new one before any turn.
            synchronized (lock) {
                lock = checkpointLock;
            }
        }
    }

    /** Runs in the lock that turns are taken under, also if that becomes another one meanwhile. */
    private void betweenTurns(Runnable body) {
        while (true) {
            Object held = lock;
            synchronized (held) {
                if (held == lock) {
                    body.run();
                    return;
                }
            }
        }
    }

    /** Takes one turn on the task thread. */
    private int takeTurn(boolean poll, Collector<T> output) {
        synchronized (lock) {
            if (closing) {
                return NativeReader.NONE;
            }
            int step = steps.next(poll);
            // Read here: once the lock is free, the barrier thread may take the next step.
            value = loop.value();
            steps.execute(step, output);
            return step;
        }
    }

    /** What a step needs once the checkpoint lock is free again. */
    private void afterTurn(int step) throws Exception {
        switch (step) {
            case NativeReader.PARK:
                park(value);
                break;
            case NativeReader.FINISH:
                // From now on the engine calls no more: wake-ups go to the shared pool.
                detached = true;
                engine.endOfInput();
                // The loop has not been parked since: without this look nobody would ever wake it.
                wakeIf(true);
                break;
            case NativeReader.TERMINAL:
            case NativeReader.CLOSED:
                throw ended();
            default:
                if (failure.get() != null) {
                    throw Thrown.asException(failure.tell());
                }
        }
    }

    private void stopIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            ClosedLoop.waking(() -> loop.terminate(NativeReader.CANCEL));
            throw new InterruptedException("the task was cancelled");
        }
    }

    private void park(long until) throws InterruptedException {
        if (LoopClock.isTime(until)) {
            LockSupport.parkNanos(this, LoopClock.nanosUntil(until));
        } else {
            LockSupport.park(this);
        }
        stopIfInterrupted();
    }

    /**
     * Takes the reader's part of a checkpoint: everything that was admitted before is applied
     * first. On the engine's barrier thread, which holds the checkpoint lock.
     *
     * @return the runtime's own part first, then the splits
     */
    public List<byte[]> snapshot(long checkpoint) throws Exception {
        long admission = offer(CommandKind.BARRIER, checkpoint);
        if (!Admission.isTaken(admission)) {
            throw declined(checkpoint, admission);
        }
        try {
            return snapshots.take(checkpoint);
        } finally {
            leave |= engine.wantsThreadBack();
            // This thread has taken turns in place of the owner, so the owner's park has ended.
            wakeIf(true);
        }
    }

    private ManagedSourceException declined(long checkpoint, long admission) {
        String why = closed ? "the reader is closed" : Admission.describe(admission);
        Throwable cause =
                Admission.exhaustsReserve(admission)
                        ? LoopEnd.reserveExhausted("reader", describe())
                        : failure.tell();
        return new ManagedSourceException(
                "checkpoint " + checkpoint + " is declined: " + why, cause);
    }

    /** Asks for a split; in a turn only. */
    public void requestSplit() {
        steps.requestSplit();
    }

    /** Offers what the coordinator sent; the answer is for it. Any thread, never waits. */
    public long offerBatch(byte[] batch) {
        long answer = ClosedLoop.rejecting(() -> loop.offerBatch(batch, LoopClock.nanos()));
        wakeIf(Admission.wakes(answer));
        return Admission.answer(answer);
    }

    /** Any thread, never waits. */
    public void checkpointComplete(long checkpoint) {
        offerOwn(CommandKind.CHECKPOINT_COMPLETE, checkpoint);
    }

    /** Any thread, never waits. */
    public void checkpointAborted(long checkpoint) {
        offerOwn(CommandKind.CHECKPOINT_ABORTED, checkpoint);
    }

    private void offerOwn(int kind, long checkpoint) {
        // A reader that is closed takes no notices any more, and needs none.
        wakeIf(Admission.wakes(offer(kind, checkpoint)));
    }

    private long offer(int kind, long checkpoint) {
        return ClosedLoop.rejecting(() -> loop.offerOwn(kind, checkpoint, LoopClock.nanos()));
    }

    private void wakeIf(boolean needed) {
        if (needed && detached) {
            afterEnd.wake();
        } else if (needed) {
            LockSupport.unpark(task);
        }
    }

    /** What still arrives after the end of the input. */
    private void serveDetached() {
        synchronized (lock) {
            afterEnd.begun();
            if (closed) {
                return;
            }
            int step;
            do {
                step = steps.next(false);
                steps.execute(step, null);
            } while (step < NativeReader.PARK);
            if (step == NativeReader.PARK) {
                afterEnd.wakeAt(loop.value());
            } else {
                afterEnd.cancelAlarm();
            }
        }
    }

    private void fail(Throwable cause) {
        keep(cause);
        wakeIf(ClosedLoop.waking(() -> loop.terminate(NativeReader.FAILURE)));
    }

    private void keep(Throwable cause) {
        if (failure.keep(cause) && detached) {
            // No call of the engine is under way, and there may never be another one.
            LOG.error(
                    "The reader {} has failed after the end of its input.",
                    steps.reader().getClass().getName(),
                    cause);
        }
    }

    /** Why the loop has ended. */
    private Exception ended() {
        Throwable first = failure.tell();
        return first != null
                ? Thrown.asException(first)
                : new InterruptedException("the reader was cancelled");
    }

    private void throwUntold() throws Exception {
        Throwable first = failure.tellOnce();
        if (first != null) {
            throw Thrown.asException(first);
        }
    }

    /**
     * Serves what is left, unless the task was cancelled or has failed, and closes the connector
     * and the loop. Any thread; waits for the connector's call that is under way, which it asks to
     * return by {@link ManagedSourceReader#wakeup}. Every stage runs, the first error is thrown
     * with the others attached; a failure that the engine has not heard of is one. Harmless twice.
     */
    public void close() throws Exception {
        if (closed) {
            return;
        }
        closing = true;
        CloseStages stages = new CloseStages();
        Wakeups wakeups = new Wakeups(steps.reader(), loader);
        betweenTurns(
                () -> {
                    wakeups.stop();
                    closeOnce(stages);
                });
        // The task's thread, if it is parked, looks and leaves.
        LockSupport.unpark(task);
        stages.rethrow();
    }

    private void closeOnce(CloseStages stages) {
        if (closed) {
            return;
        }
        closed = true;
        afterEnd.cancelAlarm();
        ManagedSourceReader<T, SplitT> reader = steps.reader();
        if (reader != null) {
            stages.run(this::serveRest);
        }
        stages.run(() -> loop.terminate(NativeReader.CANCEL));
        if (reader != null) {
            stages.run(reader::close);
        }
        stages.run(loop::close);
    }

    /** Delivers the notices that came before the close; nothing else is of use any more. */
    private void serveRest() throws Exception {
        loop.closeMailbox();
        int step;
        do {
            step = steps.next(false);
            boolean served =
                    step == NativeReader.CHECKPOINT_COMPLETE
                            || step == NativeReader.CHECKPOINT_ABORTED
                            || step == NativeReader.TERMINAL;
            if (served) {
                steps.execute(step, null);
            }
        } while (step < NativeReader.PARK);
        throwUntold();
    }

    /** The state of the loop in words, for a dump. Any thread. */
    public String describe() {
        return "detached "
                + detached
                + ", registered "
                + steps.isRegistered()
                + ", "
                + ClosedLoop.describing(loop::describe);
    }
}
