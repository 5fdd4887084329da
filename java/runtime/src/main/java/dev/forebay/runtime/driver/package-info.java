// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * The hosts of the Rust core's loops: they execute the steps that the core decides, on the
 * connector and on the engine, and park. For engine adapters; connectors need only {@link
 * dev.forebay.runtime}.
 */
package dev.forebay.runtime.driver;
