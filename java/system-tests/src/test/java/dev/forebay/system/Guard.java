// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import dev.forebay.testkit.Await;
import dev.forebay.zeta.Diagnostics;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Around each test: a dump of all jobs, loops and threads before a test that takes too long is
 * interrupted, and when one fails, which an expired wait does too; afterwards no job and no loop
 * may be left, which also keeps one failure from becoming many.
 */
final class Guard
        implements PreInterruptCallback, TestExecutionExceptionHandler, AfterEachCallback {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final Set<String> TOLD = new HashSet<>();

    @Override
    public void beforeThreadInterrupt(PreInterruptContext timeout, ExtensionContext test) {
        System.err.println(test.getDisplayName() + " takes too long:" + dump());
    }

    @Override
    public void handleTestExecutionException(ExtensionContext test, Throwable failure)
            throws Throwable {
        System.err.println(test.getDisplayName() + " fails:" + dump());
        // Last: an engine that hangs does not answer.
        System.err.println("Jobs:\n" + Run.describeAll());
        throw failure;
    }

    @Override
    public void afterEach(ExtensionContext test) {
        try {
            Run.cancelAll();
            Await.until("no loop is left", LIMIT, () -> left().isEmpty());
        } catch (AssertionError e) {
            // Told once, by the test that left it: what comes after is not to blame.
            TOLD.addAll(left());
            throw new AssertionError(e.getMessage() + dump());
        }
    }

    /** Source, side and subtask of each loop that is left and was not told of. */
    private static Set<String> left() {
        Set<String> left = new HashSet<>();
        for (String loop : Diagnostics.describe().split("\n")) {
            String[] words = loop.split(" ", 4);
            if (words.length > 3) {
                left.add(words[0] + ' ' + words[1] + ' ' + words[2]);
            }
        }
        left.removeAll(TOLD);
        return left;
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
