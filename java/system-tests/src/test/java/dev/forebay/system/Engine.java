// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import dev.forebay.testkit.EngineNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * The one node of this JVM, started when the first test needs it; surefire ends it with the JVM.
 */
final class Engine {
    private Engine() {}

    private static final class Holder {
        static final EngineNode NODE = EngineNode.start(newFolder());

        private static Path newFolder() {
            try {
                Path target = Files.createDirectories(Paths.get("target").toAbsolutePath());
                return Files.createTempDirectory(target, "engine-");
            } catch (IOException e) {
                throw new IllegalStateException(
                        "no folder for the node's files: " + e.getMessage(), e);
            }
        }
    }

    static EngineNode node() {
        return Holder.NODE;
    }

    /** Where the checkpoints of a job are. */
    static Path checkpoints(long jobId) {
        return Holder.NODE.checkpoints().resolve(Long.toString(jobId));
    }
}
