// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

/**
 * Runs every stage of a close, whatever the others do; the first error is thrown with the rest
 * attached.
 */
final class CloseStages {
    private Throwable first;

    interface Stage {
        void run() throws Exception;
    }

    void run(Stage stage) {
        try {
            stage.run();
        } catch (Throwable t) {
            if (first == null) {
                first = t;
            } else if (first != t) {
                first.addSuppressed(t);
            }
        }
    }

    void rethrow() throws Exception {
        if (first != null) {
            throw Thrown.asException(first);
        }
    }
}
