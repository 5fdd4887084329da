// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import dev.forebay.natives.testing.ChildJvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Child JVMs for one test of the loader, all with one work folder for private copies. */
final class LoaderFixture {
    private final Path temp;
    private final Path work;

    LoaderFixture(Path temp) throws IOException {
        this.temp = temp;
        this.work = Files.createDirectory(temp.resolve("work"));
    }

    /** Where the children make their private folders. */
    Path work() {
        return work;
    }

    /** What is in the work folder now. */
    List<Path> leftovers() throws IOException {
        try (Stream<Path> found = Files.list(work)) {
            return found.sorted().collect(Collectors.toList());
        }
    }

    /** A child without a bundled library. */
    ChildJvm bare(Class<?> main) throws IOException {
        return configured(main).classPath(LoaderClassPath.bare(classes()));
    }

    /** A child with a good bundled library. */
    ChildJvm bundled(Class<?> main) throws IOException, InterruptedException {
        return bundling(StubLibrary.GOOD.file(), main);
    }

    /** A child with this file as the bundled library. */
    ChildJvm bundling(Path library, Class<?> main) throws IOException {
        return configured(main).classPath(LoaderClassPath.bundling(classes(), library));
    }

    /** A child without a bundled library, whose classes a shading tool has renamed. */
    ChildJvm relocated(Class<?> main) throws IOException {
        return configured(main).classPath(LoaderClassPath.relocated(classes()));
    }

    private ChildJvm configured(Class<?> main) {
        return ChildJvm.of(main).property("forebay.library.workdir", work);
    }

    private Path classes() throws IOException {
        return Files.createTempDirectory(temp, "classes");
    }
}
