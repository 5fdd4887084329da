// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import org.apache.seatunnel.api.source.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * What the engine can do for one reader beyond its public API: each ability saves time and is used
 * only if it is there, none is needed for a correct result. Owner of the reader's turn.
 */
final class EngineAbilities {
    private static final Logger LOG = LoggerFactory.getLogger(EngineAbilities.class);

    /** Knows whether the engine is about to close its reader. */
    private final Object flow;

    private final Method prepareClose;

    /**
     * The collector's note that the last poll was empty; looked up when the first collector is
     * seen.
     */
    private Field empty;

    private boolean emptyLookedUp;

    EngineAbilities(Object readerContext) {
        flow = Hidden.fieldOfType(readerContext, Hidden.FLOW);
        prepareClose = flow == null ? null : Hidden.method(flow, "getPrepareClose");
        if (prepareClose == null) {
            LOG.info(
                    "This engine does not tell when it closes a reader; its thread is given back at each checkpoint.");
        }
    }

    /** Whether the engine is about to close the reader, or may be. */
    boolean preparesClose() {
        if (prepareClose == null) {
            return true;
        }
        try {
            return (Boolean) prepareClose.invoke(flow);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Tells the engine not to sleep 100 ms because nothing was emitted. On the task thread. */
    void skipSleep(Collector<?> collector) {
        if (!emptyLookedUp) {
            emptyLookedUp = true;
            empty = Hidden.flag(collector, "emptyThisPollNext");
            if (empty == null) {
                LOG.info("This engine always sleeps 100 ms after a poll that emitted nothing.");
            }
        }
        if (empty != null) {
            try {
                empty.setBoolean(collector, false);
            } catch (IllegalAccessException e) {
                LOG.debug("The engine sleeps 100 ms.", e);
            }
        }
    }
}
