// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * A real engine node in this process, a sink that remembers, and waiting for conditions: for tests,
 * demo and benchmarks.
 */
package dev.forebay.testkit;
