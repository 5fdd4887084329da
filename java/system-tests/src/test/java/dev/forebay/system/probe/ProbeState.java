// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.runtime.VersionedSerializer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the probe's enumerator remembers: whether it has looked for splits, and which no reader has.
 * Immutable.
 */
final class ProbeState {
    private final boolean discovered;
    private final List<ProbeSplit> unassigned;

    ProbeState(boolean discovered, Iterable<ProbeSplit> unassigned) {
        this.discovered = discovered;
        this.unassigned = new ArrayList<>();
        unassigned.forEach(this.unassigned::add);
    }

    boolean discovered() {
        return discovered;
    }

    List<ProbeSplit> unassigned() {
        return unassigned;
    }

    /** Text: {@code true} or {@code false}, then a comma and {@code index:next} for each split. */
    static final class Serializer implements VersionedSerializer<ProbeState> {
        @Override
        public int version() {
            return 1;
        }

        @Override
        public byte[] serialize(ProbeState state) {
            String splits =
                    state.unassigned.stream()
                            .map(split -> "," + split)
                            .collect(Collectors.joining());
            return (state.discovered + splits).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public ProbeState deserialize(int version, byte[] bytes) throws IOException {
            String[] parts = new String(bytes, StandardCharsets.UTF_8).split(",");
            List<ProbeSplit> splits = new ArrayList<>();
            for (int i = 1; i < parts.length; i++) {
                splits.add(ProbeSplit.parse(parts[i]));
            }
            return new ProbeState(Boolean.parseBoolean(parts[0]), splits);
        }
    }
}
