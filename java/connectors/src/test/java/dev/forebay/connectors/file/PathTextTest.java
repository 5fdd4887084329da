// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.connectors.ConnectorException;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Collections;

class PathTextTest {

    @Test
    void whatMayHaveBeenLostOnTheWayIsRefused() {
        assertThat(PathText.lossOnArrival("/na?ve", StandardCharsets.US_ASCII))
                .contains("'?' may stand for a character that was lost")
                .contains("US-ASCII")
                .contains("LC_ALL=C.UTF-8");
        assertThat(PathText.lossOnArrival("/na?ve", StandardCharsets.ISO_8859_1)).isNotNull();
        assertThat(PathText.lossOnArrival("/na?ve", StandardCharsets.UTF_8)).isNull();
        assertThat(PathText.lossOnArrival("/n*ve", StandardCharsets.US_ASCII)).isNull();
        assertThat(PathText.lossOnArrival("/na\u00efve", StandardCharsets.UTF_8)).isNull();
        ReadonlyConfig config =
                ReadonlyConfig.fromMap(Collections.singletonMap("path", "/na\ufffdve"));
        assertThatThrownBy(() -> new ManagedFileSource(config))
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining("option 'path' cannot be ")
                .hasMessageContaining("save the job file as UTF-8");
    }

    @Test
    void whatTheJvmCannotNameIsRefused() {
        assertThat(PathText.lossAsName("/na\u00efve", StandardCharsets.US_ASCII))
                .contains("this JVM names files in US-ASCII")
                .contains("LC_ALL=C.UTF-8");
        assertThat(PathText.lossAsName("/na\u00efve", StandardCharsets.UTF_8)).isNull();
        assertThat(PathText.lossAsName("/plain", StandardCharsets.US_ASCII)).isNull();
    }
}
