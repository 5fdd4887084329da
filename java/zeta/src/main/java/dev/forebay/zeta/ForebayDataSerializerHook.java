// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.internal.serialization.DataSerializerHook;
import com.hazelcast.nio.serialization.DataSerializableFactory;

/**
 * Tells a member how to read Forebay's operations; found by the service file. Every member needs
 * the jar in its {@code lib} folder.
 */
public final class ForebayDataSerializerHook implements DataSerializerHook {
    /** Not used by Hazelcast 5.1 nor by the engine, which count down from -1 and from -30000. */
    static final int FACTORY_ID = -46110;

    static final int SOURCE_COMMAND = 1;

    @Override
    public int getFactoryId() {
        return FACTORY_ID;
    }

    @Override
    public DataSerializableFactory createFactory() {
        return typeId -> typeId == SOURCE_COMMAND ? new SourceCommandOperation() : null;
    }
}
