// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.spi.impl.InternalCompletableFuture;
import com.hazelcast.spi.impl.NodeEngine;

import dev.forebay.runtime.driver.ManagedSourceException;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The cluster member that this code runs on. Any thread. */
final class Member {
    /**
     * Offering takes microseconds; a member that does not answer for this long is as good as gone.
     */
    private static final long CALL_TIMEOUT_MILLIS = 5_000;

    private final NodeEngine engine;

    private Member(NodeEngine engine) {
        this.engine = engine;
    }

    /**
     * The member behind a context that the engine has handed in. A process has one member as a
     * rule; where it has more, the context knows which one it belongs to.
     */
    static Member of(Object engineContext) {
        List<HazelcastInstance> instances = new ArrayList<>(Hazelcast.getAllHazelcastInstances());
        if (instances.isEmpty()) {
            throw new ManagedSourceException(
                    "there is no Hazelcast member in this process: a managed source runs on the Zeta engine only");
        }
        HazelcastInstance instance =
                instances.size() == 1 ? instances.get(0) : MemberBehind.context(engineContext);
        if (instance instanceof HazelcastInstanceProxy) {
            instance = ((HazelcastInstanceProxy) instance).getOriginal();
        }
        return new Member(((HazelcastInstanceImpl) instance).node.getNodeEngine());
    }

    UUID id() {
        return engine.getLocalMember().getUuid();
    }

    Address address() {
        return engine.getThisAddress();
    }

    /** All members, this one first. */
    Set<Address> addresses() {
        Set<Address> addresses = new LinkedHashSet<>();
        addresses.add(address());
        engine.getClusterService()
                .getMembers()
                .forEach(member -> addresses.add(member.getAddress()));
        return addresses;
    }

    InternalCompletableFuture<Object> invoke(SourceCommandOperation operation, Address target) {
        // The core tries again by its own rules: a second retry inside would hide a lost member
        // from it.
        return engine.getOperationService()
                .createInvocationBuilder(null, operation, target)
                .setTryCount(1)
                .setCallTimeout(CALL_TIMEOUT_MILLIS)
                .invoke();
    }
}
