// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import org.apache.seatunnel.api.configuration.util.OptionRule;
import org.apache.seatunnel.api.source.SeaTunnelSource;
import org.apache.seatunnel.api.source.SourceSplit;
import org.apache.seatunnel.api.table.connector.TableSource;
import org.apache.seatunnel.api.table.factory.TableSourceFactory;
import org.apache.seatunnel.api.table.factory.TableSourceFactoryContext;

import java.io.Serializable;

/** How the engine finds the probe. */
public final class ProbeFactory implements TableSourceFactory {

    @Override
    public String factoryIdentifier() {
        return ProbeSource.NAME;
    }

    @Override
    public OptionRule optionRule() {
        return ProbeOptions.rule();
    }

    @Override
    @SuppressWarnings("unchecked") // The engine picks the type variables and only passes them back.
    public <T, SplitT extends SourceSplit, StateT extends Serializable>
            TableSource<T, SplitT, StateT> createSource(TableSourceFactoryContext context) {
        return () -> (SeaTunnelSource<T, SplitT, StateT>) new ProbeSource(context.getOptions());
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends SeaTunnelSource> getSourceClass() {
        return ProbeSource.class;
    }
}
