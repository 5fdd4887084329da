// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.connectors.Budget;
import dev.forebay.connectors.CursorReader;
import dev.forebay.connectors.ManualTime;
import dev.forebay.connectors.Rows;
import dev.forebay.connectors.TestReaderContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.source.Boundedness;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

class ManagedFakeFeedTest {
    private static CursorReader<FakeSplit> reader(String feed) {
        Map<String, Object> options = new HashMap<>();
        options.put("feed", feed);
        options.put("rows", -1);
        CursorReader<FakeSplit> reader =
                new ManagedFakeSource(ReadonlyConfig.fromMap(options))
                        .reader(
                                new TestReaderContext(0, Boundedness.UNBOUNDED),
                                new ManualTime().pace(0));
        reader.addSplits(Collections.singletonList(new FakeSplit(0, FakeSplit.UNBOUNDED, 0)));
        return reader;
    }

    @Test
    void aPushBetweenThePollAndTheQuestionIsNotLost() throws Exception {
        CursorReader<FakeSplit> reader = reader("between");
        Rows rows = new Rows();
        assertThat(reader.pollNextManaged(rows, Budget.of(64)))
                .isEqualTo(PollStatus.NOTHING_AVAILABLE);
        ManagedFakeFeed.named("between").push(7);
        assertThat(reader.isAvailable()).isCompleted();
        assertThat(reader.pollNextManaged(rows, Budget.of(64)))
                .isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(rows.column(1)).containsExactly(7L);
        assertThat(reader.isAvailable())
                .as("a completed future is not handed out again")
                .isNotCompleted();
        assertThat(reader.snapshotState(1))
                .containsExactly(new FakeSplit(0, FakeSplit.UNBOUNDED, 1));
    }

    @Test
    void aPushCompletesTheFuture() throws Exception {
        CursorReader<FakeSplit> reader = reader("later");
        reader.pollNextManaged(new Rows(), Budget.of(64));
        CompletableFuture<Void> available = reader.isAvailable();
        assertThat(reader.isAvailable()).isSameAs(available).isNotCompleted();
        ManagedFakeFeed.named("later").push(1);
        assertThat(available).isCompleted();
    }

    @Test
    void everyPushFromAnotherThreadArrivesInOrder() throws Exception {
        int pushes = 200_000;
        CursorReader<FakeSplit> reader = reader("threads");
        Thread pusher =
                new Thread(
                        () -> {
                            for (int i = 0; i < pushes; i++) {
                                ManagedFakeFeed.named("threads").push(i);
                            }
                        });
        pusher.start();
        Rows rows = new Rows();
        while (rows.size() < pushes) {
            PollStatus status = reader.pollNextManaged(rows, Budget.of(64));
            if (status == PollStatus.NOTHING_AVAILABLE && rows.size() < pushes) {
                // A lost wake-up would end in a timeout here.
                reader.isAvailable().get(30, TimeUnit.SECONDS);
            }
        }
        pusher.join();
        List<Object> expected = new ArrayList<>();
        for (long i = 0; i < pushes; i++) {
            expected.add(i);
        }
        assertThat(rows.column(1)).isEqualTo(expected);
    }
}
