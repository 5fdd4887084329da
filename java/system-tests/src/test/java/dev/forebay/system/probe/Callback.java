// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.system.probe;

/** What the runtime calls on the probe connector. */
public enum Callback {
    READER_CREATE(Side.READER),
    READER_OPEN(Side.READER),
    READER_ADD_SPLITS(Side.READER),
    READER_NO_MORE_SPLITS(Side.READER),
    READER_POLL(Side.READER),
    READER_IS_AVAILABLE(Side.READER),
    READER_SNAPSHOT(Side.READER),
    READER_COMPLETE(Side.READER),
    READER_ABORTED(Side.READER),
    READER_CLOSE(Side.READER),

    ENUMERATOR_CREATE(Side.ENUMERATOR),
    ENUMERATOR_OPEN(Side.ENUMERATOR),
    ENUMERATOR_ADD_SPLITS_BACK(Side.ENUMERATOR),
    ENUMERATOR_REGISTER_READER(Side.ENUMERATOR),
    ENUMERATOR_RUN(Side.ENUMERATOR),
    /** The handler of the call that discovers the splits. */
    ENUMERATOR_DISCOVERED(Side.ENUMERATOR),
    ENUMERATOR_REQUEST_SPLIT(Side.ENUMERATOR),
    ENUMERATOR_SNAPSHOT(Side.ENUMERATOR),
    ENUMERATOR_COMPLETE(Side.ENUMERATOR),
    ENUMERATOR_ABORTED(Side.ENUMERATOR),
    ENUMERATOR_CLOSE(Side.ENUMERATOR),

    /** On a worker thread, beside the enumerator. */
    DISCOVER(Side.NONE),
    /** Within another callback of either side. */
    SERIALIZE_SPLIT(Side.NONE),
    /** On the way from one side to the other. */
    DESERIALIZE_SPLIT(Side.NONE);

    /** Whose callback it is; two callbacks of one object on the same side never overlap. */
    public enum Side {
        READER,
        ENUMERATOR,
        NONE
    }

    private final Side side;

    Callback(Side side) {
        this.side = side;
    }

    public Side side() {
        return side;
    }
}
