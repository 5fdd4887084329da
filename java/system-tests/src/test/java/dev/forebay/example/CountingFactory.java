// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.example;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.configuration.util.OptionRule;
import org.apache.seatunnel.api.source.SeaTunnelSource;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.connector.TableSource;
import org.apache.seatunnel.api.table.factory.TableSourceFactory;
import org.apache.seatunnel.api.table.factory.TableSourceFactoryContext;

import java.io.Serializable;

/**
 * How the engine finds the source: by the line with this class's name in {@code
 * META-INF/services/org.apache.seatunnel.api.table.factory.Factory}.
 */
public final class CountingFactory implements TableSourceFactory {
    static final String NAME = "Counting";

    private static final Option<Long> SPLITS =
            Options.key("splits").longType().defaultValue(4L).withDescription("How many splits.");
    private static final Option<Long> ROWS =
            Options.key("rows").longType().defaultValue(1000L).withDescription("Rows of each.");

    @Override
    public String factoryIdentifier() {
        return NAME;
    }

    @Override
    public OptionRule optionRule() {
        return OptionRule.builder().optional(SPLITS, ROWS).build();
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends SeaTunnelSource> getSourceClass() {
        return CountingSource.class;
    }

    @Override
    @SuppressWarnings("unchecked") // The engine picks the type variables and hands them back.
    public <T, SplitT extends SourceSplit, StateT extends Serializable>
            TableSource<T, SplitT, StateT> createSource(TableSourceFactoryContext context) {
        ReadonlyConfig options = context.getOptions();
        return () ->
                (SeaTunnelSource<T, SplitT, StateT>)
                        (SeaTunnelSource<?, ?, ?>)
                                new CountingSource(options.get(SPLITS), options.get(ROWS));
    }
}
