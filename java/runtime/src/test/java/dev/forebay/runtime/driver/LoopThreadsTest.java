// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** Who waits in a loop has a thread of its own, until it has ended. */
@Timeout(60)
class LoopThreadsTest {
    private static final int THREADS = 2;
    private static final int BLOCKED = 5;

    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch inside = new CountDownLatch(BLOCKED);

    private void block() {
        inside.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new AssertionError("a thread that is at work was interrupted", e);
        }
    }

    @Test
    void threadsAreLentToWhatWaitsAndTakenBack() throws Exception {
        LoopThreads threads = new LoopThreads("test", THREADS, 1, Workers.timer());
        List<FutureTask<Void>> blocked = new ArrayList<>();
        for (int i = 0; i < BLOCKED; i++) {
            FutureTask<Void> task = new FutureTask<>(this::block, null);
            blocked.add(task);
            threads.execute(task);
        }
        inside.await();
        FutureTask<String> other = new FutureTask<>(() -> Thread.currentThread().getName());
        threads.execute(other);
        assertThat(Await.result(other)).startsWith("test-");
        Await.until("a thread is lent to each", () -> threads.size() == THREADS + BLOCKED);
        go.countDown();
        Await.until("all were taken back", () -> threads.size() == THREADS);
        for (FutureTask<Void> task : blocked) {
            Await.result(task);
        }
    }

    @Test
    void whatEndsSoonNeedsNoMoreThreads() throws Exception {
        LoopThreads threads = new LoopThreads("test", THREADS, 1, Workers.timer());
        for (int i = 0; i < 1000; i++) {
            FutureTask<Integer> task = new FutureTask<>(threads::size);
            threads.execute(task);
            assertThat(Await.result(task)).isEqualTo(THREADS);
        }
    }
}
