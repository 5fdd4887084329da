// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testkit.Await;
import dev.forebay.testkit.RecordingSink;

import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What has arrived in the recording sink, as texts. */
final class Rows {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Rows() {}

    /** The rows that splits 0 to {@code splits} - 1 with so many rows each must bring. */
    static List<String> expected(int splits, long rows) {
        List<String> expected = new ArrayList<>();
        for (int split = 0; split < splits; split++) {
            for (long row = 0; row < rows; row++) {
                expected.add(split + "/" + row);
            }
        }
        return expected;
    }

    /** What was recorded so far, by the first two columns: split and row. */
    static List<String> recorded(String name) {
        return RecordingSink.rows(name).stream().map(Rows::text).collect(Collectors.toList());
    }

    private static String text(SeaTunnelRow row) {
        return row.getField(0) + "/" + row.getField(1);
    }

    static int count(String name) {
        return RecordingSink.arrivals(name).size();
    }

    static void await(String name, int count) {
        Await.until(count + " rows of " + name, LIMIT, () -> count(name) >= count);
    }

    /** Asserts that each expected row was recorded, no other, and none twice. */
    static void assertEachOnce(Collection<String> recorded, Collection<String> expected) {
        Map<String, Integer> surplus = surplus(recorded, expected);
        assertThat(surplus).as("rows too many (+) and missing (-)").isEmpty();
    }

    /** Asserts that each expected row was recorded, and no other. */
    static void assertEachAtLeastOnce(Collection<String> recorded, Collection<String> expected) {
        Map<String, Integer> surplus = surplus(recorded, expected);
        surplus.values().removeIf(count -> count > 0);
        assertThat(surplus).as("rows missing (-)").isEmpty();
        assertThat(expected).containsAll(recorded.stream().distinct().collect(Collectors.toList()));
    }

    private static Map<String, Integer> surplus(
            Collection<String> recorded, Collection<String> expected) {
        Map<String, Integer> surplus = new TreeMap<>();
        recorded.forEach(row -> surplus.merge(row, 1, Integer::sum));
        expected.forEach(row -> surplus.merge(row, -1, Integer::sum));
        surplus.values().removeIf(count -> count == 0);
        return surplus;
    }
}
