// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.connectors.fake.ManagedFakeSource;
import dev.forebay.connectors.file.LongLine;
import dev.forebay.connectors.file.ManagedFileOptions;
import dev.forebay.connectors.file.ManagedFileSource;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.shade.com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;

class SettingsTest {

    /** The options as the engine hands them over when they stand in a job file. */
    private static ReadonlyConfig config(String jobFile) {
        return ReadonlyConfig.fromConfig(ConfigFactory.parseString(jobFile));
    }

    private static long rate(String value) {
        return Settings.wholeNumber(
                config("rows_per_second = " + value), Settings.ROWS_PER_SECOND, 0, 1000);
    }

    @Test
    void wholeNumbers() {
        assertThat(rate("7")).isEqualTo(7);
        assertThat(rate("\"7\"")).as("from a variable").isEqualTo(7);
        assertThat(rate("1e2")).isEqualTo(100);
        assertThat(rate("null")).as("the default").isZero();
        for (String bad :
                new String[] {
                    "0.9",
                    "0.5",
                    "1.5",
                    "\"0.9\"",
                    "-1",
                    "1001",
                    "1e30",
                    "\"1e999999999\"",
                    "true",
                    "\"\"",
                    "fast",
                    "[1]",
                    "{ a = 1 }",
                    "99999999999999999999",
                    "-0.5"
                }) {
            assertThatThrownBy(() -> rate(bad))
                    .as(bad)
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("option 'rows_per_second' cannot be ")
                    .hasMessageContaining("it takes a whole number from 0 to 1000");
        }
        assertThatThrownBy(() -> rate("0.9")).hasMessageContaining("cannot be 0.9; ");
        assertThatThrownBy(() -> rate("[1]")).hasMessageContaining("cannot be [1] (a list); ");
    }

    @Test
    void flags() {
        assertThat(Settings.flag(config("metadata = TRUE"), ManagedFileOptions.METADATA)).isTrue();
        assertThat(Settings.flag(config("metadata = \"false\""), ManagedFileOptions.METADATA))
                .isFalse();
        for (String bad : new String[] {"1", "0", "yes", "\"\"", "[true]", "1.0"}) {
            assertThatThrownBy(
                            () ->
                                    Settings.flag(
                                            config("metadata = " + bad),
                                            ManagedFileOptions.METADATA))
                    .as(bad)
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("option 'metadata' cannot be ")
                    .hasMessageContaining("it takes true or false");
        }
    }

    private static LongLine longLine(String value) {
        return Settings.choice(
                config("long_line = " + value), ManagedFileOptions.LONG_LINE, LongLine.class);
    }

    @Test
    void names() {
        assertThat(longLine("cut")).isEqualTo(LongLine.CUT);
        assertThat(longLine("CUT")).isEqualTo(LongLine.CUT);
        assertThat(longLine("null")).isEqualTo(LongLine.FAIL);
        for (String bad : new String[] {"1", "0", "\"1\"", "wrap", "[cut]", "true", "\"\""}) {
            assertThatThrownBy(() -> longLine(bad))
                    .as(bad)
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("option 'long_line' cannot be ")
                    .hasMessageContaining("it takes one of: fail, cut");
        }
    }

    @Test
    void texts() {
        for (String option : new String[] {"path", "encoding"}) {
            for (String bad : new String[] {"[\"/a\", \"/b\"]", "{ a = 1 }", "2024", "true"}) {
                String jobFile = "path = /data\n" + option + " = null\n" + option + " = " + bad;
                assertThatThrownBy(() -> new ManagedFileSource(config(jobFile)))
                        .as(jobFile)
                        .isInstanceOf(ConnectorException.class)
                        .hasMessageContaining("option '" + option + "' cannot be ")
                        .hasMessageContaining("it takes text");
            }
        }
    }

    @Test
    void everyOptionOfBothConnectorsIsChecked() {
        for (String bad :
                new String[] {
                    "recursive = 1",
                    "metadata = 1",
                    "max_line_bytes = 1.5",
                    "long_line = 1",
                    "rows_per_second = 0.9"
                }) {
            assertThatThrownBy(() -> new ManagedFileSource(config("path = /data\n" + bad)))
                    .as(bad)
                    .isInstanceOf(ConnectorException.class);
        }
        for (String bad :
                new String[] {
                    "splits = 1.5",
                    "rows = 0.5",
                    "payload_bytes = 1.5",
                    "rows_per_second = 0.5",
                    "feed = 7"
                }) {
            assertThatThrownBy(() -> new ManagedFakeSource(config(bad)))
                    .as(bad)
                    .isInstanceOf(ConnectorException.class);
        }
    }
}
