// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import java.io.IOException;

/** Fits what a close may throw to what the engine's interfaces let it throw. */
final class Closing {
    private Closing() {}

    interface Close {
        void close() throws Exception;
    }

    static void close(Close close, String what) throws IOException {
        try {
            close.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("closing the " + what + " failed: " + e.getMessage(), e);
        }
    }
}
