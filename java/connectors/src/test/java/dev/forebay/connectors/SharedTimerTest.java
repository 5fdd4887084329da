// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.runtime.driver.NeutralThreads;

import org.junit.jupiter.api.Test;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * The thread that all readers share outlives the job that needed it first, and knows nothing of it.
 */
class SharedTimerTest {
    private static final InheritableThreadLocal<Object> OF_A_JOB = new InheritableThreadLocal<>();

    @Test
    void itsThreadInheritsNothing() throws Exception {
        Thread self = Thread.currentThread();
        ClassLoader before = self.getContextClassLoader();
        FutureTask<Object> inherited = new FutureTask<>(OF_A_JOB::get);
        Thread thread;
        OF_A_JOB.set("the job's");
        self.setContextClassLoader(new ClassLoader(before) {});
        try {
            thread = SharedTimer.THREADS.newThread(inherited);
        } finally {
            self.setContextClassLoader(before);
            OF_A_JOB.remove();
        }
        thread.start();
        assertThat(inherited.get(10, TimeUnit.SECONDS)).isNull();
        assertThat(thread.getContextClassLoader()).isSameAs(NeutralThreads.class.getClassLoader());
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).startsWith("forebay-pace");
    }

    @Test
    void theTimerUsesThoseThreads() throws Exception {
        FutureTask<String> name = new FutureTask<>(() -> Thread.currentThread().getName());
        SharedTimer.schedule(1, name);
        assertThat(name.get(10, TimeUnit.SECONDS)).startsWith("forebay-pace-");
    }
}
