// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.natives.testing.ChildJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A library that does not load fails each job with one message that says where it was looked for.
 */
@Timeout(60)
class MissingLibraryTest {

    @Test
    void everyJobOfTheProcessSaysWhatWasTriedAndWhatToDo() throws Exception {
        String output =
                ChildJvm.of(MissingLibraryJob.class)
                        .option("-Xmx512m")
                        .property("hazelcast.socket.bind.any", false)
                        .property("forebay.library.path", "/no/such/library")
                        .run();

        assertThat(output)
                .contains(
                        "first job: forebay.library.path named",
                        "second job: forebay.library.path named")
                .doesNotContain("NoClassDefFoundError");
    }
}
