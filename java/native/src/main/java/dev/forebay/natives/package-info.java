// Licensed under the Apache License, Version 2.0. See LICENSE.

/**
 * The Java end of the native boundary: the loader of the shared library and the exceptions that
 * come out of it.
 *
 * <p>The classes of this package declare native methods, and the library exports them by the
 * package's name, so the package must not be relocated by a shading tool. Everything in here runs
 * on Java 8 and needs nothing but the JDK.
 */
package dev.forebay.natives;
