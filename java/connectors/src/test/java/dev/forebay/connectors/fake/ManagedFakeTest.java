// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.connectors.Budget;
import dev.forebay.connectors.ConnectorException;
import dev.forebay.connectors.CursorReader;
import dev.forebay.connectors.Damage;
import dev.forebay.connectors.ManualTime;
import dev.forebay.connectors.MiniRuntime;
import dev.forebay.connectors.PendingSplits;
import dev.forebay.connectors.Rows;
import dev.forebay.connectors.TestEnumeratorContext;
import dev.forebay.connectors.TestReaderContext;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

class ManagedFakeTest {

    private static ManagedFakeSource source(Object... keysAndValues) {
        Map<String, Object> options = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            options.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return new ManagedFakeSource(ReadonlyConfig.fromMap(options));
    }

    private static void assertEachRowOnce(
            Rows rows, int splits, int rowsPerSplit, int payloadBytes) {
        FakePayload payload = new FakePayload(payloadBytes);
        Set<String> seen = new HashSet<>();
        for (SeaTunnelRow row : rows.all()) {
            long split = (Long) row.getField(0);
            long number = (Long) row.getField(1);
            assertThat(split).isBetween(0L, splits - 1L);
            assertThat(number).isBetween(0L, rowsPerSplit - 1L);
            assertThat(row.getField(2)).isEqualTo(payload.of(split, number));
            assertThat(seen.add(split + "/" + number)).as(split + "/" + number + " once").isTrue();
        }
        assertThat(seen).hasSize(splits * rowsPerSplit);
    }

    @Test
    void everyRowOnceWhateverTheOrder() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            ManagedFakeSource source = source("splits", 5, "rows", 40, "payload_bytes", 10);
            assertEachRowOnce(new MiniRuntime<>(source, 1 + seed % 4, seed).run(0), 5, 40, 10);
        }
    }

    @Test
    void everyRowOnceAcrossRestarts() throws Exception {
        for (int seed = 0; seed < 100; seed++) {
            ManagedFakeSource source = source("splits", 6, "rows", 30);
            assertEachRowOnce(new MiniRuntime<>(source, 1 + seed % 4, seed).run(25), 6, 30, 0);
        }
    }

    @Test
    void defaults() throws Exception {
        assertEachRowOnce(new MiniRuntime<>(source(), 2, 1).run(0), 4, 1000, 0);
        assertThat(source().getBoundedness()).isEqualTo(Boundedness.BOUNDED);
        assertThat(source().getPluginName()).isEqualTo("ManagedFake");
        assertThat(source().getProducedCatalogTables().get(0).getTableSchema().getFieldNames())
                .containsExactly("split", "row", "payload");
    }

    @Test
    void aSourceWithoutRowsEnds() throws Exception {
        assertThat(new MiniRuntime<>(source("rows", 0), 3, 1).run(0).size()).isZero();
    }

    @Test
    void payloadsHaveTheAskedLengthAndDifferBetweenNeighbours() {
        FakePayload payload = new FakePayload(1000);
        assertThat(payload.of(3, 7)).hasSize(1000).isEqualTo(new FakePayload(1000).of(3, 7));
        assertThat(payload.of(3, 7)).isNotEqualTo(payload.of(3, 8)).isNotEqualTo(payload.of(4, 7));
        assertThat(new FakePayload(0).of(Long.MAX_VALUE, Long.MIN_VALUE)).isEmpty();
    }

    @Test
    void unboundedNeverEndsAndIdleReadersWait() throws Exception {
        ManagedFakeSource source = source("rows", -1, "splits", 1);
        assertThat(source.getBoundedness()).isEqualTo(Boundedness.UNBOUNDED);
        TestReaderContext context = new TestReaderContext(0, Boundedness.UNBOUNDED);
        CursorReader<FakeSplit> reader = source.reader(context, new ManualTime().pace(0));
        reader.addSplits(Collections.singletonList(new FakeSplit(0, FakeSplit.UNBOUNDED, 0)));
        reader.handleNoMoreSplits();
        Rows rows = new Rows();
        for (int i = 0; i < 10; i++) {
            assertThat(reader.pollNextManaged(rows, Budget.of(1000)))
                    .isEqualTo(PollStatus.MORE_AVAILABLE);
        }
        assertThat(reader.snapshotState(1))
                .containsExactly(new FakeSplit(0, FakeSplit.UNBOUNDED, 10_000));

        TestEnumeratorContext<FakeSplit> coordinator = new TestEnumeratorContext<>();
        ManagedSplitEnumerator<FakeSplit, PendingSplits<FakeSplit>> enumerator =
                source.createManagedEnumerator(coordinator, null);
        enumerator.handleSplitRequest(1);
        enumerator.handleSplitRequest(0);
        enumerator.run();
        assertThat(coordinator.takeAnswers().toString()).isEqualTo("[1:fake-0, 0:end]");
    }

    @Test
    void theRateIsKeptWithoutSleeping() throws Exception {
        ManualTime time = new ManualTime();
        CursorReader<FakeSplit> reader =
                source("rows", -1).reader(TestReaderContext.bounded(), time.pace(100));
        reader.addSplits(Collections.singletonList(new FakeSplit(0, FakeSplit.UNBOUNDED, 0)));
        Rows rows = new Rows();
        for (int millis = 0; millis < 1000; millis++) {
            PollStatus status = reader.pollNextManaged(rows, Budget.of(64));
            assertThat(status).isEqualTo(PollStatus.NOTHING_AVAILABLE);
            assertThat(reader.isAvailable()).isNotCompleted();
            time.advanceMillis(1);
        }
        assertThat(rows.size()).isBetween(99, 101);
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        for (Object[] bad :
                new Object[][] {
                    {"splits", 0},
                    {"splits", 1_000_001},
                    {"rows", -2},
                    {"payload_bytes", -1},
                    {"payload_bytes", (1 << 20) + 1},
                    {"rows_per_second", -1},
                    {"rows_per_second", 1_000_001},
                    {"splits", "many"},
                }) {
            assertThatThrownBy(() -> source(bad))
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("'" + bad[0] + "'")
                    .hasMessageContaining(String.valueOf(bad[1]));
        }
    }

    @Test
    void stateSurvivesAndDamageIsRefused() throws Exception {
        ManagedFakeSource source = source();
        for (FakeSplit split :
                Arrays.asList(
                        new FakeSplit(0, 0, 0),
                        new FakeSplit(3, FakeSplit.UNBOUNDED, Long.MAX_VALUE),
                        new FakeSplit(Long.MAX_VALUE, 1000, 999))) {
            Damage.check(MiniRuntime.splitSerializer(source), split);
        }
        Damage.check(
                MiniRuntime.stateSerializer(source),
                new PendingSplits<>(false, Collections.emptyList()));
        Damage.check(
                MiniRuntime.stateSerializer(source),
                new PendingSplits<>(
                        true, Arrays.asList(new FakeSplit(1, 10, 0), new FakeSplit(2, 10, 3))));
    }
}
