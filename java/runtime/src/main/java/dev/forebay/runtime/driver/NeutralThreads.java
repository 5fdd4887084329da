// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import java.lang.reflect.Constructor;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes threads that know nothing of the thread that happened to need them first. A thread takes
 * over from its creator the context class loader, the access-control context of everything on its
 * stack, inheritable thread-locals and the thread group; each of them leads to the class loader of
 * a job, and would keep it for as long as the shared thread lives. Any thread.
 */
public final class NeutralThreads implements ThreadFactory {
    /** Of Java 9 and later; null on Java 8, which can only make threads that inherit. */
    private static final Constructor<Thread> WITHOUT_INHERITING = withoutInheriting();

    private final String name;
    private final AtomicInteger number = new AtomicInteger();

    /**
     * @param name of the threads, which are numbered
     */
    public NeutralThreads(String name) {
        this.name = name;
    }

    private static Constructor<Thread> withoutInheriting() {
        try {
            return Thread.class.getConstructor(
                    ThreadGroup.class, Runnable.class, String.class, long.class, boolean.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    @Override
    public Thread newThread(Runnable work) {
        String threadName = name + '-' + number.incrementAndGet();
        // Cuts the access-control context off at this class.
        Thread thread =
                AccessController.doPrivileged(
                        (PrivilegedAction<Thread>) () -> make(work, threadName));
        thread.setDaemon(true);
        thread.setContextClassLoader(NeutralThreads.class.getClassLoader());
        return thread;
    }

    private static Thread make(Runnable work, String threadName) {
        if (WITHOUT_INHERITING != null) {
            try {
                return WITHOUT_INHERITING.newInstance(topGroup(), work, threadName, 0L, false);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a public constructor of Thread failed", e);
            }
        }
        return new Thread(topGroup(), work, threadName);
    }

    private static ThreadGroup topGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }
}
