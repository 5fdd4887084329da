// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Tests of this class run jobs on the node of this JVM. Each fails after half a minute, or after
 * its own {@link Timeout}, with a dump, and leaves nothing behind: see {@link Guard}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Guard.class)
@Timeout(30)
@interface SystemTest {}
