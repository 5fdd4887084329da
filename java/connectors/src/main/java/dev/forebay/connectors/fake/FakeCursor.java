// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.SourceTable;
import dev.forebay.connectors.SplitCursor;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.concurrent.CompletableFuture;

/** Makes the rows of one split, or takes their numbers from a feed. */
final class FakeCursor implements SplitCursor<FakeSplit> {
    private static final CompletableFuture<Void> AT_ONCE = CompletableFuture.completedFuture(null);

    private final FakeSplit split;
    private final SourceTable table;
    private final FakePayload payload;
    private final ManagedFakeFeed feed;
    private long next;

    /**
     * @param feed null to generate rows
     */
    FakeCursor(FakeSplit split, SourceTable table, FakePayload payload, ManagedFakeFeed feed) {
        this.split = split;
        this.table = table;
        this.payload = payload;
        this.feed = feed;
        this.next = split.next();
    }

    @Override
    public boolean isFinished() {
        return next == split.rows();
    }

    @Override
    public Step step(Collector<SeaTunnelRow> output) {
        long row = next;
        if (feed != null) {
            Long fed = feed.poll();
            if (fed == null) {
                return Step.WAITING;
            }
            row = fed;
        }
        output.collect(table.row(split.index(), row, payload.of(split.index(), row)));
        next++;
        return Step.EMITTED;
    }

    @Override
    public FakeSplit position() {
        return new FakeSplit(split.index(), split.rows(), next);
    }

    @Override
    public CompletableFuture<Void> whenAvailable() {
        return feed == null ? AT_ONCE : feed.whenFed();
    }

    @Override
    public void close() {}
}
