// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.ConnectorFactory;

/** How the engine finds {@code ManagedFile}; its options are {@link ManagedFileOptions}. */
public final class ManagedFileFactory extends ConnectorFactory {

    /** Called by the engine. */
    public ManagedFileFactory() {
        super(
                ManagedFileSource.NAME,
                ManagedFileOptions.rule(),
                ManagedFileSource.class,
                ManagedFileSource::new);
    }
}
