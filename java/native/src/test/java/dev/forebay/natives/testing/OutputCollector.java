// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reads a stream to its end on a thread of its own, and lets others wait for what they expect in
 * it.
 */
final class OutputCollector {
    private final StringBuilder text = new StringBuilder();
    private boolean ended;

    OutputCollector(InputStream stream) {
        Thread reader = new Thread(() -> collect(stream), "child-output");
        reader.setDaemon(true);
        reader.start();
    }

    synchronized String text() {
        return text.toString();
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** False if the stream ended, or the time came, before the text appeared. */
    synchronized boolean await(String expected, long deadlineNanos) throws InterruptedException {
        waitFor(() -> ended || text.indexOf(expected) >= 0, deadlineNanos);
        return text.indexOf(expected) >= 0;
    }

    /** False if the time came before the end of the stream. */
    synchronized boolean awaitEnd(long deadlineNanos) throws InterruptedException {
        waitFor(() -> ended, deadlineNanos);
        return ended;
    }

    private synchronized void waitFor(BooleanSupplier condition, long deadlineNanos)
            throws InterruptedException {
        long left = deadlineNanos - System.nanoTime();
        while (!condition.getAsBoolean() && left > 0) {
            // Rounded up: a wait of zero would last for ever.
            wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
            left = deadlineNanos - System.nanoTime();
        }
    }

    private void collect(InputStream stream) {
        char[] chunk = new char[4096];
        try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            for (int read = reader.read(chunk); read >= 0; read = reader.read(chunk)) {
                append(chunk, read);
            }
        } catch (IOException e) {
            // The process was destroyed while this thread was reading; what came so far is all
            // there is.
        }
        end();
    }

    private synchronized void append(char[] chunk, int length) {
        text.append(chunk, 0, length);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }
}
