// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.cluster.Address;

import dev.forebay.natives.Admission;
import dev.forebay.runtime.driver.Transport;

import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.UUID;
import java.util.function.LongConsumer;

/** Carries batches as operations of the engine's own cluster. Sending never waits. */
final class HazelcastTransport implements Transport {
    private final Member member;
    private final UUID runtimeId;

    /** The member that took the registration. */
    private volatile Address coordinator;

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

    /** Asks member after member, this one first, until one knows the source. */
    @Override
    public void register(byte[] batch, LongConsumer answer) {
        ask(member.addresses().iterator(), batch, answer, Admission.unknown());
    }

    private void ask(Iterator<Address> members, byte[] batch, LongConsumer answer, long last) {
        if (!members.hasNext()) {
            answer.accept(last);
            return;
        }
        Address target = members.next();
        send(
                target,
                SourceRegistry.COORDINATOR,
                batch,
                bits -> {
                    if (Admission.isTaken(bits)) {
                        coordinator = target;
                        answer.accept(bits);
                    } else if (Admission.isUnknown(bits) || bits == Admission.undelivered()) {
                        ask(members, batch, answer, last);
                    } else {
                        answer.accept(bits);
                    }
                });
    }

    @Override
    public void toCoordinator(byte[] batch, LongConsumer answer) {
        send(coordinator, SourceRegistry.COORDINATOR, batch, answer);
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
        member.invoke(new SourceCommandOperation(runtimeId, subtask, batch), target)
                .whenCompleteAsync(
                        (bits, failure) ->
                                answer.accept(
                                        failure == null ? (Long) bits : Admission.undelivered()),
                        Runnable::run);
    }
}
