// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One subscription per future object, and no turn that waits in vain. */
@Timeout(30)
class AvailabilityTest {
    private static final int TURNS = 1_000;

    private final List<Long> available = new ArrayList<>();
    private final List<Throwable> failed = new ArrayList<>();
    private final Availability availability = new Availability(available::add, failed::add);

    @Test
    void aFutureThatIsReturnedAgainHasOneListener() {
        CompletableFuture<Void> future = new CompletableFuture<>();
        for (long turn = 1; turn <= TURNS; turn++) {
            availability.await(turn, future);
        }
        assertThat(future.getNumberOfDependents()).isEqualTo(1);
        future.complete(null);
        assertThat(available).containsExactly((long) TURNS);
    }

    @Test
    void aNewFutureGetsAListenerOfItsOwn() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        availability.await(1, first);
        availability.await(2, second);
        second.complete(null);
        assertThat(available).containsExactly(2L);
    }

    @Test
    void aFutureThatIsCompleteAlreadyTellsEachTurn() {
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        availability.await(1, done);
        availability.await(2, done);
        assertThat(available).containsExactly(1L, 2L);
    }

    @Test
    void aFailureIsHandedOnAsItIs() {
        IllegalStateException failure = new IllegalStateException("broken");
        CompletableFuture<Void> future = new CompletableFuture<>();
        availability.await(1, future);
        future.completeExceptionally(failure);
        assertThat(failed).containsExactly(failure);
        assertThat(available).isEmpty();
    }
}
