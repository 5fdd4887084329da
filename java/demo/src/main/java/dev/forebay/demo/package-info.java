// Licensed under the Apache License, Version 2.0. See LICENSE.
/** The main job on real input, stopped and restored on the way, with a verified result. */
package dev.forebay.demo;
