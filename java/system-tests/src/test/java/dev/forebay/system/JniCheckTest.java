// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import dev.forebay.natives.testing.ChildJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The JVM has nothing to complain about how a job uses JNI; {@link ChildJvm} looks at what it says.
 */
@Timeout(60)
class JniCheckTest {

    @Test
    void aJobWithCheckpointsAndASavepointDrawsNoWarning() throws Exception {
        ChildJvm.of(JniCheckJob.class)
                .option("-Xmx512m")
                .property("hazelcast.socket.bind.any", false)
                .run();
    }
}
