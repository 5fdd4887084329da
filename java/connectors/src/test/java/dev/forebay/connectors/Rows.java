// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.ArrayList;
import java.util.List;

/** Collects what a reader emits. */
public final class Rows implements Collector<SeaTunnelRow> {
    private final List<SeaTunnelRow> rows = new ArrayList<>();

    @Override
    public void collect(SeaTunnelRow row) {
        rows.add(row);
    }

    @Override
    public Object getCheckpointLock() {
        return this;
    }

    public int size() {
        return rows.size();
    }

    /** Forgets what was emitted after the first {@code size} rows, as a restart does. */
    public void backTo(int size) {
        rows.subList(size, rows.size()).clear();
    }

    public List<SeaTunnelRow> all() {
        return rows;
    }

    /** One column of all rows. */
    public List<Object> column(int index) {
        List<Object> values = new ArrayList<>();
        rows.forEach(row -> values.add(row.getField(index)));
        return values;
    }
}
