// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.configuration.util.ConfigValidator;
import org.apache.seatunnel.api.configuration.util.OptionValidationException;
import org.apache.seatunnel.api.table.factory.Factory;
import org.apache.seatunnel.api.table.factory.TableSourceFactory;
import org.apache.seatunnel.api.table.factory.TableSourceFactoryContext;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.ServiceLoader;

class ConnectorFactoryTest {

    /** Looks a factory up as the engine does. */
    private static TableSourceFactory find(String identifier) {
        for (Factory factory : ServiceLoader.load(Factory.class)) {
            if (factory.factoryIdentifier().equals(identifier)) {
                return (TableSourceFactory) factory;
            }
        }
        throw new AssertionError("no factory is called " + identifier);
    }

    @Test
    void theEngineFindsBothConnectors() {
        for (String identifier : new String[] {"ManagedFake", "ManagedFile"}) {
            TableSourceFactory factory = find(identifier);
            assertThat(factory.createSource(null)).as("the engine's probe").isNotNull();
            assertThat(factory.getSourceClass().getSimpleName()).isEqualTo(identifier + "Source");
            ReadonlyConfig config =
                    ReadonlyConfig.fromMap(Collections.singletonMap("path", "/data"));
            ConfigValidator.of(config).validate(factory.optionRule());
            TableSourceFactoryContext context =
                    new TableSourceFactoryContext(config, getClass().getClassLoader());
            assertThat(factory.createSource(context).createSource().getPluginName())
                    .isEqualTo(identifier);
        }
    }

    @Test
    void aFileSourceNeedsAPath() {
        ReadonlyConfig config = ReadonlyConfig.fromMap(Collections.emptyMap());
        assertThatThrownBy(
                        () -> ConfigValidator.of(config).validate(find("ManagedFile").optionRule()))
                .isInstanceOf(OptionValidationException.class)
                .hasMessageContaining("path");
        ConfigValidator.of(config).validate(find("ManagedFake").optionRule());
    }
}
