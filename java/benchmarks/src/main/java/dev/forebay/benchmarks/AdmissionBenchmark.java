// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.benchmarks;

import dev.forebay.natives.Admission;
import dev.forebay.natives.LoopSettings;
import dev.forebay.natives.NativeBudget;
import dev.forebay.natives.NativeReader;

import org.jctools.queues.MpscArrayQueue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * What does the admission of a command cost a Java thread, on one thread?
 *
 * <p>Measured: {@link NativeReader#offer} of an ASSIGN_SPLITS command with a 256-byte payload (376
 * bytes with its header), each with the next sequence of its channel, until its answer is looked
 * at: the call into native code, the copy out of the Java array, and all that the core does for an
 * admission (see {@code benches/src/admission.rs}), among it a second copy, into the mailbox. The
 * clock is read once per window, as a host does for what arrives together.
 *
 * <p>The rival is a bounded queue of the same length that checks nothing. It is offered a copy of
 * the payload, because an admitted command is the mailbox's own and its sender's array may be used
 * again.
 *
 * <p>How: an invocation offers {@value #WINDOW} commands; making them and draining the last ones is
 * done between invocations, untimed. The reader parks after each window, as one does that has
 * caught up, and keeps the pages of the flow meanwhile. The rival's garbage is in its result.
 * Everything is compiled and in the caches.
 *
 * <p>Not measured: the owner's side, contention, the first calls of a cold JVM.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
@OperationsPerInvocation(AdmissionBenchmark.WINDOW)
public class AdmissionBenchmark {
    /** Half of what the mailbox and the queue hold, so that nothing is ever refused. */
    static final int WINDOW = 512;

    private static final int QUEUE = 1024;

    private static final int PAYLOAD_BYTES = 256;

    /** A reader whose channel is open, and its host. */
    @State(Scope.Thread)
    public static class Forebay {
        /** To every flight: the coordinator has taken whatever was sent. */
        private static final long TAKEN = (long) Admission.ACCEPTED << 44 | (1L << 44) - 1;

        private final Commands commands = new Commands(WINDOW, PAYLOAD_BYTES);
        private final NativeBudget budget = new NativeBudget(64 << 20);
        private final NativeReader reader =
                new NativeReader(
                        budget, commands.reader(), 0, 1, new byte[] {1}, LoopSettings.defaults());

        final byte[][] window = new byte[WINDOW][];
        int accepted;
        private int offered;
        private int outcome = NativeReader.DONE;

        /** Opens the channel. */
        @Setup(Level.Trial)
        public void open() {
            byte[] opening = commands.opening();
            long answer = reader.offer(opening, 0, opening.length, System.nanoTime());
            check(Admission.status(answer), Admission.ACCEPTED);
        }

        /** Takes out what the last invocation offered, and makes the next commands. */
        @Setup(Level.Invocation)
        public void refill() {
            check(accepted, offered);
            check(drain(), offered);
            accepted = 0;
            offered = WINDOW;
            commands.next(window);
        }

        /** Does what the loop says until it parks; tells how many commands came out. */
        private int drain() {
            int drained = 0;
            while (true) {
                int step = reader.next(outcome, true, System.nanoTime());
                outcome = NativeReader.DONE;
                switch (step) {
                    case NativeReader.ADD_SPLITS:
                        drained++;
                        break;
                    case NativeReader.POLL:
                        outcome = NativeReader.POLLED_NOTHING;
                        break;
                    case NativeReader.REGISTER:
                    case NativeReader.SEND:
                        reader.answer(reader.flight(), TAKEN);
                        break;
                    case NativeReader.PARK:
                        return drained;
                    default:
                        throw new IllegalStateException("step " + step);
                }
            }
        }

        /** Frees the native side. */
        @TearDown
        public void close() {
            reader.close();
            budget.close();
        }
    }

    /** A queue, and the same commands. */
    @State(Scope.Thread)
    public static class Jctools {
        private final Commands commands = new Commands(WINDOW, PAYLOAD_BYTES);

        final MpscArrayQueue<byte[]> queue = new MpscArrayQueue<>(QUEUE);
        final byte[][] window = new byte[WINDOW][];
        int accepted;
        private int offered;

        /** Takes out what the last invocation offered, and makes the next commands. */
        @Setup(Level.Invocation)
        public void refill() {
            check(accepted, offered);
            check(queue.drain(payload -> check(payload.length, PAYLOAD_BYTES)), offered);
            accepted = 0;
            offered = WINDOW;
            commands.next(window);
        }
    }

    private static void check(int actual, int expected) {
        if (actual != expected) {
            throw new IllegalStateException(actual + " instead of " + expected);
        }
    }

    /** Ours. */
    @Benchmark
    public void forebay(Forebay state) {
        long now = System.nanoTime();
        for (byte[] command : state.window) {
            long answer = state.reader.offer(command, 0, command.length, now);
            if (Admission.status(answer) == Admission.ACCEPTED) {
                state.accepted++;
            }
        }
    }

    /** Theirs. */
    @Benchmark
    public void jctools(Jctools state) {
        for (byte[] command : state.window) {
            if (state.queue.offer(
                    Arrays.copyOfRange(command, Commands.HEADER_BYTES, command.length))) {
                state.accepted++;
            }
        }
    }
}
