// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.runtime.ManagedSourceCapability;
import dev.forebay.runtime.PollStatus;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A test's end of a {@code Probe} source in the same JVM, found by the name that the job gives it:
 * records every callback, runs what the test wants run inside of it, and says which rows may be
 * emitted. Any thread.
 */
public final class Probe {
    private static final ConcurrentMap<String, Probe> PROBES = new ConcurrentHashMap<>();

    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final Map<Callback, Hook> hooks = new ConcurrentHashMap<>();
    private final AtomicInteger lives = new AtomicInteger();
    private final Gates gates = new Gates();
    private volatile UnaryOperator<PollStatus> answer = UnaryOperator.identity();
    private volatile UnaryOperator<CompletableFuture<Void>> availability = UnaryOperator.identity();

    private volatile UnaryOperator<ManagedSourceCapability> capability = UnaryOperator.identity();

    private Probe() {}

    /** What a test wants to happen inside of a callback, before the connector does its part. */
    public interface Hook {
        void at(Call call) throws Exception;
    }

    public static Probe named(String name) {
        return PROBES.computeIfAbsent(name, key -> new Probe());
    }

    /** Replaces what happens inside of a callback. */
    public Probe on(Callback callback, Hook hook) {
        hooks.put(callback, hook);
        return this;
    }

    /** Makes a callback fail, as often as it is called. */
    public Probe failAt(Callback callback, String message) {
        return on(
                callback,
                call -> {
                    throw new IllegalStateException(message);
                });
    }

    /** Replaces the answers of all polls. */
    public Probe answerPolls(UnaryOperator<PollStatus> replacement) {
        answer = replacement;
        return this;
    }

    /** Replaces the futures that say when to poll again. */
    public Probe answerAvailability(UnaryOperator<CompletableFuture<Void>> replacement) {
        availability = replacement;
        return this;
    }

    /** Replaces what readers say they can do. */
    public Probe answerCapability(UnaryOperator<ManagedSourceCapability> replacement) {
        capability = replacement;
        return this;
    }

    /** Which rows may be emitted; all of them unless a test says otherwise. */
    public Gates gates() {
        return gates;
    }

    /** All calls so far, in the order in which they began. */
    public List<Call> calls() {
        return calls.stream()
                .sorted((a, b) -> Long.compare(a.begin(), b.begin()))
                .collect(Collectors.toList());
    }

    /** The calls of one callback so far. */
    public List<Call> calls(Callback callback) {
        return calls().stream()
                .filter(call -> call.callback() == callback)
                .collect(Collectors.toList());
    }

    public long count(Callback callback) {
        return calls.stream().filter(call -> call.callback() == callback).count();
    }

    /** The calls of one callback for one subtask so far. */
    public long count(Callback callback, int subtask) {
        return calls.stream()
                .filter(call -> call.callback() == callback && call.subtask() == subtask)
                .count();
    }

    int newLife() {
        return lives.incrementAndGet();
    }

    PollStatus answer(PollStatus status) {
        return answer.apply(status);
    }

    CompletableFuture<Void> availability(CompletableFuture<Void> future) {
        return availability.apply(future);
    }

    ManagedSourceCapability capability(ManagedSourceCapability declared) {
        return capability.apply(declared);
    }

    /** Records a call, and within it runs the test's part and then the connector's. */
    <V> V during(Callback callback, int life, int subtask, long number, Supplier<V> body) {
        Call call = new Call(callback, life, subtask, number);
        calls.add(call);
        try {
            hooks.getOrDefault(callback, nothing -> {}).at(call);
            return body.get();
        } catch (Exception e) {
            throw Probe.<RuntimeException>asItIs(e);
        } finally {
            call.ended();
        }
    }

    /** Not every callback declares what connectors throw all the same. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> E asItIs(Exception e) throws E {
        throw (E) e;
    }
}
