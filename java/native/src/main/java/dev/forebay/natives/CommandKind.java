// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

/**
 * The kinds of the commands that a process offers to its own loops; the numbers are those of the C
 * header.
 */
public final class CommandKind {
    /** The engine orders a snapshot; the number is the checkpoint's id. */
    public static final int BARRIER = 5;

    /** A checkpoint is complete; the number is its id. */
    public static final int CHECKPOINT_COMPLETE = 6;

    /** A checkpoint will never be complete; the number is its id. */
    public static final int CHECKPOINT_ABORTED = 7;

    /** The engine opens the enumerator. */
    public static final int OPEN_ENUMERATOR = 20;

    /** The engine starts the enumerator. */
    public static final int RUN_ENUMERATOR = 21;

    private CommandKind() {}
}
