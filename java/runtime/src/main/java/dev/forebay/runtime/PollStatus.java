// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime;

/** What a poll turn left behind. */
public enum PollStatus {
    /** There is more: the runtime grants another turn as soon as nothing more urgent waits. */
    MORE_AVAILABLE,

    /**
     * Nothing to emit for now: the runtime asks {@link ManagedSourceReader#isAvailable()} and
     * grants the next turn when that future completes, when splits or the end of the splits arrive,
     * or when a new coordinator opens its channel to the reader. Checkpoints and their notices
     * grant none: what they make available, the future has to tell.
     */
    NOTHING_AVAILABLE,

    /** A bounded input is finished: the reader is polled no more. */
    END_OF_INPUT
}
