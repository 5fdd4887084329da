// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.impl.operationservice.Operation;

import dev.forebay.natives.Admission;
import dev.forebay.runtime.driver.CoordinatorDriver;
import dev.forebay.runtime.driver.ReaderDriver;

import java.io.IOException;
import java.util.UUID;

/**
 * Carries a batch of commands to a loop on another member, in both directions. On the operation
 * thread the batch is only validated and offered; nothing of a connector runs there and nothing
 * waits.
 */
public final class SourceCommandOperation extends Operation implements IdentifiedDataSerializable {
    private UUID runtimeId;
    private int subtask;
    private byte[] batch;
    private transient long answer;

    /** For deserialization. */
    public SourceCommandOperation() {}

    SourceCommandOperation(UUID runtimeId, int subtask, byte[] batch) {
        this.runtimeId = runtimeId;
        this.subtask = subtask;
        this.batch = batch;
    }

    @Override
    public void run() {
        SourceRegistry.Key key =
                new SourceRegistry.Key(
                        getNodeEngine().getLocalMember().getUuid(), runtimeId, subtask);
        if (subtask == SourceRegistry.COORDINATOR) {
            CoordinatorDriver<?, ?> coordinator = SourceRegistry.coordinator(key);
            answer = coordinator == null ? Admission.unknown() : coordinator.offerBatch(batch);
        } else {
            ReaderDriver<?, ?> reader = SourceRegistry.reader(key);
            answer = reader == null ? Admission.unknown() : reader.offerBatch(batch);
        }
    }

    @Override
    public Object getResponse() {
        return answer;
    }

    @Override
    protected void writeInternal(ObjectDataOutput out) throws IOException {
        super.writeInternal(out);
        out.writeLong(runtimeId.getMostSignificantBits());
        out.writeLong(runtimeId.getLeastSignificantBits());
        out.writeInt(subtask);
        out.writeByteArray(batch);
    }

    @Override
    protected void readInternal(ObjectDataInput in) throws IOException {
        super.readInternal(in);
        runtimeId = new UUID(in.readLong(), in.readLong());
        subtask = in.readInt();
        batch = in.readByteArray();
    }

    @Override
    public int getFactoryId() {
        return ForebayDataSerializerHook.FACTORY_ID;
    }

    @Override
    public int getClassId() {
        return ForebayDataSerializerHook.SOURCE_COMMAND;
    }
}
