// Licensed under the Apache License, Version 2.0. See LICENSE.
/**
 * A connector as its author writes it: all that it needs, and nothing but the public API. README
 * points here.
 */
package dev.forebay.example;
