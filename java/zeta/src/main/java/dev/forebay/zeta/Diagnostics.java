// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

/**
 * What a person wants to see of a process whose sources seem to stand still. Any thread; never
 * waits.
 */
public final class Diagnostics {
    private Diagnostics() {}

    /** The state of each reader and coordinator of this process, a line each. */
    public static String describe() {
        return SourceRegistry.describe();
    }

    /**
     * Bytes that the mailboxes of all sources of this process hold of the budget that they share.
     */
    public static long mailboxBytes() {
        return SourceRegistry.budget().used();
    }
}
