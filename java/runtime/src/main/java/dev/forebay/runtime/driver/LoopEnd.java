// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.NativeReader;

/** What the cause with which the core has ended a loop means for the user. Any thread. */
final class LoopEnd {
    private LoopEnd() {}

    /**
     * @param who whose loop has ended
     * @param cause as the loop's last step names it; both loops count them alike
     * @param text why the core has ended the loop, if it knows
     * @param state the loop's state in words
     * @return null if the loop was cancelled, which is no failure
     */
    static Throwable asFailure(String who, long cause, String text, String state) {
        if (cause == NativeReader.CANCEL) {
            return null;
        }
        if (cause == NativeReader.RESERVE_EXHAUSTED) {
            return reserveExhausted(who, state);
        }
        return new ManagedSourceException(
                text.isEmpty()
                        ? "the source has failed (" + state + ")"
                        : "the source has failed: " + text);
    }

    /** A control command found no room. */
    static ManagedSourceException reserveExhausted(String who, String state) {
        return new ManagedSourceException(
                "the reserve of the "
                        + who
                        + "'s mailbox is exhausted: checkpoint orders and notices came faster than it could take"
                        + " them, because a callback of the connector does not return, a sink holds the"
                        + " checkpoint lock, or checkpoints follow too closely ("
                        + state
                        + "); make callbacks return sooner or raise the checkpoint interval");
    }
}
