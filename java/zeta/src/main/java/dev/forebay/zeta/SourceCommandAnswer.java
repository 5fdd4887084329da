// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

import java.io.IOException;

/** The answer to a {@link SourceCommandOperation}. Not changed once it is on its way. */
public final class SourceCommandAnswer implements IdentifiedDataSerializable {
    private long bits;
    private String failure;

    /** For deserialization. */
    public SourceCommandAnswer() {}

    SourceCommandAnswer(long bits, String failure) {
        this.bits = bits;
        this.failure = failure;
    }

    /** What became of the batch, as {@link dev.forebay.natives.Admission} reads it. */
    long bits() {
        return bits;
    }

    /** Why the coordinator that was asked serves no new reader; null if it does. */
    String failure() {
        return failure;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeLong(bits);
        out.writeString(failure);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        bits = in.readLong();
        failure = in.readString();
    }

    @Override
    public int getFactoryId() {
        return ForebayDataSerializerHook.FACTORY_ID;
    }

    @Override
    public int getClassId() {
        return ForebayDataSerializerHook.SOURCE_COMMAND_ANSWER;
    }
}
