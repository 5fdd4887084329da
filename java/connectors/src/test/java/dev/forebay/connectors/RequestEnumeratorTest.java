// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.seatunnel.api.source.SourceSplit;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Collections;

class RequestEnumeratorTest {
    private final TestEnumeratorContext<Named> context = new TestEnumeratorContext<>();
    private final Plain enumerator = new Plain(null);

    private String answers() {
        return context.takeAnswers().toString();
    }

    @Test
    void oneSplitForEachRequestThenTheEnd() {
        enumerator.discovered(Arrays.asList(new Named("a"), new Named("b")));
        assertThat(answers()).isEqualTo("[]");
        enumerator.handleSplitRequest(1);
        enumerator.handleSplitRequest(0);
        enumerator.handleSplitRequest(1);
        assertThat(answers()).isEqualTo("[1:a, 0:b, 1:end]");
    }

    @Test
    void requestsBeforeTheSplitsAreKnownAreRemembered() {
        enumerator.handleSplitRequest(2);
        enumerator.handleSplitRequest(0);
        enumerator.handleSplitRequest(1);
        enumerator.handleSplitRequest(0);
        assertThat(answers()).isEqualTo("[]");
        enumerator.discovered(Arrays.asList(new Named("a"), new Named("b")));
        assertThat(answers()).isEqualTo("[2:a, 0:b, 1:end]");
    }

    @Test
    void returnedSplitsGoFirstAndInOrder() {
        enumerator.discovered(Arrays.asList(new Named("a"), new Named("b")));
        enumerator.addSplitsBack(Arrays.asList(new Named("x"), new Named("y")), 3);
        assertThat(enumerator.currentUnassignedSplitSize()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            enumerator.handleSplitRequest(0);
        }
        assertThat(answers()).isEqualTo("[0:x, 0:y, 0:a, 0:b]");
    }

    @Test
    void withoutCapacityRequestsWait() {
        enumerator.discovered(Arrays.asList(new Named("a"), new Named("b")));
        context.capacity = 1;
        enumerator.handleSplitRequest(0);
        enumerator.handleSplitRequest(1);
        enumerator.handleSplitRequest(2);
        assertThat(answers()).isEqualTo("[0:a]");
        context.capacity = 1;
        enumerator.notifyCheckpointComplete(1);
        assertThat(answers()).isEqualTo("[1:b, 2:end]");
    }

    @Test
    void aRestoredOneGoesOnWithWhatWasLeft() {
        enumerator.discovered(Arrays.asList(new Named("a"), new Named("b")));
        enumerator.handleSplitRequest(0);
        Plain restored = new Plain(enumerator.snapshotState(1));
        restored.run();
        assertThat(restored.discoveries).isZero();
        answers();
        restored.handleSplitRequest(0);
        restored.handleSplitRequest(0);
        assertThat(answers()).isEqualTo("[0:b, 0:end]");
    }

    @Test
    void aRestoredOneThatKnewNothingDiscovers() {
        Plain restored = new Plain(enumerator.snapshotState(1));
        restored.run();
        assertThat(restored.discoveries).isEqualTo(1);
    }

    @Test
    void aSnapshotDoesNotChangeAfterwards() {
        enumerator.discovered(Collections.singletonList(new Named("a")));
        PendingSplits<Named> state = enumerator.snapshotState(1);
        enumerator.handleSplitRequest(0);
        assertThat(state.unassigned()).hasSize(1);
    }

    private static final class Named implements SourceSplit {
        private static final long serialVersionUID = 1L;
        private final String id;

        Named(String id) {
            this.id = id;
        }

        @Override
        public String splitId() {
            return id;
        }
    }

    private final class Plain extends RequestEnumerator<Named> {
        private int discoveries;

        Plain(PendingSplits<Named> restored) {
            super(context, restored);
        }

        @Override
        protected void discover() {
            discoveries++;
        }
    }
}
