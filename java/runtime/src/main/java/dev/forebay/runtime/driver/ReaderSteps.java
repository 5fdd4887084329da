// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.NativeReader;
import dev.forebay.natives.SplitList;
import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollStatus;
import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceSplit;

import java.util.ArrayList;
import java.util.List;

/**
 * Takes the steps of a reader's loop and executes them on the connector's reader; whoever takes the
 * next one reports how the last one went, whatever thread that was on. Failures are kept, not
 * thrown. In a turn only, but for {@link #requestSplit}, which tells by itself, and {@link
 * #isRegistered}.
 */
final class ReaderSteps<T, SplitT extends SourceSplit> {
    private final NativeReader loop;
    private final Transport transport;
    private final SplitCodec<SplitT> codec;
    private final Availability availability;
    private final Host host;

    private ManagedSourceReader<T, SplitT> reader;
    private PollTurn<T> turn;

    /** Who is inside the connector, with the right to ask for a split. */
    private volatile Thread owner;

    private volatile boolean registered;

    /** How the last step went. */
    private int outcome = NativeReader.DONE;

    /** Whose steps these are. */
    interface Host {
        /** Takes the answer to what was sent. Any thread. */
        void answered(int flight, long answer);

        /** Keeps a failure of the connector. */
        void keep(Throwable failure);

        /** The core has ended the loop, for this cause. */
        void endedBy(long cause);

        /** The engine is to look at a schema change before the next turn. */
        void schemaChanged();
    }

    ReaderSteps(
            NativeReader loop,
            Transport transport,
            VersionedSerializer<SplitT> serializer,
            Availability availability,
            Host host) {
        this.loop = loop;
        this.transport = transport;
        this.codec = new SplitCodec<>(serializer);
        this.availability = availability;
        this.host = host;
    }

    /** Once, before anything else. */
    void host(ManagedSourceReader<T, SplitT> connector) {
        reader = connector;
        turn = new PollTurn<>(connector);
    }

    /** Null if none was hosted. */
    ManagedSourceReader<T, SplitT> reader() {
        return reader;
    }

    void open() throws Exception {
        owner = Thread.currentThread();
        try {
            reader.open();
        } finally {
            owner = null;
        }
    }

    /** Whether the coordinator has the registration. Any thread. */
    boolean isRegistered() {
        return registered;
    }

    /** Reports how the last step went and takes the next one. */
    int next(boolean poll) {
        int step = loop.next(outcome, poll, LoopClock.nanos());
        outcome = NativeReader.DONE;
        return step;
    }

    /** Executes the step that was taken last. */
    void execute(int step, Collector<T> output) {
        owner = Thread.currentThread();
        try {
            outcome = apply(step, output);
        } catch (Throwable t) {
            outcome = NativeReader.FAILED;
            host.keep(t);
        } finally {
            owner = null;
        }
    }

    private int apply(int step, Collector<T> output) throws Exception {
        switch (step) {
            case NativeReader.ADD_SPLITS:
                reader.addSplits(codec.decode(SplitList.decode(loop.payload())));
                return NativeReader.DONE;
            case NativeReader.NO_MORE_SPLITS:
                reader.handleNoMoreSplits();
                return NativeReader.DONE;
            case NativeReader.CHECKPOINT_COMPLETE:
                reader.notifyCheckpointComplete(loop.value());
                return NativeReader.DONE;
            case NativeReader.CHECKPOINT_ABORTED:
                reader.notifyCheckpointAborted(loop.value());
                return NativeReader.DONE;
            case NativeReader.POLL:
                return poll(output);
            case NativeReader.SEND:
                // Its channel is open, so it has registered, whatever became of the answer.
                registered = true;
                send(loop.flight(), loop.payload());
                return NativeReader.DONE;
            case NativeReader.REGISTER:
                register(loop.flight(), loop.payload());
                return NativeReader.DONE;
            case NativeReader.TERMINAL:
                host.endedBy(loop.value());
                return NativeReader.DONE;
            default:
                return NativeReader.DONE;
        }
    }

    private int poll(Collector<T> output) throws Exception {
        PollStatus status =
                turn.poll(output, new PollBudget(loop.records(), loop.bytes(), loop.value()));
        if (turn.announcedSchemaChange()) {
            host.schemaChanged();
        }
        switch (status) {
            case MORE_AVAILABLE:
                return NativeReader.POLLED_MORE;
            case END_OF_INPUT:
                return NativeReader.POLLED_END;
            default:
                availability.await(loop.turn(), turn.availability());
                return NativeReader.POLLED_NOTHING;
        }
    }

    private void register(int flight, byte[] batch) {
        transport.register(
                batch,
                answer -> {
                    if (Admission.isTaken(answer)) {
                        registered = true;
                    }
                    host.answered(flight, answer);
                });
    }

    private void send(int flight, byte[] batch) {
        transport.toCoordinator(batch, answer -> host.answered(flight, answer));
    }

    /**
     * Executes a snapshot step.
     *
     * @return the runtime's part first, then the splits; null if the connector failed
     */
    List<byte[]> takeSnapshot() {
        owner = Thread.currentThread();
        try {
            List<byte[]> parts = new ArrayList<>();
            parts.add(loop.payload());
            List<SplitT> splits =
                    Returned.notNull(reader.snapshotState(loop.value()), reader, "snapshotState");
            parts.addAll(codec.encode(splits));
            return parts;
        } catch (Throwable t) {
            outcome = NativeReader.FAILED;
            host.keep(t);
            return null;
        } finally {
            owner = null;
        }
    }

    /** Asks for a split, on the thread that is in a call of the connector. */
    void requestSplit() {
        if (owner != Thread.currentThread()) {
            throw new IllegalStateException(
                    "a split can be asked for in calls of the reader only, not on "
                            + Thread.currentThread().getName());
        }
        loop.requestSplit();
    }
}
