// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.ManagedSourceReader;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Collector;

import java.util.concurrent.CompletableFuture;

/**
 * One poll turn after the other of one reader, and the rules that a connector must keep in it.
 * Owner only.
 */
public final class PollTurn<T> {
    private final ManagedSourceReader<T, ?> reader;
    private final TurnContext context = new TurnContext();
    private final TurnCollector<T> collector = new TurnCollector<>(context);

    public PollTurn(ManagedSourceReader<T, ?> reader) {
        this.reader = reader;
    }

    /** Lets the connector emit within a budget. */
    public PollStatus poll(Collector<T> output, PollBudget budget) throws Exception {
        context.begin(System.nanoTime(), budget);
        collector.begin(output);
        try {
            return Returned.notNull(
                    reader.pollNextManaged(collector, context), reader, "pollNextManaged");
        } finally {
            collector.end();
        }
    }

    /** Asks when polling may be worth it again. */
    CompletableFuture<Void> availability() {
        return Returned.notNull(reader.isAvailable(), reader, "isAvailable");
    }

    /**
     * Whether the last turn announced a schema change, which the engine looks at between two of its
     * polls.
     */
    boolean announcedSchemaChange() {
        return collector.announcedSchemaChange();
    }
}
