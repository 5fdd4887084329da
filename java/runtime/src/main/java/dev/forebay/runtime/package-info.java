// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * The public API of the managed source runtime and the drivers that execute what its Rust core
 * decides.
 *
 * <p>A connector implements {@link dev.forebay.runtime.ManagedSourceReader} and {@link
 * dev.forebay.runtime.ManagedSplitEnumerator}. Every method of either is called by one thread at a
 * time, never while another method of the same object runs, so neither needs a lock. The exceptions
 * are named where they stand.
 */
package dev.forebay.runtime;
