// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

import dev.forebay.zeta.Lane;

import org.apache.seatunnel.api.configuration.Option;
import org.apache.seatunnel.api.configuration.Options;
import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.configuration.util.OptionRule;
import org.apache.seatunnel.api.source.Boundedness;

import java.io.Serializable;

/** The options of one {@code Probe} source. Immutable. */
final class ProbeOptions implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final Option<String> NAME = Options.key("name").stringType().noDefaultValue();
    private static final Option<Integer> SPLITS = Options.key("splits").intType().defaultValue(1);
    private static final Option<Long> ROWS = Options.key("rows").longType().defaultValue(100L);
    private static final Option<Boolean> BOUNDED =
            Options.key("bounded").booleanType().defaultValue(true);
    private static final Option<Lane> LANE =
            Options.key("lane").enumType(Lane.class).defaultValue(Lane.MANAGED);

    /** Of the {@link Probe}. */
    final String name;

    final int splits;

    /** Of each split. */
    final long rows;

    final Boundedness boundedness;
    final Lane lane;

    ProbeOptions(ReadonlyConfig config) {
        name = config.get(NAME);
        splits = config.get(SPLITS);
        rows = config.get(ROWS);
        boundedness = config.get(BOUNDED) ? Boundedness.BOUNDED : Boundedness.UNBOUNDED;
        lane = config.get(LANE);
    }

    static OptionRule rule() {
        return OptionRule.builder().required(NAME).optional(SPLITS, ROWS, BOUNDED, LANE).build();
    }
}
