// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.FutureTask;

/** A reader that its coordinator cannot serve hears why, and soon: {@link Await} waits 10 s. */
@Timeout(30)
class RegistrationTest {
    private static final String MESSAGE = "the pump in basin 7 is broken";

    private static TestEnumerator failingToOpen() {
        return new TestEnumerator() {
            @Override
            public void open() {
                throw new IllegalStateException(MESSAGE);
            }
        };
    }

    @Test
    void aRegistrationAfterTheFailureOfTheCoordinatorHearsItsCause() throws Exception {
        TestJob job = new TestJob();
        assertThatThrownBy(() -> job.start(failingToOpen())).hasMessage(MESSAGE);
        FutureTask<Void> task = job.startTask(new TestReader());
        assertThat(Await.thrownBy(task))
                .isInstanceOf(ManagedSourceException.class)
                .hasMessage("the source has failed: java.lang.IllegalStateException: " + MESSAGE);
        job.close();
    }

    /** The registration itself is what fails the source. */
    @Test
    void aReaderOfAnotherVersionHearsIt() throws Exception {
        TestJob job = new TestJob(TestJob.USUAL, TestJob.USUAL, Duration.ofSeconds(30), 1);
        job.coordinator.host(new TestEnumerator());
        FutureTask<Void> task = job.startTask(new TestReader());
        assertThat(Await.thrownBy(task))
                .isInstanceOf(ManagedSourceException.class)
                .hasMessageStartingWith(
                        "the source has failed: the reader of subtask 0 runs another connector");
        job.close();
    }
}
