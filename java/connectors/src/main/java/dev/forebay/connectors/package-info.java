// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * What the connectors of this module share: reading splits one after another, handing them out on
 * request, pacing, and the byte layout of checkpointed state.
 *
 * <p>The types are public because the connectors live in packages of their own; they are no API for
 * other modules.
 */
package dev.forebay.connectors;
