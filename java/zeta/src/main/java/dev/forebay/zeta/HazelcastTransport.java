// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.cluster.Address;

import dev.forebay.natives.Admission;
import dev.forebay.runtime.driver.Transport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.UUID;
import java.util.function.LongConsumer;

/** Carries batches as operations of the engine's own cluster. Sending never waits. */
final class HazelcastTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(HazelcastTransport.class);

    private final Member member;
    private final UUID runtimeId;

    /** The member that knows the source's coordinator. */
    private volatile Address coordinator;

    /** Logged already: a failure comes again with each try. */
    private volatile Class<?> lastFailure;

    HazelcastTransport(Member member, UUID runtimeId) {
        this.member = member;
        this.runtimeId = runtimeId;
    }

    /** Host and port in UTF-8, as {@code host:port}. */
    @Override
    public byte[] address() {
        Address address = member.address();
        return (address.getHost() + ':' + address.getPort()).getBytes(StandardCharsets.UTF_8);
    }

    private static Address parse(byte[] bytes) throws UnknownHostException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int colon = text.lastIndexOf(':');
        return new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public void register(byte[] batch, LongConsumer answer) {
        ask(member.addresses().iterator(), batch, answer);
    }

    @Override
    public void toCoordinator(byte[] batch, LongConsumer answer) {
        Address known = coordinator;
        if (known == null) {
            // The answer to the registration was lost, the registration was not.
            ask(member.addresses().iterator(), batch, answer);
        } else {
            send(known, SourceRegistry.COORDINATOR, batch, answer);
        }
    }

    /** Asks member after member, this one first, until one knows the source. */
    private void ask(Iterator<Address> members, byte[] batch, LongConsumer answer) {
        if (!members.hasNext()) {
            answer.accept(Admission.unknown());
            return;
        }
        Address target = members.next();
        LongConsumer next =
                bits -> {
                    if (Admission.isUnknown(bits) || bits == Admission.undelivered()) {
                        ask(members, batch, answer);
                    } else {
                        coordinator = target;
                        answer.accept(bits);
                    }
                };
        send(target, SourceRegistry.COORDINATOR, batch, next);
    }

    @Override
    public void toReader(int subtask, byte[] address, byte[] batch, LongConsumer answer) {
        Address target;
        try {
            target = parse(address);
        } catch (UnknownHostException e) {
            answer.accept(Admission.undelivered());
            return;
        }
        send(target, subtask, batch, answer);
    }

    private void send(Address target, int subtask, byte[] batch, LongConsumer answer) {
        try {
            member.invoke(new SourceCommandOperation(runtimeId, subtask, batch), target)
                    .whenCompleteAsync(
                            (bits, failure) ->
                                    answer.accept(
                                            failure == null
                                                    ? (Long) bits
                                                    : undelivered(target, failure)),
                            Runnable::run);
        } catch (RuntimeException e) {
            // A member that shuts down refuses the invocation itself.
            answer.accept(undelivered(target, e));
        }
    }

    /** The core tries again and gives up by itself; why, is here only. */
    private long undelivered(Address target, Throwable failure) {
        if (!failure.getClass().equals(lastFailure)) {
            lastFailure = failure.getClass();
            LOG.warn("A command of source {} did not reach member {}.", runtimeId, target, failure);
        }
        return Admission.undelivered();
    }
}
