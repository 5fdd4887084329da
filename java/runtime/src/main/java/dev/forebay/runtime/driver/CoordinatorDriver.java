// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.CommandKind;
import dev.forebay.natives.NativeCoordinator;
import dev.forebay.natives.SplitList;
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
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

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
    private final Transport transport;
    private final SplitCodec<SplitT> codec;
    private final VersionedSerializer<StateT> stateSerializer;
    private final ClassLoader loader;
    private final LoopScheduler scheduler;

    private final Queue<Runnable> mails = new ConcurrentLinkedQueue<>();
    private final Queue<RestoredReader> restored = new ConcurrentLinkedQueue<>();
    private final Map<Integer, byte[]> addresses = new ConcurrentHashMap<>();
    private final Map<Long, CompletableFuture<byte[]>> snapshots = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> running = new CompletableFuture<>();
    private final Set<Integer> registered = new TreeSet<>();

    private final TurnLock turnLock = new TurnLock();
    private final Duration closeLimit;

    /** A pump was asked for that has not looked at the loop yet. */
    private volatile boolean again;

    /** A close has given up waiting: whoever leaves the turn closes. */
    private volatile boolean abandoned;

    private ManagedSplitEnumerator<SplitT, StateT> enumerator;
    private volatile Throwable failure;

    /** Why the last step failed; the next one reports it. */
    private String lastFailure;

    private Future<?> alarm;
    private volatile boolean closed;

    /** What the reader of a subtask had in the restored checkpoint. */
    private static final class RestoredReader {
        final int subtask;
        final byte[] metadata;
        final List<byte[]> splits;

        RestoredReader(int subtask, byte[] metadata, List<byte[]> splits) {
            this.subtask = subtask;
            this.metadata = metadata;
            this.splits = splits;
        }
    }

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
        this.transport = transport;
        this.codec = new SplitCodec<>(splitSerializer);
        this.stateSerializer = stateSerializer;
        this.loader = loader;
        this.closeLimit = closeLimit;
        this.scheduler = new LoopScheduler(this::post, this::checkTurn, loader);
    }

    /** Takes over a checkpoint before {@link #host}; the result is the enumerator's state in it. */
    public StateT restore(byte[] blob) throws IOException {
        return SplitCodec.decode(stateSerializer, loop.restore(blob));
    }

    /**
     * The connector's enumerator; set once, after a {@link #restore} and before anything else is
     * called.
     */
    public void host(ManagedSplitEnumerator<SplitT, StateT> connector) {
        enumerator = connector;
        // The loop's first look; from then on it asks to be woken.
        wakeIf(true);
    }

    /** What the reader of a subtask had in the restored checkpoint. Any thread; never waits. */
    public void restoreReader(int subtask, byte[] metadata, List<byte[]> splits) {
        if (opened.isDone()) {
            throw new ManagedSourceException(
                    "the state of subtask "
                            + subtask
                            + " came back after the enumerator was opened");
        }
        restored.add(new RestoredReader(subtask, metadata, splits));
    }

    /** Opens the enumerator and waits until that is done. */
    public void open() throws Exception {
        order(CommandKind.OPEN_ENUMERATOR, 0, opened);
        await(opened);
    }

    /** Starts the enumerator and waits until that is done. */
    public void run() throws Exception {
        order(CommandKind.RUN_ENUMERATOR, 0, running);
        await(running);
    }

    /** Takes the coordinator's part of a checkpoint and waits for it. */
    public byte[] snapshot(long checkpoint) throws Exception {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        if (snapshots.putIfAbsent(checkpoint, result) != null) {
            throw new ManagedSourceException(
                    "checkpoint "
                            + checkpoint
                            + " of source "
                            + name
                            + " is being taken already: each checkpoint is asked for once");
        }
        try {
            order(CommandKind.BARRIER, checkpoint, result);
            return await(result);
        } finally {
            snapshots.remove(checkpoint);
        }
    }

    private void order(int kind, long number, CompletableFuture<?> result) {
        long admission = offerOwn(kind, number);
        if (!Admission.isTaken(admission)) {
            result.completeExceptionally(refused(admission));
        }
        if (failure != null) {
            // The failure was told before this order came: nobody else would.
            result.completeExceptionally(failure);
        }
    }

    private Throwable refused(long admission) {
        if (failure != null) {
            return failure;
        }
        return Admission.exhaustsReserve(admission)
                ? LoopEnd.reserveExhausted("coordinator", describe())
                : new ManagedSourceException(
                        "the coordinator takes no orders: " + Admission.describe(admission));
    }

    private static <V> V await(CompletableFuture<V> result) throws Exception {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw Thrown.asException(e.getCause());
        }
    }

    /** Offers what a reader sent; the answer is for it. Any thread, never waits. */
    public long offerBatch(byte[] batch) {
        long answer = ClosedLoop.rejecting(() -> loop.offerBatch(batch, LoopClock.nanos()));
        wakeIf(Admission.wakes(answer));
        return Admission.answer(answer);
    }

    /**
     * Why no reader is served any more that was not before; null as long as one is, and after a
     * close, when the reader may belong to the next life. Any thread, never waits.
     */
    public String failure() {
        Throwable cause = failure;
        if (cause == null || closed) {
            return null;
        }
        return cause instanceof ManagedSourceException ? cause.getMessage() : describe(cause);
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
        wakeIf(Admission.wakes(admission));
        return admission;
    }

    /** Runs a piece of work in a turn of the loop. Any thread, never waits. */
    private void post(Runnable mail) {
        mails.add(mail);
        // A mail for a loop that is closed has nobody to read it: its work is called off.
        wakeIf(ClosedLoop.waking(() -> loop.post(0)));
    }

    private void wakeIf(boolean needed) {
        if (needed) {
            Workers.loops().execute(this::pump);
        }
    }

    /**
     * Takes turns until nothing is left to do. Serial: who finds another thread in a turn leaves
     * its request there and returns, so that one loop never keeps two of the shared threads.
     */
    private void pump() {
        again = true;
        if (!turnLock.tryEnter()) {
            return;
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            again = false;
            thread.setContextClassLoader(loader);
            serve();
        } catch (Throwable t) {
            // Not a step's failure, which the loop is told: the loop itself is of no use any more.
            failed(t);
            loop.terminate(NativeCoordinator.CANCEL);
        } finally {
            turnLock.leave();
            thread.setContextClassLoader(before);
        }
        // Through the queue, so that other loops have their turn.
        wakeIf(again);
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
                setAlarm(loop.value());
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
        wakeIf(true);
    }

    /**
     * A close waits for the step that is under way, not for all that is left to do; but readers are
     * still told of a failure, which calls nothing of the connector any more.
     */
    private boolean leavesForClose() {
        return turnLock.isWantedForClose() && failure == null;
    }

    /** The core has ended the loop by itself: whoever waits would wait for ever. */
    private void ended(int step) {
        Throwable end = null;
        if (step == NativeCoordinator.TERMINAL) {
            end = LoopEnd.asFailure("coordinator", loop.value(), "", loop.describe());
        }
        failed(end != null ? end : new ManagedSourceException("the coordinator was cancelled"));
    }

    private void setAlarm(long until) {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
        if (LoopClock.isTime(until)) {
            long delay = LoopClock.nanosUntil(until);
            alarm = Workers.timer().schedule(() -> wakeIf(true), delay, TimeUnit.NANOSECONDS);
        }
    }

    private void execute(int step) throws Exception {
        int subtask = loop.subtask();
        switch (step) {
            case NativeCoordinator.OPEN:
                openEnumerator();
                break;
            case NativeCoordinator.ADD_SPLITS_BACK:
                enumerator.addSplitsBack(codec.decode(SplitList.decode(loop.payload())), subtask);
                break;
            case NativeCoordinator.CONNECT:
                addresses.put(subtask, loop.payload());
                break;
            case NativeCoordinator.REGISTER_READER:
                registered.add(subtask);
                enumerator.registerReader(subtask);
                break;
            case NativeCoordinator.RUN:
                enumerator.run();
                running.complete(null);
                break;
            case NativeCoordinator.REQUEST_SPLIT:
                enumerator.handleSplitRequest(subtask);
                break;
            case NativeCoordinator.SNAPSHOT:
                takeSnapshot(loop.value());
                break;
            case NativeCoordinator.CHECKPOINT_COMPLETE:
                enumerator.notifyCheckpointComplete(loop.value());
                break;
            case NativeCoordinator.CHECKPOINT_ABORTED:
                enumerator.notifyCheckpointAborted(loop.value());
                break;
            case NativeCoordinator.MAIL:
                runMail();
                break;
            case NativeCoordinator.SEND:
                send(subtask, loop.flight(), loop.payload());
                break;
            default:
                failed(
                        new ManagedSourceException(
                                new String(loop.payload(), StandardCharsets.UTF_8)));
        }
    }

    private void openEnumerator() throws Exception {
        // All parts of a restored checkpoint are here: the engine opens the enumerator after the
        // last reader came.
        for (RestoredReader part = restored.poll(); part != null; part = restored.poll()) {
            loop.restoreReader(part.subtask, part.metadata, SplitList.encode(part.splits));
        }
        enumerator.open();
        opened.complete(null);
    }

    private void takeSnapshot(long checkpoint) throws Exception {
        StateT state =
                Returned.notNull(enumerator.snapshotState(checkpoint), enumerator, "snapshotState");
        byte[] bytes =
                Returned.notNull(stateSerializer.serialize(state), stateSerializer, "serialize");
        byte[] blob = loop.snapshot(stateSerializer.version(), bytes);
        CompletableFuture<byte[]> result = snapshots.get(checkpoint);
        if (result != null) {
            result.complete(blob);
        }
    }

    private void runMail() {
        Runnable mail = mails.poll();
        if (mail != null) {
            mail.run();
        }
    }

    private void send(int subtask, int flight, byte[] batch) {
        transport.toReader(
                subtask,
                addresses.get(subtask),
                batch,
                answer -> wakeIf(ClosedLoop.waking(() -> loop.answer(subtask, flight, answer))));
    }

    /** The source has failed: whoever waits is told, and whoever asks later. */
    private synchronized void failed(Throwable cause) {
        if (failure == null) {
            failure = cause;
            if (!closed) {
                LOG.error("The coordinator of source {} has failed.", name, cause);
            }
        }
        opened.completeExceptionally(failure);
        running.completeExceptionally(failure);
        snapshots.values().forEach(result -> result.completeExceptionally(failure));
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
        return new TreeSet<>(registered);
    }

    /** Gives a reader splits, all or none. In a turn only. */
    public void assign(int subtask, List<SplitT> splits) {
        checkTurn();
        if (splits.isEmpty()) {
            return;
        }
        try {
            loop.assign(subtask, SplitList.encode(codec.encode(splits)));
        } catch (IOException e) {
            throw new ManagedSourceException(
                    "splits for subtask " + subtask + " cannot be serialized: " + e.getMessage(),
                    e);
        }
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
        setAlarm(-1);
        stages.run(this::serveNotices);
        stages.run(() -> loop.terminate(NativeCoordinator.CANCEL));
        stages.run(scheduler::close);
        stages.run(() -> failed(new ManagedSourceException("the coordinator is closed")));
        if (enumerator != null) {
            stages.run(enumerator::close);
        }
        stages.run(loop::close);
    }

    private ManagedSourceException abandon() {
        ManagedSourceException stuck =
                new ManagedSourceException(
                        "the enumerator "
                                + enumerator.getClass().getName()
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
        wakeIf(true);
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
        if (!running.isDone() || running.isCompletedExceptionally()) {
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
        return "opened "
                + opened.isDone()
                + ", running "
                + running.isDone()
                + ", failure "
                + failure
                + ", "
                + ClosedLoop.describing(loop::describe);
    }
}
