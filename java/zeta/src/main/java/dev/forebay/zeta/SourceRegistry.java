// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import dev.forebay.natives.NativeBudget;
import dev.forebay.runtime.driver.CoordinatorDriver;
import dev.forebay.runtime.driver.ReaderDriver;

import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The loops that live in this process, by member, source and subtask; where operations find whom
 * they are for. A newer life of a loop replaces an older one that nobody has closed yet. Any
 * thread; never waits.
 */
final class SourceRegistry {
    /** The subtask that stands for the coordinator. */
    static final int COORDINATOR = -1;

    private static final long WORKER_BUDGET_BYTES = 256L << 20;

    private static final ConcurrentMap<Key, ReaderDriver<?, ?>> READERS = new ConcurrentHashMap<>();
    private static final ConcurrentMap<Key, CoordinatorDriver<?, ?>> COORDINATORS =
            new ConcurrentHashMap<>();

    private SourceRegistry() {}

    private static NativeBudget budget;

    /**
     * The mailbox bytes that all sources of this process share; made when the first loop is.
     *
     * @throws dev.forebay.natives.NativeException if the library cannot be loaded, for each caller
     *     anew
     */
    static synchronized NativeBudget budget() {
        // Not in a static initializer: its failure would reach later callers without the message.
        if (budget == null) {
            budget = new NativeBudget(WORKER_BUDGET_BYTES);
        }
        return budget;
    }

    static void add(Key key, ReaderDriver<?, ?> driver) {
        READERS.put(key, driver);
    }

    static void add(Key key, CoordinatorDriver<?, ?> driver) {
        COORDINATORS.put(key, driver);
    }

    static void remove(Key key, ReaderDriver<?, ?> driver) {
        READERS.remove(key, driver);
    }

    static void remove(Key key, CoordinatorDriver<?, ?> driver) {
        COORDINATORS.remove(key, driver);
    }

    static ReaderDriver<?, ?> reader(Key key) {
        return READERS.get(key);
    }

    static CoordinatorDriver<?, ?> coordinator(Key key) {
        return COORDINATORS.get(key);
    }

    /** All loops of this process in words, for a dump. */
    static String describe() {
        TreeSet<String> lines = new TreeSet<>();
        READERS.forEach((key, driver) -> lines.add(key + " " + driver.describe()));
        COORDINATORS.forEach((key, driver) -> lines.add(key + " " + driver.describe()));
        return String.join(System.lineSeparator(), lines);
    }

    /** Where a loop is. */
    static final class Key {
        private final UUID member;
        private final UUID runtimeId;
        private final int subtask;

        Key(UUID member, UUID runtimeId, int subtask) {
            this.member = member;
            this.runtimeId = runtimeId;
            this.subtask = subtask;
        }

        static Key ofCoordinator(UUID member, UUID runtimeId) {
            return new Key(member, runtimeId, COORDINATOR);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key
                    && ((Key) other).member.equals(member)
                    && ((Key) other).runtimeId.equals(runtimeId)
                    && ((Key) other).subtask == subtask;
        }

        @Override
        public int hashCode() {
            return Objects.hash(member, runtimeId, subtask);
        }

        @Override
        public String toString() {
            return runtimeId + (subtask == COORDINATOR ? " coordinator" : " reader " + subtask);
        }
    }
}
