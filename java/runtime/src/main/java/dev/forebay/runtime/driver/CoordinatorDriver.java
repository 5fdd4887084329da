// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.CommandKind;
import dev.forebay.natives.NativeCoordinator;
import dev.forebay.runtime.CoordinatorScheduler;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The host of one coordinator's loop: executes what the core decides on the enumerator, one turn at
 * a time, on the threads that all sources share. {@link #offerBatch}, the checkpoint notices and
 * {@link #describe} may come from any thread and never wait; {@link #open}, {@link #run} and {@link
 * #snapshot} wait for the loop, because the engine's API wants their results, and are called on
 * engine threads that may wait.
 *
 * @param <SplitT> the split type
 * @param <StateT> the enumerator's state
 */
public final class CoordinatorDriver<SplitT extends SourceSplit, StateT> {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorDriver.class);

    /** Steps after which the thread is given to another loop. */
    private static final int STEPS_IN_A_ROW = 256;

    /** How long a close lets a turn run on before it interrupts it. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(1);

    /** How long a close waits for a turn that goes on though it is interrupted. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final String name;
    private final NativeCoordinator loop;
    private final LoopScheduler scheduler;
    private final Orders orders;
    private final EnumeratorSteps<SplitT, StateT> steps;

    private final TurnLock turnLock = new TurnLock();
    private final Pump pump;
    private final Duration closeLimit;

    /** A close has given up waiting: whoever leaves the turn closes. */
    private volatile boolean abandoned;

    /** Why the last step failed; the next one reports it. */
    private String lastFailure;

    private boolean closed;

    /**
     * @param name of the source, for the log
     * @param loader the connector's class loader, the context loader of everything that the
     *     connector runs
     */
    public CoordinatorDriver(
            String name,
            NativeCoordinator loop,
            Transport transport,
            VersionedSerializer<SplitT> splitSerializer,
            VersionedSerializer<StateT> stateSerializer,
            ClassLoader loader) {
        this(name, loop, transport, splitSerializer, stateSerializer, loader, CLOSE_LIMIT);
    }

    /** With another limit for a close. */
    CoordinatorDriver(
            String name,
            NativeCoordinator loop,
            Transport transport,
            VersionedSerializer<SplitT> splitSerializer,
            VersionedSerializer<StateT> stateSerializer,
            ClassLoader loader,
            Duration closeLimit) {
        this.name = name;
        this.loop = loop;
        this.closeLimit = closeLimit;
        this.pump = new Pump(turnLock, loader, this::serve, this::broken);
        this.scheduler = new LoopScheduler(this::post, this::checkTurn, loader);
        this.orders = new Orders(name, this::offerOwn, this::describe);
        this.steps =
                new EnumeratorSteps<>(
                        loop, transport, splitSerializer, stateSerializer, orders, this::answered);
    }

    /** Takes over a checkpoint before {@link #host}; the result is the enumerator's state in it. */
    public StateT restore(byte[] blob) throws IOException {
        return steps.restore(blob);
    }

    /**
     * The connector's enumerator; set once, after a {@link #restore} and before anything else is
     * called.
     */
    public void host(ManagedSplitEnumerator<SplitT, StateT> connector) {
        steps.host(connector);
        // The loop's first look; from then on it asks to be woken.
        pump.wakeIf(true);
    }

    /** What the reader of a subtask had in the restored checkpoint. Any thread; never waits. */
    public void restoreReader(int subtask, byte[] metadata, List<byte[]> splits) {
        steps.restoreReader(subtask, metadata, splits);
    }

    /** Opens the enumerator and waits until that is done. */
    public void open() throws Exception {
        orders.open();
    }

    /** Starts the enumerator and waits until that is done. */
    public void run() throws Exception {
        orders.run();
    }

    /** Takes the coordinator's part of a checkpoint and waits for it. */
    public byte[] snapshot(long checkpoint) throws Exception {
        return orders.snapshot(checkpoint);
    }

    /** Offers what a reader sent; the answer is for it. Any thread, never waits. */
    public long offerBatch(byte[] batch) {
        long answer = ClosedLoop.rejecting(() -> loop.offerBatch(batch, LoopClock.nanos()));
        pump.wakeIf(Admission.wakes(answer));
        return Admission.answer(answer);
    }

    /**
     * Any thread, never waits.
     *
     * @throws ManagedSourceException if the notice has exhausted the reserve: the source has
     *     failed, and nobody else may be there to be told
     */
    public void checkpointComplete(long checkpoint) {
        offerNotice(CommandKind.CHECKPOINT_COMPLETE, checkpoint);
    }

    /** As {@link #checkpointComplete}. */
    public void checkpointAborted(long checkpoint) {
        offerNotice(CommandKind.CHECKPOINT_ABORTED, checkpoint);
    }

    private void offerNotice(int kind, long checkpoint) {
        if (Admission.exhaustsReserve(offerOwn(kind, checkpoint))) {
            throw LoopEnd.reserveExhausted("coordinator", describe());
        }
    }

    private long offerOwn(int kind, long number) {
        long admission = ClosedLoop.rejecting(() -> loop.offerOwn(kind, number, LoopClock.nanos()));
        pump.wakeIf(Admission.wakes(admission));
        return admission;
    }

    /** Runs a piece of work in a turn of the loop. Any thread, never waits. */
    private void post(Runnable mail) {
        steps.addMail(mail);
        // A mail for a loop that is closed has nobody to read it: its work is called off.
        pump.wakeIf(ClosedLoop.waking(() -> loop.post(0)));
    }

    /** Not a step's failure, which the loop is told: the loop itself is of no use any more. */
    private void broken(Throwable cause) {
        failed(cause);
        loop.terminate(NativeCoordinator.CANCEL);
    }

    private void serve() {
        if (closed) {
            return;
        }
        if (abandoned) {
            closeLate();
        } else {
            takeTurns();
        }
    }

    private void takeTurns() {
        for (int i = 0; i < STEPS_IN_A_ROW && !leavesForClose(); i++) {
            int step = loop.next(lastFailure, LoopClock.nanos());
            lastFailure = null;
            if (step == NativeCoordinator.PARK) {
                pump.wakeAt(loop.value());
                return;
            }
            if (step >= NativeCoordinator.TERMINAL) {
                ended(step);
                return;
            }
            try {
                execute(step);
            } catch (Throwable t) {
                failed(t);
                lastFailure = describe(t);
            }
        }
        pump.wakeIf(true);
    }

    /**
     * A close waits for the step that is under way, not for all that is left to do; but readers are
     * still told of a failure, which calls nothing of the connector any more.
     */
    private boolean leavesForClose() {
        return turnLock.isWantedForClose() && orders.failure() == null;
    }

    /** The core has ended the loop by itself: whoever waits would wait for ever. */
    private void ended(int step) {
        Throwable end = null;
        if (step == NativeCoordinator.TERMINAL) {
            end = LoopEnd.asFailure("coordinator", loop.value(), "", loop.describe());
        }
        failed(end != null ? end : new ManagedSourceException("the coordinator was cancelled"));
    }

    private void execute(int step) throws Exception {
        if (step == NativeCoordinator.FAILED) {
            // The core has found it; it knows already.
            failed(new ManagedSourceException(new String(loop.payload(), StandardCharsets.UTF_8)));
        } else {
            steps.execute(step);
        }
    }

    private void answered(int subtask, int flight, long answer) {
        pump.wakeIf(ClosedLoop.waking(() -> loop.answer(subtask, flight, answer)));
    }

    /** The source has failed: whoever waits is told, and whoever asks later. */
    private void failed(Throwable cause) {
        if (orders.fail(cause) && !closed) {
            LOG.error("The coordinator of source {} has failed.", name, cause);
        }
    }

    private static String describe(Throwable t) {
        return t.getMessage() == null
                ? t.getClass().getName()
                : t.getClass().getName() + ": " + t.getMessage();
    }

    /** The connector's scheduler. */
    public CoordinatorScheduler scheduler() {
        return scheduler;
    }

    /** Readers that the enumerator was told of. In a turn only. */
    public Set<Integer> registeredReaders() {
        checkTurn();
        return steps.registeredReaders();
    }

    /** Gives a reader splits, all or none. In a turn only. */
    public void assign(int subtask, List<SplitT> splits) {
        checkTurn();
        steps.assign(subtask, splits);
    }

    /** Tells a reader that no split will come any more. In a turn only. */
    public void noMoreSplits(int subtask) {
        checkTurn();
        loop.noMoreSplits(subtask);
    }

    /** Whether more assignments can be tracked. In a turn only. */
    public boolean hasAssignmentCapacity() {
        checkTurn();
        return loop.hasAssignmentCapacity();
    }

    private void checkTurn() {
        if (!turnLock.isHeld()) {
            throw new IllegalStateException(
                    "the enumerator's context can be used on the coordinator loop only, not on "
                            + Thread.currentThread().getName()
                            + "; bring results back with CoordinatorScheduler.callAsync");
        }
    }

    /**
     * Ends the loop and closes the enumerator. Any thread; waits for the enumerator's call that is
     * under way, which it interrupts after a second, and again each second; no other begins. After
     * 30 seconds it gives up with an exception that names the enumerator, which is closed when its
     * call returns at last. Every stage runs, the first error is thrown with the others attached.
     * Harmless twice.
     */
    public void close() throws Exception {
        if (abandoned) {
            return;
        }
        if (!turnLock.enterToClose(CLOSE_PATIENCE, closeLimit)) {
            throw abandon();
        }
        CloseStages stages = new CloseStages();
        try {
            closeOnce(stages);
        } finally {
            turnLock.leave();
        }
        stages.rethrow();
    }

    private void closeOnce(CloseStages stages) {
        if (closed) {
            return;
        }
        closed = true;
        pump.wakeAtNoTime();
        stages.run(this::serveNotices);
        stages.run(() -> loop.terminate(NativeCoordinator.CANCEL));
        stages.run(scheduler::close);
        stages.run(() -> failed(new ManagedSourceException("the coordinator is closed")));
        if (steps.enumerator() != null) {
            stages.run(steps.enumerator()::close);
        }
        stages.run(loop::close);
    }

    private ManagedSourceException abandon() {
        ManagedSourceException stuck =
                new ManagedSourceException(
                        "the enumerator "
                                + steps.enumerator().getClass().getName()
                                + " of source "
                                + name
                                + " cannot be closed: one of its callbacks has not returned for "
                                + closeLimit.getSeconds()
                                + " s though it was interrupted; a callback must not wait, slow work belongs into"
                                + " CoordinatorScheduler.callAsync");
        failed(stuck);
        loop.terminate(NativeCoordinator.CANCEL);
        abandoned = true;
        // Finds the turn taken, as this close did, and so is run again when that ends.
        pump.wakeIf(true);
        return stuck;
    }

    /** In place of a close that has given up; nobody waits for it any more. */
    private void closeLate() {
        CloseStages stages = new CloseStages();
        closeOnce(stages);
        try {
            stages.rethrow();
        } catch (Throwable t) {
            LOG.warn("Closing the enumerator of source {} failed.", name, t);
        }
    }

    /**
     * Delivers the checkpoint notices that came before the close; nothing else is of use any more.
     */
    private void serveNotices() throws Exception {
        if (!orders.isRunning()) {
            return;
        }
        loop.closeMailbox();
        int step;
        do {
            step = loop.next(null, LoopClock.nanos());
            if (step == NativeCoordinator.CHECKPOINT_COMPLETE
                    || step == NativeCoordinator.CHECKPOINT_ABORTED) {
                execute(step);
            }
        } while (step != NativeCoordinator.PARK && step < NativeCoordinator.TERMINAL);
    }

    /** The state of the loop in words, for a dump. Any thread. */
    public String describe() {
        return orders.describe() + ", " + ClosedLoop.describing(loop::describe);
    }
}
