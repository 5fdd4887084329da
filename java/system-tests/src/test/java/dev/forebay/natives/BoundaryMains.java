// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the child JVMs of {@link BoundaryTest} run. Each prints its last line only if everything was
 * as it should be.
 */
final class BoundaryMains {
    private static final int DIGEST_BYTES = 32;

    private BoundaryMains() {}

    private static LoopIdentity identity() {
        return new LoopIdentity(1, new UUID(1, 2), new UUID(3, 4), new byte[DIGEST_BYTES]);
    }

    private static NativeReader reader(NativeBudget budget) {
        return new NativeReader(budget, identity(), 0, 1, new byte[0], LoopSettings.defaults());
    }

    private static NativeCoordinator coordinator(NativeBudget budget) {
        return new NativeCoordinator(budget, identity(), 1, 2, LoopSettings.defaults());
    }

    /** Runs what must be refused. */
    private static void refused(String what, Runnable call) {
        try {
            call.run();
        } catch (NativeException e) {
            return;
        }
        throw new AssertionError("not refused: " + what);
    }

    /** A forced panic in an export. */
    static final class Panic {
        public static void main(String[] arguments) {
            NativeLibrary.load();
            try {
                NativeLibrary.panic0();
            } catch (NativeException e) {
                System.out.println("code " + e.code() + ": " + e.getMessage());
            }
            try (NativeBudget budget = new NativeBudget(1 << 20);
                    NativeReader reader = reader(budget)) {
                System.out.println(reader.next(NativeReader.DONE, true, 0) + " still usable");
            }
        }
    }

    /** Null, negative, huge and odd arguments. */
    static final class WrongArguments {
        public static void main(String[] arguments) {
            NativeBudget budget = new NativeBudget(1 << 20);
            NativeReader reader = reader(budget);
            NativeCoordinator coordinator = coordinator(budget);
            refused("a null array", () -> reader.offer(null, 0, 0, 0));
            refused("a negative offset", () -> reader.offer(new byte[8], -1, 4, 0));
            refused("a negative length", () -> reader.offer(new byte[8], 0, -4, 0));
            refused("a length beyond the end", () -> reader.offer(new byte[8], 5, 4, 0));
            refused(
                    "offset and length that overflow",
                    () -> reader.offer(new byte[8], 4, Integer.MAX_VALUE, 0));
            refused("a null batch", () -> reader.offerBatch(null, 0));
            refused("an unknown kind", () -> reader.offerOwn(99, 0, 0));
            refused("a negative kind", () -> reader.offerOwn(-1, 0, 0));
            refused("an unknown outcome", () -> reader.next(17, true, 0));
            refused("null splits", () -> coordinator.assign(0, null));
            refused("a flight of another number of bits", () -> reader.answer(256 + 1, 0));
            refused("a negative flight", () -> reader.answer(-1, 0));
            refused("a coordinator's flight", () -> coordinator.answer(0, 256 + 1, 0));
            refused("a flight of a negative subtask", () -> coordinator.answer(-1, 1, 0));
            refused("a cause that only the core finds", () -> reader.terminate(3));
            refused("an unknown cause", () -> coordinator.terminate(257));
            refused(
                    "the checkpoint of a negative subtask",
                    () -> coordinator.restoreReader(-1, new byte[0], new byte[0]));
            refused("a subtask that is not there", () -> coordinator.noMoreSplits(2));
            refused("a negative subtask", () -> coordinator.noMoreSplits(-1));
            refused("a null checkpoint", () -> coordinator.restore(null));
            refused("a negative budget", () -> new NativeBudget(-1));
            LoopSettings none = new LoopSettings(0, 0, 0, 0, 0);
            refused(
                    "limits of nothing",
                    () -> new NativeReader(budget, identity(), 0, 1, new byte[0], none));
            LoopIdentity shortDigest =
                    new LoopIdentity(1, new UUID(1, 2), new UUID(3, 4), new byte[3]);
            refused(
                    "a short digest",
                    () ->
                            new NativeCoordinator(
                                    budget, shortDigest, 1, 1, LoopSettings.defaults()));
            refused(
                    "no readers",
                    () -> new NativeCoordinator(budget, identity(), 1, 0, LoopSettings.defaults()));
            byte[] address = new byte[70_000];
            refused(
                    "a long address",
                    () ->
                            new NativeReader(
                                    budget, identity(), 0, 1, address, LoopSettings.defaults()));
            System.out.println("all refused");
        }
    }

