// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.system.probe.Call;
import dev.forebay.system.probe.Callback;
import dev.forebay.system.probe.Probe;
import dev.forebay.testkit.Await;
import dev.forebay.zeta.Diagnostics;
import dev.forebay.zeta.Lane;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Whatever a connector fails in, its job fails, soon, and the user reads what the connector said.
 */
@SystemTest
class FailureTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final List<Integer> NONE = Collections.emptyList();
    private static final String MESSAGE = "the pump in basin 7 is broken";

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            // Those that need a restore or an abort, and the closes, which have nobody to tell.
            names = {
                "ENUMERATOR_ADD_SPLITS_BACK",
                "ENUMERATOR_ABORTED",
                "ENUMERATOR_CLOSE",
                "READER_ABORTED",
                "READER_CLOSE"
            })
    void aFailureInACallbackReachesTheUser(Callback callback) throws Exception {
        String name = "failure-" + callback;
        Probe probe = Probe.named(name).failAt(callback, MESSAGE);
        if (callback == Callback.READER_CREATE || callback == Callback.READER_OPEN) {
            failTogether(probe, callback);
        }
        probe.gates().limitAll(10);
        assertThat(submit(name).awaitFailure()).contains(MESSAGE);
        assertClosedOnce(probe, callback);
    }

    /**
     * The engine tells one task after the other to restore its state; if one has failed by then, it
     * says only that this task is not there.
     */
    private static void failTogether(Probe probe, Callback callback) {
        probe.on(
                callback,
                call -> {
                    Await.until("both readers are there", LIMIT, () -> probe.count(callback) > 1);
                    throw new IllegalStateException(MESSAGE);
                });
    }

    /** What was made is closed, except for what failed to be made. */
    private static void assertClosedOnce(Probe probe, Callback failed) {
        Await.until("all is closed", LIMIT, () -> Diagnostics.describe().isEmpty());
        assertThat(lives(probe, Callback.READER_CLOSE))
                .isEqualTo(
                        failed == Callback.READER_CREATE
                                ? NONE
                                : lives(probe, Callback.READER_CREATE));
        assertThat(lives(probe, Callback.ENUMERATOR_CLOSE))
                .isEqualTo(
                        failed == Callback.ENUMERATOR_CREATE
                                ? NONE
                                : lives(probe, Callback.ENUMERATOR_CREATE));
    }

    private static List<Integer> lives(Probe probe, Callback callback) {
        return probe.calls(callback).stream().map(Call::life).sorted().collect(Collectors.toList());
    }

    /** Nobody is left to be told; the job must end all the same, with everything else closed. */
    @ParameterizedTest
    @EnumSource(names = {"READER_CLOSE", "ENUMERATOR_CLOSE"})
    void aFailureToCloseKeepsNothingFromEnding(Callback callback) throws Exception {
        String name = "failure-" + callback;
        Probe probe = Probe.named(name).failAt(callback, MESSAGE);
        submit(name).awaitEnd();
        assertClosedOnce(probe, callback);
        Rows.assertEachOnce(Rows.recorded(name), Rows.expected(2, 1_000));
    }

    /** Not every failure is an exception. */
    @Test
    void anErrorInACallbackReachesTheUser() throws Exception {
        Probe.named("failure-error")
                .on(
                        Callback.READER_POLL,
                        call -> {
                            throw new StackOverflowError(MESSAGE);
                        });
        assertThat(submit("failure-error").awaitFailure()).contains(MESSAGE);
    }

    /** The engine's own text is around it; what the connector threw is not lost on the way. */
    @Test
    void theCauseOfAFailureIsKept() throws Exception {
        Probe.named("failure-cause")
                .on(
                        Callback.READER_POLL,
                        call -> {
                            throw new IllegalStateException(
                                    MESSAGE, new java.io.IOException("no oil"));
                        });
        assertThat(submit("failure-cause").awaitFailure())
                .contains(
                        "java.lang.IllegalStateException: " + MESSAGE,
                        "Caused by: java.io.IOException: no oil");
    }

    /** The commit of the last checkpoint: the reader's input has ended when it comes. */
    @Test
    void aCommitThatFailsAfterTheEndOfTheInputFailsTheJob() throws Exception {
        Probe probe = Probe.named("failure-last-commit");
        probe.on(
                Callback.READER_COMPLETE,
                call -> {
                    if (probe.count(Callback.READER_NO_MORE_SPLITS, call.subtask()) > 0) {
                        throw new IllegalStateException(MESSAGE);
                    }
                });
        assertThat(submit("failure-last-commit").awaitFailure()).contains(MESSAGE);
        assertClosedOnce(probe, Callback.READER_COMPLETE);
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void aReaderThatDeclaresSomethingElseFailsTheJobAndIsClosed(Lane lane) throws Exception {
        String name = "failure-capability-" + lane;
        Probe probe = Probe.named(name);
        probe.answerCapability(declared -> ManagedSourceCapability.of("Other", 1));
        assertThat(job(name).option("lane", lane.name()).submit().awaitFailure())
                .contains("its reader Other", "both must declare the same");
        assertClosedOnce(probe, Callback.READER_OPEN);
    }

    @Test
    void aPollThatAnswersNothingFailsTheJob() throws Exception {
        Probe.named("failure-null").answerPolls(status -> null);
        assertThat(submit("failure-null").awaitFailure())
                .contains("ProbeReader.pollNextManaged returned null");
    }

    @Test
    void aMissingAvailabilityFutureFailsTheJob() throws Exception {
        Probe.named("failure-no-future").answerAvailability(future -> null).gates().limitAll(10);
        assertThat(submit("failure-no-future").awaitFailure())
                .contains("ProbeReader.isAvailable returned null");
    }

    @Test
    void aFailedAvailabilityFutureFailsTheJob() throws Exception {
        CompletableFuture<Void> failed = new CompletableFuture<>();
        failed.completeExceptionally(new IllegalStateException(MESSAGE));
        Probe.named("failure-future").answerAvailability(future -> failed).gates().limitAll(10);
        assertThat(submit("failure-future").awaitFailure()).contains(MESSAGE);
    }

    /** The future fails when the reader has parked long ago. */
    @Test
    void anAvailabilityFutureThatFailsLaterFailsTheJob() throws Exception {
        CompletableFuture<Void> future = new CompletableFuture<>();
        Probe probe = Probe.named("failure-later").answerAvailability(own -> future);
        probe.gates().limitAll(0);
        Run run = submit("failure-later");
        Await.until(
                "checkpoint of a parked reader",
                LIMIT,
                () -> probe.count(Callback.READER_COMPLETE) > 0);
        future.completeExceptionally(new IllegalStateException(MESSAGE));
        assertThat(run.awaitFailure()).contains(MESSAGE);
    }

    private static Job job(String name) {
        return Job.probing(name)
                .option("splits", 2)
                .option("rows", 1_000)
                .parallelism(2)
                .streaming()
                .checkpointEveryMillis(200);
    }

    private static Run submit(String name) throws Exception {
        return job(name).submit();
    }
}
