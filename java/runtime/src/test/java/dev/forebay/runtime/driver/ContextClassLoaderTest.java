// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What a connector runs on a shared thread finds its own classes, and the thread forgets them. */
@Timeout(30)
class ContextClassLoaderTest {
    private final Map<String, ClassLoader> seen = new ConcurrentHashMap<>();

    private void note(String what) {
        seen.put(what, Thread.currentThread().getContextClassLoader());
    }

    @Test
    void everythingOfAnEnumeratorHasTheConnectorsClassLoader() throws Exception {
        TestJob job = new TestJob();
        job.start(
                new TestEnumerator() {
                    @Override
                    public void open() {
                        note("open");
                    }

                    @Override
                    public void run() {
                        note("run");
                        job.coordinator
                                .scheduler()
                                .callAsync(
                                        "key",
                                        () -> {
                                            note("call");
                                            return 1;
                                        },
                                        (value, failure) -> note("handler"),
                                        Duration.ofMinutes(1));
                        job.coordinator
                                .scheduler()
                                .scheduleInCoordinatorThread(
                                        "key", Duration.ZERO, () -> note("task"));
                    }

                    @Override
                    public String snapshotState(long checkpointId) {
                        note("snapshot");
                        return "";
                    }
                });
        job.coordinator.snapshot(1);
        Await.until("all was called", () -> seen.size() == 6);
        assertThat(seen.values()).containsOnly(job.loader);
        job.close();
        Workers.loops().execute(() -> note("afterwards"));
        Await.until("a thread was asked", () -> seen.containsKey("afterwards"));
        assertThat(seen.get("afterwards")).isSameAs(Workers.class.getClassLoader());
    }
}
