// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** One thread at a time, and an interrupt that ends with the turn that it was meant for. */
@Timeout(30)
class TurnLockTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final TurnLock lock = new TurnLock();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    /** Holds the turn until it is interrupted; tells whether the interrupt outlives the turn. */
    private FutureTask<Boolean> holdUntilInterrupted() throws Exception {
        FutureTask<Boolean> holder =
                Await.start(
                        "holder",
                        () -> {
                            lock.tryEnter();
                            inside.countDown();
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            lock.leave();
                            return Thread.currentThread().isInterrupted();
                        });
        inside.await();
        return holder;
    }

    @Test
    void aSecondThreadFindsTheTurnTaken() throws Exception {
        assertThat(lock.tryEnter()).isTrue();
        assertThat(Await.result(Await.start("second", lock::tryEnter))).isFalse();
        lock.leave();
        assertThat(lock.isHeld()).isFalse();
    }

    @Test
    void theInterruptOfACloseEndsWithTheTurn() throws Exception {
        FutureTask<Boolean> holder = holdUntilInterrupted();
        assertThat(lock.enterToClose(SHORT, LONG)).isTrue();
        assertThat(Await.result(holder)).isFalse();
        lock.leave();
    }

    /** However many short turns there are to come: none of them is the one that does not end. */
    @Test
    void aCloseIsTheNextOneAndInterruptsNoTurnThatBeganLater() throws Exception {
        assertThat(lock.tryEnter()).isTrue();
        FutureTask<Boolean> close = startClose(LONG, LONG);
        lock.leave();
        assertThat(lock.tryEnter()).as("a turn before the close").isFalse();
        assertThat(Await.result(close)).isTrue();
        assertThat(lock.isWantedForClose()).isFalse();
    }

    private FutureTask<Boolean> startClose(Duration patience, Duration limit) {
        FutureTask<Boolean> close = Await.start("close", () -> lock.enterToClose(patience, limit));
        Await.until("the close waits", lock::isWantedForClose);
        return close;
    }

    @Test
    void afterACloseThatGaveUpThereAreTurnsAgain() throws Exception {
        assertThat(lock.tryEnter()).isTrue();
        assertThat(Await.result(startClose(SHORT, SHORT))).isFalse();
        lock.leave();
        assertThat(lock.tryEnter()).isTrue();
        lock.leave();
    }

    @Test
    void aCloseThatIsInterruptedItselfClosesAtOnceAndStaysInterrupted() throws Exception {
        FutureTask<Boolean> holder = holdUntilInterrupted();
        Thread.currentThread().interrupt();
        assertThat(lock.enterToClose(LONG, LONG)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Await.result(holder)).isFalse();
        lock.leave();
    }

    @Test
    void aCloseGivesUpAfterItsLimit() throws Exception {
        assertThat(lock.tryEnter()).isTrue();
        FutureTask<Boolean> close =
                Await.start("close", () -> lock.enterToClose(SHORT, SHORT.multipliedBy(3)));
        Await.until("the close has given up", close::isDone);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        lock.leave();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(Await.result(close)).isFalse();
    }
}
