// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static dev.forebay.system.probe.Callback.ENUMERATOR_ADD_SPLITS_BACK;
import static dev.forebay.system.probe.Callback.ENUMERATOR_CREATE;
import static dev.forebay.system.probe.Callback.ENUMERATOR_OPEN;
import static dev.forebay.system.probe.Callback.ENUMERATOR_REGISTER_READER;
import static dev.forebay.system.probe.Callback.ENUMERATOR_RUN;
import static dev.forebay.system.probe.Callback.READER_ADD_SPLITS;
import static dev.forebay.system.probe.Callback.READER_CLOSE;
import static dev.forebay.system.probe.Callback.READER_COMPLETE;
import static dev.forebay.system.probe.Callback.READER_CREATE;
import static dev.forebay.system.probe.Callback.READER_OPEN;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.system.probe.Call;
import dev.forebay.system.probe.Callback;
import dev.forebay.system.probe.Callback.Side;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A connector is never called by a thread that serves the cluster, never twice at a time, and in
 * the documented order; also after a restore.
 */
@SystemTest
class ThreadingTest {
    private static final int SPLITS = 4;
    private static final int ROWS = 50;

    /** Threads on which a wait, or a connector, would hold up the whole cluster. */
    private static final Pattern OPERATION_THREAD =
            Pattern.compile("hz\\..*\\.((priority-)?(generic|partition)-operation|IO)\\..*");

    private static final List<Callback> ENUMERATOR_START =
            Arrays.asList(
                    ENUMERATOR_CREATE,
                    ENUMERATOR_OPEN,
                    ENUMERATOR_ADD_SPLITS_BACK,
                    ENUMERATOR_REGISTER_READER,
                    ENUMERATOR_RUN);

    @Test
    void theRulesHoldBeforeAndAfterARestore() throws Exception {
        Probe probe = Probe.named("threading");
        probe.gates().limitAll(ROWS / 2);
        Run first = job().submit();
        awaitCheckpoints(probe, 3);
        first.savepoint();
        Run second = job().restore(first);
        awaitCheckpoints(probe, 6);
        probe.gates().open();
        second.awaitFinished();
        Rows.assertEachOnce(Rows.recorded("threading"), Rows.expected(SPLITS, ROWS));
        assertRules(probe.calls());
    }

    private static Job job() {
        return Job.probing("threading")
                .option("splits", SPLITS)
                .option("rows", ROWS)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(200);
    }

    private static void awaitCheckpoints(Probe probe, int count) {
        Await.until(
                count + " checkpoints",
                Duration.ofSeconds(20),
                () -> probe.count(READER_COMPLETE, 1) >= count);
    }

    private static void assertRules(List<Call> calls) {
        assertThat(calls)
                .allSatisfy(call -> assertThat(call.thread()).doesNotMatch(OPERATION_THREAD));
        Collection<List<Call>> readers = lives(calls, Side.READER);
        Collection<List<Call>> enumerators = lives(calls, Side.ENUMERATOR);
        assertThat(readers).hasSize(4).allSatisfy(ThreadingTest::assertNoOverlap);
        assertThat(enumerators).hasSize(2).allSatisfy(ThreadingTest::assertNoOverlap);
        assertThat(readers).allSatisfy(ThreadingTest::assertReaderOrder);
        assertThat(enumerators).allSatisfy(ThreadingTest::assertEnumeratorOrder);
        assertThat(enumerators.stream().filter(ThreadingTest::gotSplitsBack))
                .as("restored ones")
                .hasSize(1);
    }

    private static Collection<List<Call>> lives(List<Call> calls, Side side) {
        Function<Call, Integer> life = Call::life;
        Map<Integer, List<Call>> lives =
                calls.stream()
                        .filter(call -> call.callback().side() == side)
                        .collect(Collectors.groupingBy(life));
        return lives.values();
    }

    private static void assertNoOverlap(List<Call> life) {
        for (int i = 1; i < life.size(); i++) {
            assertThat(life.get(i).begin())
                    .as("%s begins after the end of %s", life.get(i), life.get(i - 1))
                    .isGreaterThanOrEqualTo(life.get(i - 1).end());
        }
    }

    private static void assertReaderOrder(List<Call> life) {
        List<Callback> order = callbacks(life);
        assertThat(order).startsWith(READER_CREATE, READER_OPEN).endsWith(READER_CLOSE);
        assertThat(order)
                .containsOnlyOnce(READER_CREATE, READER_OPEN, READER_CLOSE)
                .contains(READER_ADD_SPLITS);
    }

    /** Each phase of the start in turn, and everything else after the last one. */
    private static void assertEnumeratorOrder(List<Call> life) {
        List<Callback> order = callbacks(life);
        List<Callback> start = order.subList(0, order.indexOf(ENUMERATOR_RUN) + 1);
        assertThat(start).as("start of an enumerator").isSubsetOf(ENUMERATOR_START);
        assertThat(start.stream().map(ENUMERATOR_START::indexOf).collect(Collectors.toList()))
                .isSorted();
        assertThat(start.stream().filter(callback -> callback == ENUMERATOR_REGISTER_READER))
                .hasSize(2);
        assertThat(order).containsOnlyOnce(ENUMERATOR_CREATE, ENUMERATOR_OPEN, ENUMERATOR_RUN);
        assertThat(order).endsWith(Callback.ENUMERATOR_CLOSE);
    }

    private static boolean gotSplitsBack(List<Call> life) {
        return callbacks(life).contains(ENUMERATOR_ADD_SPLITS_BACK);
    }

    private static List<Callback> callbacks(List<Call> life) {
        return life.stream().map(Call::callback).collect(Collectors.toList());
    }
}
