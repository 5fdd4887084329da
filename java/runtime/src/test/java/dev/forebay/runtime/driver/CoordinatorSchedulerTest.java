// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.runtime.CoordinatorScheduler;
import dev.forebay.runtime.CoordinatorScheduler.Cancellable;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What {@link CoordinatorScheduler} promises to an enumerator, on a real coordinator. */
@Timeout(30)
class CoordinatorSchedulerTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(50);

    /** The default of STIP-31. */
    private static final int CALLS_AT_THE_SAME_TIME = 4;

    private final TestJob job = new TestJob();
    private final CoordinatorScheduler scheduler = job.coordinator.scheduler();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicReference<Runnable> inTurn = new AtomicReference<>();
    private long turns;

    /** Runs in a turn of the coordinator whatever the test wants run there. */
    private final class RunsInTurns extends TestEnumerator {
        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            inTurn.get().run();
        }
    }

    @BeforeEach
    void start() throws Exception {
        job.start(new RunsInTurns());
    }

    @AfterEach
    void end() throws Exception {
        end.countDown();
        job.close();
    }

    /** Runs in a turn and hands its result, or what it has thrown, back. */
    private <V> V inTurn(Callable<V> body) throws Exception {
        CompletableFuture<V> result = new CompletableFuture<>();
        inTurn.set(
                () -> {
                    try {
                        result.complete(body.call());
                    } catch (Throwable t) {
                        result.completeExceptionally(t);
                    }
                });
        job.coordinator.checkpointComplete(++turns);
        return Await.result(Await.start("result", result::get));
    }

    private Cancellable call(String key, Callable<String> work, Duration timeout) {
        return scheduler.callAsync(
                key,
                work,
                (value, failure) ->
                        handled.add(key + (failure == null ? " gave " + value : " " + failure)),
                timeout);
    }

    private String untilTheEnd() throws InterruptedException {
        end.await();
        return "the end";
    }

    /** Does not care for interrupts. */
    private String stuck() {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                continue;
            }
        }
        return "stuck";
    }

    private void awaitHandled(int calls) {
        Await.until(calls + " handlers have run", () -> handled.size() >= calls);
    }

    @Test
    void aResultAndAFailureComeBackToTheLoop() throws Exception {
        AtomicReference<Throwable> outside = new AtomicReference<>();
        inTurn(() -> call("good", () -> "1", LONG));
        awaitHandled(1);
        inTurn(
                () ->
                        scheduler.callAsync(
                                "bad",
                                () -> {
                                    throw new IllegalStateException("no");
                                },
                                (value, failure) -> {
                                    handled.add("bad " + failure.getMessage());
                                    try {
                                        job.coordinator.registeredReaders();
                                    } catch (Throwable t) {
                                        outside.set(t);
                                    }
                                },
                                LONG));
        awaitHandled(2);
        assertThat(handled).containsExactly("good gave 1", "bad no");
        assertThat(outside.get()).as("the handler is in a turn").isNull();
    }

    @Test
    void aCallThatTakesTooLongIsInterruptedAndItsHandlerTold() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        inTurn(
                () ->
                        call(
                                "slow",
                                () -> {
                                    try {
                                        return untilTheEnd();
                                    } catch (InterruptedException e) {
                                        interrupted.countDown();
                                        throw e;
                                    }
                                },
                                SHORT));
        interrupted.await();
        awaitHandled(1);
        assertThat(handled.get(0))
                .startsWith("slow " + TimeoutException.class.getName())
                .contains("PT0.05S");
        inTurn(() -> call("slow", () -> "again", LONG));
        awaitHandled(2);
        assertThat(handled.get(1)).isEqualTo("slow gave again");
    }

    /** Behind calls that ignore their interrupt, and behind one of the same key. */
    @Test
    void aCallThatWaitsForItsTurnTimesOutAsWell() throws Exception {
        inTurn(
                () -> {
                    for (int i = 0; i < CALLS_AT_THE_SAME_TIME; i++) {
                        call("stuck" + i, this::stuck, LONG);
                    }
                    call("fifth", () -> "too late", SHORT);
                    return call("stuck0", () -> "too late", SHORT);
                });
        awaitHandled(2);
        assertThat(handled)
                .allSatisfy(text -> assertThat(text).contains(TimeoutException.class.getName()))
                .anyMatch(text -> text.startsWith("fifth "))
                .anyMatch(text -> text.startsWith("stuck0 "));
        inTurn(() -> call("fifth", () -> "in time", LONG));
        end.countDown();
        awaitHandled(2 + CALLS_AT_THE_SAME_TIME + 1);
        assertThat(handled).contains("fifth gave in time").noneMatch(t -> t.contains("too late"));
    }

    @Test
    void aNewCallReplacesTheOneThatWaitsBehindTheSameKey() throws Exception {
        AtomicReference<Cancellable> replaced = new AtomicReference<>();
        inTurn(
                () -> {
                    call("key", this::untilTheEnd, LONG);
                    replaced.set(call("key", () -> "replaced", LONG));
                    return call("key", () -> "last", LONG);
                });
        assertThat(replaced.get().isCancelled()).isTrue();
        end.countDown();
        awaitHandled(2);
        assertThat(handled).containsExactly("key gave the end", "key gave last");
    }

    @Test
    void aCancelledCallIsInterruptedAndItsHandlerDoesNotRun() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Cancellable call =
                inTurn(
                        () ->
                                call(
                                        "key",
                                        () -> {
                                            begun.countDown();
                                            try {
                                                return untilTheEnd();
                                            } finally {
                                                ended.countDown();
                                            }
                                        },
                                        LONG));
        begun.await();
        call.cancel();
        ended.await();
        inTurn(() -> call("key", () -> "next", LONG));
        awaitHandled(1);
        assertThat(handled).containsExactly("key gave next");
        assertThat(call.isCancelled()).isTrue();
    }

    @Test
    void aTimeoutWithoutEndIsNoLimit() throws Exception {
        inTurn(() -> call("key", () -> "first", ChronoUnit.FOREVER.getDuration()));
        awaitHandled(1);
        inTurn(() -> call("key", () -> "second", LONG));
        awaitHandled(2);
        assertThat(handled).containsExactly("key gave first", "key gave second");
    }

    @Test
    void whatIsRefusedChangesNothing() throws Exception {
        assertThatThrownBy(() -> inTurn(() -> call("key", null, LONG)))
                .hasRootCauseInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> inTurn(() -> call("key", () -> "", Duration.ZERO)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
        inTurn(() -> call("key", () -> "alive", LONG));
        awaitHandled(1);
        assertThat(handled).containsExactly("key gave alive");
    }

    @Test
    void outsideOfATurnNothingIsTaken() {
        assertThatThrownBy(() -> call("key", () -> "", LONG))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> scheduler.scheduleInCoordinatorThread("key", SHORT, () -> {}))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aScheduledTaskRunsOnceInATurn() throws Exception {
        AtomicInteger readers = new AtomicInteger(-1);
        inTurn(
                () ->
                        scheduler.scheduleInCoordinatorThread(
                                "key",
                                SHORT,
                                () -> readers.set(job.coordinator.registeredReaders().size())));
        Await.until("the task has run", () -> readers.get() == 0);
    }

    @Test
    void aScheduledTaskIsReplacedAlsoByOneOfTheFarFuture() throws Exception {
        Cancellable first =
                inTurn(
                        () ->
                                scheduler.scheduleInCoordinatorThread(
                                        "key", LONG, () -> handled.add("first")));
        inTurn(
                () ->
                        scheduler.scheduleInCoordinatorThread(
                                "key",
                                ChronoUnit.FOREVER.getDuration(),
                                () -> handled.add("for ever")));
        assertThat(first.isCancelled()).isTrue();
        Cancellable called =
                inTurn(
                        () ->
                                scheduler.scheduleInCoordinatorThread(
                                        "other", Duration.ZERO, () -> handled.add("other")));
        inTurn(
                () ->
                        scheduler.scheduleInCoordinatorThread(
                                "key", Duration.ZERO, () -> handled.add("last")));
        awaitHandled(2);
        assertThat(handled).containsExactlyInAnyOrder("other", "last");
        assertThat(called.isCancelled()).isFalse();
    }

    @Test
    void aCancelledTaskDoesNotRun() throws Exception {
        inTurn(
                () -> {
                    scheduler
                            .scheduleInCoordinatorThread(
                                    "key", Duration.ZERO, () -> handled.add("cancelled"))
                            .cancel();
                    return scheduler.scheduleInCoordinatorThread(
                            "after", SHORT, () -> handled.add("after"));
                });
        awaitHandled(1);
        assertThat(handled).containsExactly("after");
    }

    @Test
    void aCloseCallsEverythingOff() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        inTurn(
                () -> {
                    scheduler.scheduleInCoordinatorThread("task", LONG, () -> handled.add("task"));
                    return call(
                            "call",
                            () -> {
                                begun.countDown();
                                try {
                                    return untilTheEnd();
                                } finally {
                                    ended.countDown();
                                }
                            },
                            LONG);
                });
        begun.await();
        job.coordinator.close();
        ended.await();
        assertThat(handled).isEmpty();
    }

    @Test
    void aHandlerThatThrowsFailsTheSource() throws Exception {
        inTurn(
                () ->
                        scheduler.callAsync(
                                "key",
                                () -> "1",
                                (value, failure) -> {
                                    throw new IllegalStateException("the handler");
                                },
                                LONG));
        Await.until(
                "the source has failed", () -> job.coordinator.describe().contains("the handler"));
        assertThatThrownBy(() -> job.coordinator.snapshot(100))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the handler");
    }
}