    /** Offers that are larger than any command or batch. */
    static final class HugeOffers {
        /** {@code TOO_LARGE} of the C header. */
        private static final int REASON_TOO_LARGE = 8;

        /** Twice the largest command. */
        private static final int SIZE = 1 << 20;

        public static void main(String[] arguments) {
            NativeBudget budget = new NativeBudget(1 << 20);
            NativeReader reader = reader(budget);
            NativeCoordinator coordinator = coordinator(budget);
            byte[] huge = new byte[SIZE];
            tooLarge("a command", reader.offer(huge, 0, huge.length, 0));
            tooLarge("a reader's batch", reader.offerBatch(huge, 0));
            tooLarge("a coordinator's batch", coordinator.offerBatch(huge, 0));
            System.out.println("all refused for their size");
        }

        private static void tooLarge(String what, long bits) {
            if (Admission.status(bits) != Admission.INVALID_PAYLOAD
                    || Admission.reason(bits) != REASON_TOO_LARGE) {
                throw new AssertionError(what + ": " + Admission.describe(bits));
            }
        }
    }

    /** Random, truncated and damaged commands, batches and checkpoints. */
    static final class DamagedBytes {
        public static void main(String[] arguments) {
            Random random = new Random(7);
            NativeBudget budget = new NativeBudget(1 << 20);
            NativeReader reader = reader(budget);
            NativeCoordinator coordinator = coordinator(budget);
            reader.next(NativeReader.DONE, true, 0);
            byte[] registration = reader.payload();
            for (int i = 0; i < 20_000; i++) {
                byte[] bytes = damaged(registration, random);
                if (Admission.isTaken(coordinator.offerBatch(bytes, 0)) && bytes.length > 0) {
                    throw new AssertionError("taken: damage " + i);
                }
                reader.offer(bytes, 0, bytes.length, 0);
                refused("checkpoint " + i, () -> coordinator.restore(bytes));
                refused("reader checkpoint " + i, () -> coordinator.restoreReader(0, bytes, bytes));
            }
            if (!Admission.isTaken(coordinator.offerBatch(registration, 0))) {
                throw new AssertionError("what is whole is taken");
            }
            System.out.println("all refused, " + budget.used() + " bytes held");
        }

        /** At least one bit differs, or a piece is missing. */
        private static byte[] damaged(byte[] whole, Random random) {
            if (random.nextInt(3) == 0) {
                byte[] cut = new byte[random.nextInt(whole.length)];
                System.arraycopy(whole, 0, cut, 0, cut.length);
                return cut;
            }
            byte[] flipped = whole.clone();
            flipped[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
            return flipped;
        }
    }

    /**
     * Eight threads use loops that a ninth closes, in a small heap that is collected all the time.
     */
    static final class UseAfterClose {
        private static final int ROUNDS = 300;
        private static final int THREADS = 8;

        public static void main(String[] arguments) throws Exception {
            NativeBudget budget = new NativeBudget(1 << 20);
            AtomicInteger wrong = new AtomicInteger();
            for (int round = 0; round < ROUNDS; round++) {
                NativeReader reader = reader(budget);
                NativeCoordinator coordinator = coordinator(budget);
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    Thread thread = new Thread(() -> use(reader, coordinator, wrong));
                    thread.start();
                    threads.add(thread);
                }
                reader.close();
                coordinator.close();
                for (Thread thread : threads) {
                    thread.join();
                }
                refused("a closed reader", reader::describe);
                refused("a closed coordinator", coordinator::describe);
                reader.close();
                byte[] garbage = new byte[1 << 20];
                garbage[round] = 1;
            }
            System.out.println(wrong.get() == 0 ? "only exceptions" : wrong + " other failures");
        }

        private static void use(
                NativeReader reader, NativeCoordinator coordinator, AtomicInteger wrong) {
            for (int i = 0; i < 20; i++) {
                try {
                    reader.offerOwn(CommandKind.CHECKPOINT_COMPLETE, i, 0);
                    reader.next(NativeReader.DONE, true, 0);
                    coordinator.post(i);
                    coordinator.next(null, 0);
                } catch (NativeException e) {
                    continue;
                } catch (Throwable t) {
                    wrong.incrementAndGet();
                }
            }
        }
    }
}
