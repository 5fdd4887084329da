// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.ProtectionDomain;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A thread that all sources share keeps nothing of the job that needed it first. */
@Timeout(30)
class NeutralThreadsTest {
    private static final InheritableThreadLocal<Object> OF_A_JOB = new InheritableThreadLocal<>();

    /** What a job does: its class is on the stack while the thread is made. */
    public static final class JobCode implements Consumer<Runnable> {
        @Override
        public void accept(Runnable makesThread) {
            makesThread.run();
        }
    }

    /** Knows one class of its own. */
    private static final class JobLoader extends URLClassLoader {
        JobLoader() {
            super(new URL[0], NeutralThreadsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(JobCode.class.getName())
                    ? own(name)
                    : super.loadClass(name, resolve);
        }

        private Class<?> own(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = getParent().getResourceAsStream(file)) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int next = in.read(); next >= 0; next = in.read()) {
                    bytes.write(next);
                }
                // With a domain of its own, as the code of a jar has one.
                ProtectionDomain domain = new ProtectionDomain(null, null, this, null);
                return defineClass(name, bytes.toByteArray(), 0, bytes.size(), domain);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** Makes a thread as a job would, and forgets the job. */
    private static WeakReference<ClassLoader> makeAsAJob(Runnable makesThread) throws Exception {
        JobLoader loader = new JobLoader();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        OF_A_JOB.set(loader);
        try {
            @SuppressWarnings("unchecked")
            Consumer<Runnable> job =
                    (Consumer<Runnable>)
                            loader.loadClass(JobCode.class.getName())
                                    .getDeclaredConstructor()
                                    .newInstance();
            assertThat(job.getClass().getClassLoader()).isSameAs(loader);
            job.accept(makesThread);
        } finally {
            OF_A_JOB.remove();
            thread.setContextClassLoader(before);
        }
        return new WeakReference<>(loader);
    }

    @Test
    void aSharedThreadOutlivesTheClassLoaderOfTheJobThatNeededIt() throws Exception {
        AtomicReference<Thread> made = new AtomicReference<>();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        AtomicReference<Object> inherited = new AtomicReference<>();
        NeutralThreads factory = new NeutralThreads("test");
        Runnable work =
                () -> {
                    inherited.set(OF_A_JOB.get());
                    running.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                };
        WeakReference<ClassLoader> loader =
                makeAsAJob(
                        () -> {
                            Thread thread = factory.newThread(work);
                            thread.start();
                            made.set(thread);
                        });
        running.await();
        assertThat(inherited.get()).isNull();
        assertThat(made.get().getContextClassLoader())
                .isSameAs(NeutralThreads.class.getClassLoader());
        assertThat(made.get().isDaemon()).isTrue();
        awaitCollected(loader);
        assertThat(made.get().isAlive()).isTrue();
        end.countDown();
    }

    /** Work of a job leaves nothing behind either, once it has ended. */
    @Test
    void theSharedPoolsKeepNothingOfAJobWhoseWorkHasEnded() throws Exception {
        CountDownLatch done = new CountDownLatch(4);
        WeakReference<ClassLoader> loader =
                makeAsAJob(
                        () -> {
                            Workers.loops().execute(done::countDown);
                            Workers.calls().execute(done::countDown);
                            Workers.callbacks().execute(done::countDown);
                            Workers.timer().execute(done::countDown);
                        });
        done.await();
        awaitCollected(loader);
    }

    private static void awaitCollected(WeakReference<ClassLoader> loader) {
        Await.until(
                "the class loader is collected",
                () -> {
                    System.gc();
                    return loader.get() == null;
                });
    }
}
