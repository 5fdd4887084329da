// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Boundedness;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class CursorReaderTest {
    private final TestReaderContext context = TestReaderContext.bounded();
    private final ManualTime time = new ManualTime();
    private final Rows rows = new Rows();
    private final List<String> closed = new ArrayList<>();
    private CursorReader<Script> reader = reader(context, 0);

    private CursorReader<Script> reader(TestReaderContext readerContext, long rowsPerSecond) {
        return new CursorReader<>(
                readerContext,
                ManagedSourceCapability.of("Script", 1),
                time.pace(rowsPerSecond),
                ScriptCursor::new);
    }

    private PollStatus poll(int budget) throws Exception {
        return reader.pollNextManaged(rows, Budget.of(budget));
    }

    @Test
    void asksOnceUntilItGetsASplit() throws Exception {
        reader.open();
        assertThat(context.takeRequests()).isEqualTo(1);
        assertThat(poll(9)).isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(reader.isAvailable()).isNotCompleted();
        assertThat(context.takeRequests()).isZero();
        reader.addSplits(Collections.singletonList(new Script("a", "ee")));
        assertThat(poll(9)).isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(context.takeRequests()).isEqualTo(1);
        assertThat(poll(9)).isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(context.takeRequests()).isZero();
    }

    @Test
    void readsSplitsInOrderAndAsksWhenTheLastIsFinished() throws Exception {
        reader.addSplits(
                Arrays.asList(
                        new Script("a", "e"), new Script("empty", ""), new Script("b", "ee")));
        assertThat(poll(1)).isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(rows.column(0)).containsExactly("a0");
        assertThat(ids(reader.snapshotState(1))).containsExactly("empty at 0", "b at 0");
        assertThat(poll(1)).isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(ids(reader.snapshotState(1))).containsExactly("b at 1");
        assertThat(context.takeRequests()).isZero();
        assertThat(poll(1)).isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(reader.snapshotState(1)).as("the split leaves with its last row").isEmpty();
        assertThat(context.takeRequests()).isEqualTo(1);
        assertThat(closed).containsExactly("a", "empty", "b");
        assertThat(rows.column(0)).containsExactly("a0", "b0", "b1");
    }

    @Test
    void endsWhenBoundedAndToldSo() throws Exception {
        reader.addSplits(Collections.singletonList(new Script("a", "e")));
        reader.handleNoMoreSplits();
        assertThat(poll(9)).isEqualTo(PollStatus.END_OF_INPUT);
        assertThat(context.takeRequests()).isZero();
    }

    @Test
    void anUnboundedReaderWithoutSplitsGoesOnWaiting() throws Exception {
        reader = reader(new TestReaderContext(0, Boundedness.UNBOUNDED), 0);
        reader.open();
        reader.handleNoMoreSplits();
        assertThat(poll(9)).isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(reader.isAvailable()).isNotCompleted();
    }

    @Test
    void aLongSearchEndsTheTurn() throws Exception {
        StringBuilder searches = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            searches.append('s');
        }
        reader.addSplits(Collections.singletonList(new Script("a", searches + "e")));
        assertThat(poll(9)).isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(poll(9)).isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(rows.size()).isZero();
        poll(9);
        assertThat(rows.size()).isEqualTo(1);
    }

    @Test
    void wakeupEndsARunningTurnAfterTheStepInHand() throws Exception {
        reader.addSplits(Collections.singletonList(new Script("a", "eweee")));
        assertThat(poll(9)).isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(rows.size()).isEqualTo(2);
        reader.wakeup();
        assertThat(poll(9))
                .as("progress even if woken all the time")
                .isEqualTo(PollStatus.MORE_AVAILABLE);
        assertThat(rows.size()).isEqualTo(3);
        poll(9);
        assertThat(rows.size()).isEqualTo(5);
    }

    @Test
    void waitsForTheSplitThatWaits() throws Exception {
        reader.addSplits(Collections.singletonList(new Script("a", "ene")));
        assertThat(poll(9)).isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(reader.isAvailable()).isSameAs(WAITING);
        poll(9);
        assertThat(rows.size()).isEqualTo(2);
    }

    @Test
    void anIdleReaderThatIsAheadWaitsForItsPace() throws Exception {
        reader = reader(context, 10);
        reader.addSplits(Collections.singletonList(new Script("a", "eee")));
        assertThat(poll(9)).isEqualTo(PollStatus.NOTHING_AVAILABLE);
        assertThat(rows.size()).isEqualTo(1);
        CompletableFuture<Void> available = reader.isAvailable();
        assertThat(available).isNotCompleted();
        time.advanceMillis(100);
        assertThat(available).isCompleted();
        poll(9);
        assertThat(rows.size()).isEqualTo(2);
        reader.isAvailable();
        reader.close();
        assertThat(time.alarms()).isZero();
        assertThat(closed).containsExactly("a");
    }

    @Test
    void aSplitThatCannotBeOpenedStaysInTheSnapshot() {
        reader.addSplits(Arrays.asList(new Script("a", "fails"), new Script("b", "e")));
        assertThatThrownBy(() -> poll(9)).isInstanceOf(IOException.class);
        assertThat(ids(reader.snapshotState(1))).containsExactly("a at 0", "b at 0");
    }

    private static List<String> ids(List<Script> splits) {
        List<String> ids = new ArrayList<>();
        splits.forEach(split -> ids.add(split.id + " at " + split.done));
        return ids;
    }

    private static final CompletableFuture<Void> WAITING = new CompletableFuture<>();

    /** A letter a step: e emits, w emits and is woken meanwhile, s searches, n has nothing. */
    private static final class Script implements SourceSplit {
        private static final long serialVersionUID = 1L;
        private final String id;
        private final String steps;
        private final int done;

        Script(String id, String steps) {
            this(id, steps, 0);
        }

        Script(String id, String steps, int done) {
            this.id = id;
            this.steps = steps;
            this.done = done;
        }

        @Override
        public String splitId() {
            return id;
        }
    }

    private final class ScriptCursor implements SplitCursor<Script> {
        private final Script script;
        private int done;

        ScriptCursor(Script script) throws IOException {
            if (script.steps.equals("fails")) {
                throw new IOException("cannot be opened");
            }
            this.script = script;
        }

        @Override
        public boolean isFinished() {
            return done == script.steps.length();
        }

        @Override
        public Step step(Collector<SeaTunnelRow> output) {
            char step = script.steps.charAt(done++);
            if (step == 's') {
                return Step.SEARCHED;
            }
            if (step == 'n') {
                return Step.WAITING;
            }
            if (step == 'w') {
                reader.wakeup();
            }
            output.collect(new SeaTunnelRow(new Object[] {script.id + (done - 1)}));
            return Step.EMITTED;
        }

        @Override
        public Script position() {
            return new Script(script.id, script.steps, done);
        }

        @Override
        public CompletableFuture<Void> whenAvailable() {
            return WAITING;
        }

        @Override
        public void close() {
            closed.add(script.id);
        }
    }
}
