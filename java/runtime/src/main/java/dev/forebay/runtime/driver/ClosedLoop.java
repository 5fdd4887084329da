// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.runtime.driver;

import dev.forebay.natives.Admission;
import dev.forebay.natives.NativeException;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Calls that may come after a loop was closed: the engine and other members do not know yet that it
 * is.
 */
final class ClosedLoop {
    private ClosedLoop() {}

    /** What the call answers, or that the source is not here, if the loop is closed. */
    static long rejecting(LongSupplier call) {
        try {
            return call.getAsLong();
        } catch (NativeException e) {
            if (e.code() == NativeException.CLOSED) {
                return Admission.unknown();
            }
            throw e;
        }
    }

    /** Whether the owner of the loop must be woken; nobody has to if the loop is closed. */
    static boolean waking(BooleanSupplier call) {
        return rejecting(() -> call.getAsBoolean() ? 1 : 0) == 1;
    }

    /** What the loop says of itself, or that it is closed. */
    static String describing(Supplier<String> call) {
        try {
            return call.get();
        } catch (NativeException e) {
            return "closed";
        }
    }
}
