// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * {@code ManagedFake}: a source of rows whose content is determined by their place, for tests,
 * benchmarks and demos of the runtime.
 */
package dev.forebay.connectors.fake;
