// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.core.HazelcastInstance;

import dev.forebay.runtime.driver.ManagedSourceException;

/**
 * The member that the engine runs a reader or an enumerator on. Its public API does not tell; it
 * must be known where a process has several, as commands would go to another one's loops. Any
 * thread.
 */
final class MemberBehind {
    private static final String ENUMERATOR_TASK =
            "org.apache.seatunnel.engine.server.task.SourceSplitEnumeratorTask";

    private MemberBehind() {}

    /**
     * @param context a reader's or an enumerator's, as the engine has handed it in
     */
    static HazelcastInstance context(Object context) {
        Object owner = Hidden.fieldOfType(context, Hidden.FLOW);
        Object task =
                owner == null
                        ? Hidden.fieldOfType(context, ENUMERATOR_TASK)
                        : Hidden.call(owner, "getRunningTask");
        Object execution = task == null ? null : Hidden.call(task, "getExecutionContext");
        Object instance = execution == null ? null : Hidden.call(execution, "getInstance");
        if (!(instance instanceof HazelcastInstance)) {
            throw new ManagedSourceException(
                    "there are several Hazelcast members in this process and this engine does not tell which one runs"
                            + " the source: run one member per process");
        }
        return (HazelcastInstance) instance;
    }
}
