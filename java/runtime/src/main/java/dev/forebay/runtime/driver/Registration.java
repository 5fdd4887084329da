// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * How a reader gets to know its coordinator: sends the registration that the core orders, and from
 * when it is taken asks again and again, until the coordinator has opened its channel, whether it
 * has failed. One that has failed takes registrations still but serves none, and tells of its
 * failure only those that it had served before. Any thread; never waits.
 */
final class Registration {
    /** The usual coordinator has opened its channel by then, and is not asked. */
    private static final long FIRST_MILLIS = 200;

    private static final long EVERY_MILLIS = 1000;

    /** Without commands it is a question only. */
    private static final byte[] NO_COMMANDS = {};

    private final Transport transport;
    private final Consumer<String> failed;
    private volatile boolean taken;

    /** Guarded by this, as is the next one. */
    private Future<?> inquiry;

    private boolean ended;

    /**
     * @param failed hears why the coordinator has failed; may be told more than once
     */
    Registration(Transport transport, Consumer<String> failed) {
        this.transport = transport;
        this.failed = failed;
    }

    void send(byte[] batch, LongConsumer answer) {
        transport.register(
                batch,
                new Transport.RegistrationAnswer() {
                    @Override
                    public void answered(long bits) {
                        if (Admission.isTaken(bits)) {
                            taken = true;
                            askAgain();
                        }
                        answer.accept(bits);
                    }

                    @Override
                    public void coordinatorFailed(String cause) {
                        failed.accept(cause);
                    }
                });
    }

    private synchronized void askAgain() {
        if (!ended && inquiry == null) {
            inquiry =
                    Workers.timer()
                            .scheduleWithFixedDelay(
                                    this::ask, FIRST_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void ask() {
        transport.register(
                NO_COMMANDS,
                new Transport.RegistrationAnswer() {
                    @Override
                    public void answered(long bits) {
                        // It is busy, or not there for now: the core knows how long to wait.
                    }

                    @Override
                    public void coordinatorFailed(String cause) {
                        failed.accept(cause);
                    }
                });
    }

    /** Whether the coordinator has the registration. */
    boolean isTaken() {
        return taken;
    }

    /** The channel is open, so it was taken, whatever became of the answer. */
    void opened() {
        taken = true;
        end();
    }

    /** Asks no more. Harmless twice. */
    synchronized void end() {
        ended = true;
        if (inquiry != null) {
            inquiry.cancel(false);
            inquiry = null;
        }
    }
}
