// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.NativeCoordinator;
import dev.forebay.natives.SplitList;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.SourceSplit;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Executes the steps of a coordinator's loop on the connector's enumerator, and what the enumerator
 * asks for while one runs. In a turn only, but for {@link #restoreReader} and {@link #addMail},
 * which any thread may call.
 */
final class EnumeratorSteps<SplitT extends SourceSplit, StateT> {
    private final NativeCoordinator loop;
    private final Transport transport;
    private final SplitCodec<SplitT> codec;
    private final VersionedSerializer<StateT> stateSerializer;
    private final Orders orders;
    private final Answers answers;

    private final Queue<Runnable> mails = new ConcurrentLinkedQueue<>();
    private final Queue<RestoredReader> restored = new ConcurrentLinkedQueue<>();
    private final Map<Integer, byte[]> addresses = new ConcurrentHashMap<>();
    private final Set<Integer> registered = new TreeSet<>();
    private ManagedSplitEnumerator<SplitT, StateT> enumerator;

    /** Takes the answers to what was sent. */
    interface Answers {
        void answered(int subtask, int flight, long answer);
    }

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

    EnumeratorSteps(
            NativeCoordinator loop,
            Transport transport,
            VersionedSerializer<SplitT> splitSerializer,
            VersionedSerializer<StateT> stateSerializer,
            Orders orders,
            Answers answers) {
        this.loop = loop;
        this.transport = transport;
        this.codec = new SplitCodec<>(splitSerializer);
        this.stateSerializer = stateSerializer;
        this.orders = orders;
        this.answers = answers;
    }

    StateT restore(byte[] blob) throws IOException {
        return SplitCodec.decode(stateSerializer, loop.restore(blob));
    }

    void host(ManagedSplitEnumerator<SplitT, StateT> connector) {
        enumerator = connector;
    }

    void restoreReader(int subtask, byte[] metadata, List<byte[]> splits) {
        if (orders.openIsOver()) {
            throw new ManagedSourceException(
                    "the state of subtask "
                            + subtask
                            + " came back after the enumerator was opened");
        }
        restored.add(new RestoredReader(subtask, metadata, splits));
    }

    /** To be run when the loop comes to the mail that is posted next. */
    void addMail(Runnable mail) {
        mails.add(mail);
    }

    void execute(int step) throws Exception {
        int subtask = loop.subtask();
        switch (step) {
            case NativeCoordinator.OPEN:
                open();
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
                orders.running();
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
                throw new IllegalStateException(
                        "the loop has answered step "
                                + step
                                + ", which this release does not know: library and jars must be of one release");
        }
    }

    private void open() throws Exception {
        // All parts of a restored checkpoint are here: the engine opens the enumerator after the
        // last reader came.
        for (RestoredReader part = restored.poll(); part != null; part = restored.poll()) {
            loop.restoreReader(part.subtask, part.metadata, SplitList.encode(part.splits));
        }
        enumerator.open();
        orders.opened();
    }

    private void takeSnapshot(long checkpoint) throws Exception {
        StateT state =
                Returned.notNull(enumerator.snapshotState(checkpoint), enumerator, "snapshotState");
        byte[] bytes =
                Returned.notNull(stateSerializer.serialize(state), stateSerializer, "serialize");
        orders.taken(checkpoint, loop.snapshot(stateSerializer.version(), bytes));
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
                answer -> answers.answered(subtask, flight, answer));
    }

    Set<Integer> registeredReaders() {
        return new TreeSet<>(registered);
    }

    void assign(int subtask, List<SplitT> splits) {
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

    /** Null if none was hosted. */
    ManagedSplitEnumerator<SplitT, StateT> enumerator() {
        return enumerator;
    }
}
