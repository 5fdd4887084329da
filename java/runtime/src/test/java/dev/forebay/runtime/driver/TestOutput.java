// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.event.SchemaChangeEvent;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.concurrent.atomic.AtomicInteger;

/** The engine's collector, with its checkpoint lock. */
final class TestOutput implements Collector<SeaTunnelRow> {
    final Object lock = new Object();
    final AtomicInteger records = new AtomicInteger();
    final AtomicInteger schemaMarks = new AtomicInteger();

    @Override
    public void collect(SeaTunnelRow record) {
        records.incrementAndGet();
    }

    @Override
    public void collect(SchemaChangeEvent event) {}

    @Override
    public void markSchemaChangeBeforeCheckpoint() {
        schemaMarks.incrementAndGet();
    }

    @Override
    public void markSchemaChangeAfterCheckpoint() {
        schemaMarks.incrementAndGet();
    }

    @Override
    public Object getCheckpointLock() {
        return lock;
    }
}
