// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Finds what the engine keeps to itself, by name and type; another version of the engine may not
 * have it, and so nothing of it is ever missed with an exception. Any thread.
 */
final class Hidden {
    private static final Logger LOG = LoggerFactory.getLogger(Hidden.class);

    /** The object behind a reader's context. */
    static final String FLOW = "org.apache.seatunnel.engine.server.task.flow.SourceFlowLifeCycle";

    private Hidden() {}

    /** What a public method without arguments answers; null if there is none, or it fails. */
    static Object call(Object target, String name) {
        Method method = method(target, name);
        try {
            return method == null ? null : method.invoke(target);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** A public method without arguments; null if there is none. */
    static Method method(Object target, String name) {
        try {
            return target.getClass().getMethod(name);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** What is in the field that is declared with this type; null if it cannot be read. */
    static Object fieldOfType(Object target, String type) {
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

    /** A boolean field, of any superclass as well; null if it cannot be used. */
    static Field flag(Object target, String name) {
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
