// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

/**
 * The process of {@link MissingLibraryTest}: two jobs, because the second one must not find less
 * than the first.
 */
final class MissingLibraryJob {
    private MissingLibraryJob() {}

    public static void main(String[] args) throws Exception {
        report("first");
        report("second");
        System.exit(0);
    }

    private static void report(String which) throws Exception {
        String error = Job.reading("ManagedFake", which).parallelism(2).submit().awaitFailure();
        boolean named =
                error.contains("forebay.library.path") && error.contains("/no/such/library");
        System.out.println(which + " job: " + (named ? "forebay.library.path named" : error));
    }
}
