// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.testkit;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.util.OptionRule;
import org.apache.seatunnel.api.sink.SeaTunnelSink;
import org.apache.seatunnel.api.sink.SinkWriter;
import org.apache.seatunnel.api.table.connector.TableSink;
import org.apache.seatunnel.api.table.factory.TableSinkFactory;
import org.apache.seatunnel.api.table.factory.TableSinkFactoryContext;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A sink that remembers each row and when it came, under the name that the job gives it, for tests
 * in the same process. It is not transactional: after a failure rows come again, after a savepoint
 * they do not.
 */
public final class RecordingSink implements SeaTunnelSink<SeaTunnelRow, Void, Void, Void> {
    private static final long serialVersionUID = 1L;

    private static final Map<String, Queue<Arrival>> ROWS = new ConcurrentHashMap<>();

    private final String name;

    private RecordingSink(String name) {
        this.name = name;
    }

    /** A row and the time of its arrival. */
    public static final class Arrival {
        public final SeaTunnelRow row;

        /** On the clock of {@link System#nanoTime()}. */
        public final long nanos;

        private Arrival(SeaTunnelRow row, long nanos) {
            this.row = row;
            this.nanos = nanos;
        }
    }

    /** What has arrived under a name; goes on filling. */
    public static Queue<Arrival> arrivals(String name) {
        return ROWS.computeIfAbsent(name, key -> new ConcurrentLinkedQueue<>());
    }

    /** The rows that have arrived under a name so far. */
    public static List<SeaTunnelRow> rows(String name) {
        List<SeaTunnelRow> rows = new ArrayList<>();
        arrivals(name).forEach(arrival -> rows.add(arrival.row));
        return rows;
    }

    @Override
    public String getPluginName() {
        return Factory.IDENTIFIER;
    }

    @Override
    public SinkWriter<SeaTunnelRow, Void, Void> createWriter(SinkWriter.Context context) {
        return new Writer(arrivals(name));
    }

    private static final class Writer implements SinkWriter<SeaTunnelRow, Void, Void> {
        private final Queue<Arrival> arrivals;

        Writer(Queue<Arrival> arrivals) {
            this.arrivals = arrivals;
        }

        @Override
        public void write(SeaTunnelRow row) {
            arrivals.add(new Arrival(row, System.nanoTime()));
        }

        @Override
        public Optional<Void> prepareCommit() {
            return Optional.empty();
        }

        @Override
        public void abortPrepare() {}

        @Override
        public void close() {}
    }

    /** How the engine finds the sink. */
    public static final class Factory implements TableSinkFactory<SeaTunnelRow, Void, Void, Void> {
        static final String IDENTIFIER = "Recording";

        private static final Option<String> NAME =
                Options.key("name")
                        .stringType()
                        .noDefaultValue()
                        .withDescription("Where the rows are kept.");

        @Override
        public String factoryIdentifier() {
            return IDENTIFIER;
        }

        @Override
        public OptionRule optionRule() {
            return OptionRule.builder().required(NAME).build();
        }

        @Override
        public TableSink<SeaTunnelRow, Void, Void, Void> createSink(
                TableSinkFactoryContext context) {
            String name = context.getOptions().get(NAME);
            return () -> new RecordingSink(name);
        }
    }
}
