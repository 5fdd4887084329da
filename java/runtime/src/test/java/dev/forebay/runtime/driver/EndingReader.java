// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.runtime.PollContext;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

/** A reader whose input ends as soon as no split will come any more. */
class EndingReader extends TestReader {
    private boolean noMoreSplits;

    @Override
    public PollStatus pollNextManaged(Collector<SeaTunnelRow> output, PollContext context) {
        polls.incrementAndGet();
        return noMoreSplits ? PollStatus.END_OF_INPUT : PollStatus.NOTHING_AVAILABLE;
    }

    @Override
    public void handleNoMoreSplits() {
        noMoreSplits = true;
    }
}
