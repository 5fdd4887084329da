// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.NativeReader;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Drains a reader's loop up to a barrier and takes the snapshot there. In the turn, on the engine's
 * barrier thread, which takes steps in place of the task's.
 */
final class ReaderSnapshot {
    /** How long it waits for a command that is being admitted at this very moment. */
    private static final long COMMIT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long COMMIT_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final ReaderSteps<?, ?> steps;
    private final Supplier<String> state;
    private final Supplier<Exception> end;

    /**
     * @param state the loop's state in words
     * @param end why the loop has ended, for whoever throws it
     */
    ReaderSnapshot(ReaderSteps<?, ?> steps, Supplier<String> state, Supplier<Exception> end) {
        this.steps = steps;
        this.state = state;
        this.end = end;
    }

    /** Applies what was admitted before the barrier; then the runtime's part, and the splits. */
    List<byte[]> take(long checkpoint) throws Exception {
        long limit = LoopClock.nanos() + COMMIT_LIMIT_NANOS;
        while (true) {
            int step = steps.next(false);
            switch (step) {
                case NativeReader.SNAPSHOT:
                    return parts();
                case NativeReader.TERMINAL:
                case NativeReader.CLOSED:
                    steps.execute(step, null);
                    throw new ManagedSourceException(
                            "checkpoint " + checkpoint + " is declined", end.get());
                case NativeReader.PARK:
                    // A command in front of the barrier is between its claim and its commit.
                    if (LoopClock.nanos() - limit > 0) {
                        throw notCommitted(checkpoint);
                    }
                    LockSupport.parkNanos(COMMIT_PAUSE_NANOS);
                    break;
                default:
                    steps.execute(step, null);
            }
        }
    }

    private List<byte[]> parts() throws Exception {
        List<byte[]> parts = steps.takeSnapshot();
        if (parts == null) {
            throw end.get();
        }
        return parts;
    }

    private ManagedSourceException notCommitted(long checkpoint) {
        return new ManagedSourceException(
                "checkpoint "
                        + checkpoint
                        + " is declined: a command in front of its barrier was offered 10 s"
                        + " ago and has not been completed since; is the process starved of"
                        + " processor time? ("
                        + state.get()
                        + ")");
    }
}
