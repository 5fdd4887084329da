// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

import dev.forebay.connectors.ConnectorFactory;

/** How the engine finds {@code ManagedFake}; its options are {@link ManagedFakeOptions}. */
public final class ManagedFakeFactory extends ConnectorFactory {

    /** Called by the engine. */
    public ManagedFakeFactory() {
        super(
                ManagedFakeSource.NAME,
                ManagedFakeOptions.rule(),
                ManagedFakeSource.class,
                ManagedFakeSource::new);
    }
}
