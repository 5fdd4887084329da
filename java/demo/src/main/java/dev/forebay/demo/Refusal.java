// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.demo;

import dev.forebay.connectors.OneLine;

/** The demo cannot run with what it was given; the message is the line that the user reads. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
        super(OneLine.of(message));
    }
}
