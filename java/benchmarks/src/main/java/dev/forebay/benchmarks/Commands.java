// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.benchmarks;

import dev.forebay.natives.LoopIdentity;
import dev.forebay.natives.SplitList;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Commands that a coordinator would send to one reader, as the Rust core writes them; the byte
 * table stands in {@code rust-core/src/command/envelope.rs}. One thread.
 */
final class Commands {
    static final int HEADER_BYTES = 120;

    private static final int SPLIT_LIST_OVERHEAD = 8;

    private static final byte READER_EPOCH_START = 1;
    private static final byte ASSIGN_SPLITS = 2;
    private static final byte RECONSTRUCTABLE = 2;
    private static final byte CHECKPOINT_COUPLED = 3;

    private static final int CHECKSUM_AT = 4;
    private static final int CHECKED_FROM = 8;
    private static final int SEQUENCE_AT = 80;
    private static final int ID_AT = 88;

    private static final UUID COORDINATOR = new UUID(31, 32);

    private final LoopIdentity reader;
    private final UUID runtime = new UUID(11, 12);
    private final UUID attempt = new UUID(21, 22);
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer[] window;
    private long sequence = 1;

    /**
     * @param count commands of a window
     * @param payloadBytes of each command, more than 8
     */
    Commands(int count, int payloadBytes) {
        reader = new LoopIdentity(7, runtime, attempt, new byte[32]);
        byte[] payload =
                SplitList.encode(
                        Collections.singletonList(new byte[payloadBytes - SPLIT_LIST_OVERHEAD]));
        window = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            window[i] = envelope(ASSIGN_SPLITS, CHECKPOINT_COUPLED, payload);
        }
    }

    /** Who the commands are for. */
    LoopIdentity reader() {
        return reader;
    }

    /** The command that opens the channel. */
    byte[] opening() {
        return seal(envelope(READER_EPOCH_START, RECONSTRUCTABLE, new byte[0]), 0);
    }

    /** Makes the window hold the next commands of the channel. */
    void next(byte[][] into) {
        for (int i = 0; i < window.length; i++) {
            into[i] = seal(window[i], sequence++);
        }
    }

    private ByteBuffer envelope(byte kind, byte durability, byte[] payload) {
        ByteBuffer envelope =
                ByteBuffer.allocate(HEADER_BYTES + payload.length).order(ByteOrder.LITTLE_ENDIAN);
        envelope.put(new byte[] {'F', 'B', 'C', '1'}).putInt(0);
        envelope.putShort((short) 1)
                .put(kind)
                .put(durability)
                .putShort((short) 1)
                .putShort((short) 0);
        envelope.putInt(payload.length).putInt(0);
        putId(envelope, runtime);
        putId(envelope, COORDINATOR);
        putId(envelope, attempt);
        long epoch = 1;
        envelope.putLong(epoch).putLong(0).putLong(0).putLong(0);
        long cut = 0;
        envelope.putLong(cut).putLong(7);
        return envelope.put(payload);
    }

    private static void putId(ByteBuffer out, UUID id) {
        out.putLong(id.getLeastSignificantBits()).putLong(id.getMostSignificantBits());
    }

    private byte[] seal(ByteBuffer envelope, long withSequence) {
        byte[] bytes = envelope.array();
        envelope.putLong(SEQUENCE_AT, withSequence).putLong(ID_AT, withSequence);
        crc.reset();
        crc.update(bytes, CHECKED_FROM, bytes.length - CHECKED_FROM);
        envelope.putInt(CHECKSUM_AT, (int) crc.getValue());
        return bytes;
    }
}
