// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * Plugs managed sources into an unmodified Zeta engine: {@link dev.forebay.zeta.ManagedSource} is a
 * source of the engine's public API; its reader and enumerator translate engine calls into offers
 * and turns.
 */
package dev.forebay.zeta;
