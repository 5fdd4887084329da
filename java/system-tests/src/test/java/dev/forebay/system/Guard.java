// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import dev.forebay.testkit.Await;
import dev.forebay.zeta.Diagnostics;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;

import java.time.Duration;
import java.util.Map;

/**
 * Around each test: a dump of all threads and loops before a test that takes too long is
 * interrupted; afterwards no job and no loop may be left, which also keeps one failure from
 * becoming many.
 */
final class Guard implements PreInterruptCallback, AfterEachCallback {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Override
    public void beforeThreadInterrupt(PreInterruptContext timeout, ExtensionContext test) {
        System.err.println(test.getDisplayName() + " takes too long:" + dump());
    }

    @Override
    public void afterEach(ExtensionContext test) {
        try {
            Run.cancelAll();
            Await.until("no loop is left", LIMIT, () -> Diagnostics.describe().isEmpty());
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + dump());
        }
    }

    private static String dump() {
        StringBuilder dump =
                new StringBuilder("\nLoops:\n")
                        .append(Diagnostics.describe())
                        .append("\nThreads:\n");
        for (Map.Entry<Thread, StackTraceElement[]> thread :
                Thread.getAllStackTraces().entrySet()) {
            dump.append(thread.getKey())
                    .append(' ')
                    .append(thread.getKey().getState())
                    .append('\n');
            for (StackTraceElement frame : thread.getValue()) {
                dump.append("    at ").append(frame).append('\n');
            }
        }
        return dump.toString();
    }
}
