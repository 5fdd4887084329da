// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The main classes of the child JVMs in which the loader is tested. Each writes what it saw; the
 * tests judge.
 */
final class LoaderMains {
    private LoaderMains() {}

    static final class LoadAndReturn {
        public static void main(String[] arguments) {
            NativeLibrary.load();
            NativeLibrary.load();
            System.out.println("loaded=" + NativeLibrary.isLoaded());
            System.out.println(NativeLibrary.describe());
        }
    }

    static final class LoadAndExitOnAnotherThread {
        public static void main(String[] arguments) throws InterruptedException {
            NativeLibrary.load();
            Thread exiting = new Thread(() -> System.exit(0));
            exiting.start();
            exiting.join();
        }
    }

    static final class LoadAndWait {
        public static void main(String[] arguments) throws Exception {
            NativeLibrary.load();
            System.out.println("LOADED");
            System.in.read();
        }
    }

    /**
     * Loads in each of two class loaders that have nothing in common but the file of the jar or
     * folder.
     */
    static final class LoadInTwoClassLoaders {
        public static void main(String[] arguments) throws Exception {
            URL[] urls = {new File(arguments[0]).toURI().toURL()};
            try (URLClassLoader first = new URLClassLoader(urls, null);
                    URLClassLoader second = new URLClassLoader(urls, null)) {
                for (URLClassLoader loader : new URLClassLoader[] {first, second}) {
                    Class<?> library = loader.loadClass("dev.forebay.natives.NativeLibrary");
                    library.getMethod("load").invoke(null);
                    System.out.println(library.getMethod("describe").invoke(null));
                }
            }
        }
    }

    /**
     * One class loader is stuck in the middle of copying its library while another one loads, and
     * sweeps.
     */
    static final class LoadBesideAStuckCopy {
        public static void main(String[] arguments) throws Exception {
            URL[] urls = {new File(arguments[0]).toURI().toURL()};
            CountDownLatch copying = new CountDownLatch(1);
            URLStreamHandler stuck =
                    new URLStreamHandler() {
                        @Override
                        protected URLConnection openConnection(URL url) {
                            return new StuckConnection(url, copying);
                        }
                    };
            URL library = new URL(null, "stuck:library", stuck);
            ClassLoader first =
                    new URLClassLoader(urls, null) {
                        @Override
                        public URL getResource(String name) {
                            return library;
                        }
                    };
            Thread copier = new Thread(() -> load(first));
            copier.setDaemon(true);
            copier.start();
            copying.await();
            load(new URLClassLoader(urls, null));
            System.out.println("LOADED");
            System.in.read();
        }

        private static void load(ClassLoader loader) {
            try {
                loader.loadClass("dev.forebay.natives.NativeLibrary")
                        .getMethod("load")
                        .invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Tells that it was asked for its content, and never gives any. */
    private static final class StuckConnection extends URLConnection {
        private final CountDownLatch asked;

        StuckConnection(URL url, CountDownLatch asked) {
            super(url);
            this.asked = asked;
        }

        @Override
        public void connect() {}

        @Override
        public InputStream getInputStream() throws IOException {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            throw new AssertionError("released by nobody");
        }
    }

    /** Interrupts itself before it loads, and again when the loader looks for the library. */
    static final class LoadInterrupted {
        public static void main(String[] arguments) throws Exception {
            URL[] urls = {new File(arguments[0]).toURI().toURL()};
            AtomicInteger interrupts = new AtomicInteger();
            ClassLoader interrupting =
                    new URLClassLoader(urls, null) {
                        @Override
                        public URL getResource(String name) {
                            if (interrupts.compareAndSet(0, 1)) {
                                Thread.currentThread().interrupt();
                            }
                            return super.getResource(name);
                        }
                    };
            Class<?> library = interrupting.loadClass("dev.forebay.natives.NativeLibrary");
            Thread.currentThread().interrupt();
            library.getMethod("load").invoke(null);
            System.out.println(library.getMethod("describe").invoke(null));
            System.out.println("interrupts=" + interrupts + " interrupted=" + Thread.interrupted());
        }
    }

    /** Expects the load to fail, and to fail again in the same words. */
    static final class FailAtNoPath {
        public static void main(String[] arguments) {
            System.setProperty(NativeLibrary.PATH_PROPERTY, "no\0path");
            Fail.main(arguments);
        }
    }

    static final class Fail {
        public static void main(String[] arguments) {
            NativeLibraryException first = failure();
            NativeLibraryException second = failure();
            System.out.println(first.getMessage());
            System.out.println("same text: " + first.getMessage().equals(second.getMessage()));
            System.out.println(
                    "same cause: "
                            + (first.getCause() != null && first.getCause() == second.getCause()));
            System.out.println("described: " + first.getMessage().equals(NativeLibrary.describe()));
            System.out.println("loaded=" + NativeLibrary.isLoaded());
        }

        private static NativeLibraryException failure() {
            try {
                NativeLibrary.load();
            } catch (NativeLibraryException e) {
                return e;
            }
            throw new AssertionError("loaded: " + NativeLibrary.describe());
        }
    }

    /** Many threads make the first call at once; all must see one outcome. */
    static final class LoadInManyThreads {
        private static final int THREADS = 16;

        public static void main(String[] arguments) throws Exception {
            Set<String> outcomes = ConcurrentHashMap.newKeySet();
            CyclicBarrier together = new CyclicBarrier(THREADS);
            Thread[] threads = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                threads[i] = new Thread(() -> outcomes.add(outcome(together)));
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("outcomes=" + outcomes.size());
            outcomes.forEach(System.out::println);
        }

        private static String outcome(CyclicBarrier together) {
            try {
                together.await();
                NativeLibrary.load();
                return NativeLibrary.describe();
            } catch (NativeLibraryException e) {
                return e.getCause().getClass().getSimpleName() + " " + e.getCause().hashCode();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    /** First without a context class loader, then with one that throws at every question. */
    static final class LoadUnderHostileContextLoader {
        public static void main(String[] arguments) throws Exception {
            Thread.currentThread()
                    .setContextClassLoader(arguments[0].equals("none") ? null : new Hostile());
            NativeLibrary.load();
            System.out.println(NativeLibrary.describe());
        }

        private static final class Hostile extends ClassLoader {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) {
                throw new IllegalStateException("asked for the class " + name);
            }

            @Override
            public URL getResource(String name) {
                throw new IllegalStateException("asked for the resource " + name);
            }
        }
    }

    /** Names platforms under the default locale of the child. */
    static final class NamePlatform {
        public static void main(String[] arguments) {
            System.out.println(
                    "I".toLowerCase() + " " + NativeLibrary.platform("LINUX", "AMD64", ""));
            NativeLibrary.load();
            System.out.println(NativeLibrary.describe());
        }
    }

    /** Loads the classes under the name that a shading tool gave them. */
    static final class LoadRelocated {
        public static void main(String[] arguments) throws Exception {
            try {
                Class.forName("dev.shaded_.natives.NativeLibrary").getMethod("load").invoke(null);
            } catch (InvocationTargetException e) {
                System.out.println(e.getCause());
            }
        }
    }
}
