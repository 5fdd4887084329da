// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.fake;

/**
 * The text in the column {@code payload}: {@code length} ASCII characters that split and row
 * determine. Immutable.
 */
public final class FakePayload {
    private static final String ALPHABET =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

    /** Every payload is a window of this, so that making one is a copy and no computation. */
    private final String pattern;

    private final int length;

    /**
     * @param length characters of each payload, at least 0
     */
    public FakePayload(int length) {
        this.length = length;
        StringBuilder repeated = new StringBuilder(length + 2 * ALPHABET.length());
        while (repeated.length() < length + ALPHABET.length()) {
            repeated.append(ALPHABET);
        }
        this.pattern = repeated.toString();
    }

    /** The payload of row {@code row} of split {@code split}. */
    public String of(long split, long row) {
        int start = (int) Math.floorMod(31 * split + row, (long) ALPHABET.length());
        return pattern.substring(start, start + length);
    }
}
