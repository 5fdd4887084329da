// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testkit.Await;

import org.apache.seatunnel.engine.client.job.ClientJobProxy;
import org.apache.seatunnel.engine.core.job.JobResult;
import org.apache.seatunnel.engine.core.job.JobStatus;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A submitted job. */
final class Run {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final Queue<Run> ALL = new ConcurrentLinkedQueue<>();

    private final ClientJobProxy proxy;

    private Run(ClientJobProxy proxy) {
        this.proxy = proxy;
        ALL.add(this);
    }

    static Run of(ClientJobProxy proxy) {
        return new Run(proxy);
    }

    /** Cancels every job that still runs and waits until none does. */
    static void cancelAll() {
        for (Run run = ALL.poll(); run != null; run = ALL.poll()) {
            run.cancelIfRunning();
        }
    }

    /** The jobs of this test, for a dump: how each stands. */
    static String describeAll() {
        StringBuilder text = new StringBuilder();
        for (Run run : ALL) {
            text.append(run.id()).append(' ').append(run.proxy.getJobStatus()).append('\n');
        }
        return text.toString();
    }

    private void cancelIfRunning() {
        if (!hasEnded()) {
            // An engine that hangs answers no cancel either.
            Thread cancel = new Thread(proxy::cancelJob, "cancel " + id());
            cancel.setDaemon(true);
            cancel.start();
            Await.until("job " + id() + " has ended", LIMIT, this::hasEnded);
        }
    }

    private boolean hasEnded() {
        return proxy.getJobStatus().isEndState();
    }

    long id() {
        return proxy.getJobId();
    }

    Run awaitRunning() {
        Await.until("job runs", LIMIT, () -> proxy.getJobStatus() == JobStatus.RUNNING);
        return this;
    }

    /** Waits until the job has ended, however it does. */
    JobResult awaitEnd() {
        return proxy.waitForJobCompleteV2();
    }

    /** Waits until the job has ended by itself and well. */
    void awaitFinished() {
        assertEnd(JobStatus.FINISHED);
    }

    /** Stops the job with a savepoint. */
    void savepoint() {
        assertThat(Engine.node().savepoint(proxy)).isEqualTo(JobStatus.SAVEPOINT_DONE.name());
    }

    /** Cancels the job and waits until it has ended. */
    void cancel() {
        proxy.cancelJob();
        assertEnd(JobStatus.CANCELED);
    }

    /** Waits until the job has failed; the result is what its user reads. */
    String awaitFailure() {
        return assertEnd(JobStatus.FAILED).getError();
    }

    private JobResult assertEnd(JobStatus expected) {
        JobResult result = awaitEnd();
        assertThat(result.getStatus())
                .as("end of the job, error: %s", result.getError())
                .isEqualTo(expected);
        return result;
    }
}
