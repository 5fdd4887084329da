// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.event.SchemaChangeEvent;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

/**
 * The engine's collector, open during a poll turn only: what is emitted at another time or by
 * another thread would not be in the same cut as the split state that goes with it.
 */
final class TurnCollector<T> implements Collector<T> {
    private final TurnContext context;
    private Collector<T> engine;
    private Thread owner;
    private boolean schemaChanged;

    TurnCollector(TurnContext context) {
        this.context = context;
    }

    void begin(Collector<T> engineCollector) {
        engine = engineCollector;
        schemaChanged = false;
        owner = Thread.currentThread();
    }

    void end() {
        owner = null;
    }

    /**
     * Whether the last turn announced a schema change, which the engine looks at between two of its
     * polls.
     */
    boolean announcedSchemaChange() {
        return schemaChanged;
    }

    @Override
    public void collect(T record) {
        check();
        engine.collect(record);
        // The engine has just computed the size, so a row answers it from memory.
        context.emitted(
                record instanceof SeaTunnelRow ? ((SeaTunnelRow) record).getBytesSize() : 0);
    }

    @Override
    public void collect(SchemaChangeEvent event) {
        check();
        engine.collect(event);
        context.emitted(0);
    }

    @Override
    public void markSchemaChangeBeforeCheckpoint() {
        check();
        schemaChanged = true;
        engine.markSchemaChangeBeforeCheckpoint();
    }

    @Override
    public void markSchemaChangeAfterCheckpoint() {
        check();
        schemaChanged = true;
        engine.markSchemaChangeAfterCheckpoint();
    }

    @Override
    public Object getCheckpointLock() {
        throw new UnsupportedOperationException(
                "a managed reader needs no checkpoint lock: everything that it emits in a poll turn is in one cut");
    }

    private void check() {
        if (owner != Thread.currentThread()) {
            throw new IllegalStateException(
                    "records can be emitted only inside pollNextManaged and on its thread, not on "
                            + Thread.currentThread().getName());
        }
    }
}
