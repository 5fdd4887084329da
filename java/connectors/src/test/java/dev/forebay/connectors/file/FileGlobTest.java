// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A listing looks no deeper than a glob can match. */
class FileGlobTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/data/*|1",
                "/data/*/x|2",
                "/data/{a,b}|1",
                "/data/{a/b,c}/x|3",
                "/data/**/x|" + Integer.MAX_VALUE
            })
    void aMatchLiesNoDeeperThanThePatternAllows(String glob, int depth) {
        assertThat(FileGlob.parse(glob).depth()).isEqualTo(depth);
    }
}
