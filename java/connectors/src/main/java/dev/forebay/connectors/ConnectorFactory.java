// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.configuration.util.OptionRule;
import org.apache.seatunnel.api.source.SeaTunnelSource;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.connector.TableSource;
import org.apache.seatunnel.api.table.factory.TableSourceFactory;
import org.apache.seatunnel.api.table.factory.TableSourceFactoryContext;

import java.io.Serializable;
import java.util.function.Function;

/**
 * How the engine finds a connector. The engine makes one of each on its class path, so making one
 * costs nothing.
 */
public abstract class ConnectorFactory implements TableSourceFactory {
    private final String identifier;
    private final OptionRule optionRule;
    private final Class<? extends CursorSource<?>> sourceClass;
    private final Function<ReadonlyConfig, ? extends CursorSource<?>> constructor;

    /**
     * @param constructor makes a source, and throws a {@link ConnectorException} if it does not
     *     take the options
     */
    protected ConnectorFactory(
            String identifier,
            OptionRule optionRule,
            Class<? extends CursorSource<?>> sourceClass,
            Function<ReadonlyConfig, ? extends CursorSource<?>> constructor) {
        this.identifier = identifier;
        this.optionRule = optionRule;
        this.sourceClass = sourceClass;
        this.constructor = constructor;
    }

    @Override
    public final String factoryIdentifier() {
        return identifier;
    }

    @Override
    public final OptionRule optionRule() {
        return optionRule;
    }

    @Override
    @SuppressWarnings(
            "unchecked") // The engine picks the type variables and only ever passes them back to
    // us.
    public final <T, SplitT extends SourceSplit, StateT extends Serializable>
            TableSource<T, SplitT, StateT> createSource(TableSourceFactoryContext context) {
        // The engine calls this with null to see whether it is implemented: options are read later.
        return () -> (SeaTunnelSource<T, SplitT, StateT>) constructor.apply(context.getOptions());
    }

    @Override
    @SuppressWarnings("rawtypes")
    public final Class<? extends SeaTunnelSource> getSourceClass() {
        return sourceClass;
    }
}
