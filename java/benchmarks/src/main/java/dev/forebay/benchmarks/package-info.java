// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * Measures the runtime from Java and on a real engine node, beside rivals. One question per class;
 * never shipped.
 */
package dev.forebay.benchmarks;
