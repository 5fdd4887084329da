// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.PollStatus;
import dev.forebay.runtime.VersionedSerializer;

import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.SourceSplit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Runs a whole source in one thread, in an order that a seed decides, with checkpoints and restarts
 * from them. All state goes through its serializers.
 */
public final class MiniRuntime<SplitT extends SourceSplit> {
    private final CursorSource<SplitT> source;
    private final int parallelism;
    private final Random random;
    private final Rows rows = new Rows();

    private TestEnumeratorContext<SplitT> enumeratorContext;
    private ManagedSplitEnumerator<SplitT, PendingSplits<SplitT>> enumerator;
    private final List<TestReaderContext> readerContexts = new ArrayList<>();
    private final List<CursorReader<SplitT>> readers = new ArrayList<>();
    private final List<Boolean> ended = new ArrayList<>();

    private byte[] savedState;
    private List<byte[]> savedSplits = new ArrayList<>();
    private int savedRows;

    public MiniRuntime(CursorSource<SplitT> source, int parallelism, long seed) {
        this.source = source;
        this.parallelism = parallelism;
        this.random = new Random(seed);
    }

    /** How the source writes a split into a checkpoint. */
    public static <SplitT extends SourceSplit> VersionedSerializer<SplitT> splitSerializer(
            CursorSource<SplitT> source) {
        return source.splitSerializer();
    }

    /** How the source writes an enumerator into a checkpoint. */
    public static <SplitT extends SourceSplit>
            VersionedSerializer<PendingSplits<SplitT>> stateSerializer(
                    CursorSource<SplitT> source) {
        return source.enumeratorStateSerializer();
    }

    /** What the source declares in a checkpoint. */
    public static ManagedSourceCapability capability(CursorSource<?> source) {
        return source.capability();
    }

    /**
     * Runs to the end of the input; every so many steps ({@code 0}: never) the job fails and starts
     * again.
     */
    public Rows run(int stepsBetweenFailures) throws Exception {
        start();
        while (ended.contains(false)) {
            step();
            if (random.nextInt(10) == 0) {
                checkpoint();
            }
            if (stepsBetweenFailures > 0 && random.nextInt(stepsBetweenFailures) == 0) {
                rows.backTo(savedRows);
                stop();
                start();
            }
        }
        stop();
        return rows;
    }

    private void start() throws Exception {
        enumeratorContext = new TestEnumeratorContext<>();
        PendingSplits<SplitT> restored =
                savedState == null ? null : read(source.enumeratorStateSerializer(), savedState);
        enumerator = source.createManagedEnumerator(enumeratorContext, restored);
        enumerator.open();
        for (byte[] split : savedSplits) {
            enumerator.addSplitsBack(
                    Collections.singletonList(read(source.splitSerializer(), split)), 0);
        }
        for (int i = 0; i < parallelism; i++) {
            readerContexts.add(new TestReaderContext(i, Boundedness.BOUNDED));
            readers.add(source.reader(readerContexts.get(i), Pace.of(0)));
            ended.add(false);
            enumerator.registerReader(i);
            readers.get(i).open();
        }
        enumerator.run();
    }

    private static <T> T read(VersionedSerializer<T> serializer, byte[] bytes) throws Exception {
        return serializer.deserialize(serializer.version(), bytes);
    }

    private void stop() throws Exception {
        for (CursorReader<SplitT> reader : readers) {
            reader.close();
        }
        enumerator.close();
        readers.clear();
        readerContexts.clear();
        ended.clear();
    }

    private void step() throws Exception {
        int reader = random.nextInt(parallelism);
        for (int n = readerContexts.get(reader).takeRequests(); n > 0; n--) {
            enumerator.handleSplitRequest(reader);
        }
        if (enumeratorContext.slowWork() > 0 && random.nextInt(4) == 0) {
            enumeratorContext.runSlowWork();
        }
        for (TestEnumeratorContext.Answer<SplitT> answer : enumeratorContext.takeAnswers()) {
            if (answer.split == null) {
                readers.get(answer.reader).handleNoMoreSplits();
            } else {
                readers.get(answer.reader).addSplits(Collections.singletonList(answer.split));
            }
        }
        if (!ended.get(reader)) {
            PollStatus status =
                    readers.get(reader).pollNextManaged(rows, Budget.of(1 + random.nextInt(5)));
            ended.set(reader, status == PollStatus.END_OF_INPUT);
        }
    }

    private void checkpoint() throws Exception {
        savedState = source.enumeratorStateSerializer().serialize(enumerator.snapshotState(1));
        savedSplits = new ArrayList<>();
        for (CursorReader<SplitT> reader : readers) {
            for (SplitT split : reader.snapshotState(1)) {
                savedSplits.add(source.splitSerializer().serialize(split));
            }
        }
        savedRows = rows.size();
        enumerator.notifyCheckpointComplete(1);
    }
}
