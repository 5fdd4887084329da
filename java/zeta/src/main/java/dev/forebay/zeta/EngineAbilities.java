// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.core.HazelcastInstance;

import dev.forebay.runtime.driver.ManagedSourceException;

import org.apache.seatunnel.api.source.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * What the engine can do beyond its public API, found by name and type and used only if it is
 * there: each ability saves time, none is needed for a correct result.
 */
final class EngineAbilities {
    private static final Logger LOG = LoggerFactory.getLogger(EngineAbilities.class);

    /**
     * The object behind a reader's context that knows whether the engine is about to close the
     * reader.
     */
    private static final String FLOW =
            "org.apache.seatunnel.engine.server.task.flow.SourceFlowLifeCycle";

    private final Object flow;
    private final Method prepareClose;

    /**
     * The collector's note that the last poll was empty; looked up when the first collector is
     * seen.
     */
    private Field empty;

    private boolean emptyLookedUp;

    EngineAbilities(Object readerContext) {
        flow = fieldOfType(readerContext, FLOW);
        prepareClose = flow == null ? null : method(flow, "getPrepareClose");
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
            empty = field(collector, "emptyThisPollNext");
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

    /** The member that a reader's or an enumerator's context belongs to. */
    static HazelcastInstance instanceBehind(Object context) {
        Object owner = fieldOfType(context, FLOW);
        Object task =
                owner == null
                        ? fieldOfType(context, ENUMERATOR_TASK)
                        : call(owner, "getRunningTask");
        Object execution = task == null ? null : call(task, "getExecutionContext");
        Object instance = execution == null ? null : call(execution, "getInstance");
        if (!(instance instanceof HazelcastInstance)) {
            throw new ManagedSourceException(
                    "there are several Hazelcast members in this process and this engine does not tell which one runs"
                            + " the source: run one member per process");
        }
        return (HazelcastInstance) instance;
    }

    private static final String ENUMERATOR_TASK =
            "org.apache.seatunnel.engine.server.task.SourceSplitEnumeratorTask";

    private static Object call(Object target, String name) {
        Method method = method(target, name);
        try {
            return method == null ? null : method.invoke(target);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static Method method(Object target, String name) {
        try {
            return target.getClass().getMethod(name);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static Object fieldOfType(Object target, String type) {
        for (Field field : target.getClass().getDeclaredFields()) {
            if (field.getType().getName().equals(type)) {
                try {
                    field.setAccessible(true);
                    return field.get(target);
                } catch (ReflectiveOperationException | RuntimeException e) {
                    LOG.debug("The field {} cannot be read.", field, e);
                }
            }
        }
        return null;
    }

    private static Field field(Object target, String name) {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.getType() == boolean.class ? field : null;
            } catch (NoSuchFieldException e) {
                LOG.trace("Not in {}.", type);
            } catch (RuntimeException e) {
                return null;
            }
        }
        return null;
    }
}
