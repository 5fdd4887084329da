// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.SplitCodec;
import dev.forebay.connectors.StateReader;
import dev.forebay.connectors.StateWriter;

import java.io.IOException;

/**
 * The bytes of a {@link FileSplit}, version 2. Version 1 ends before the identity.
 *
 * <pre>
 * bytes  type   content
 * 4      i32    length n of the id
 * n      UTF-8  id, percent-encoded path below the listed directory
 * 4      i32    length m of the URI
 * m      UTF-8  URI of the file, starting with "file:"
 * 8      i64    size of the file when it was listed
 * 8      i64    offset of the next line, 0 to size
 * 4      i32    length k of the identity
 * k      UTF-8  identity of the file that was listed, or nothing
 * 4      i32    length l of the encoding
 * l      UTF-8  charset in which the offset is the start of a line, or nothing
 * </pre>
 */
final class FileSplitCodec implements SplitCodec<FileSplit> {

    @Override
    public int version() {
        return 2;
    }

    @Override
    public int minBytes() {
        return 2 * Integer.BYTES + 2 * Long.BYTES;
    }

    @Override
    public void write(FileSplit split, StateWriter out) throws IOException {
        out.writeText(split.splitId());
        out.writeText(split.uri());
        out.writeLong(split.size());
        out.writeLong(split.offset());
        out.writeText(split.identity());
        out.writeText(split.encoding());
    }

    @Override
    public FileSplit read(int version, StateReader in) throws IOException {
        boolean older = version == 1;
        FileSplit split =
                new FileSplit(
                        in.readText(),
                        in.readText(),
                        in.readLong(),
                        in.readLong(),
                        older ? "" : in.readText(),
                        older ? "" : in.readText());
        if (split.offset() < 0 || split.offset() > split.size()) {
            throw in.damaged(
                    "byte "
                            + split.offset()
                            + " lies outside of a file of "
                            + split.size()
                            + " bytes");
        }
        try {
            split.displayName();
            split.path();
        } catch (RuntimeException e) {
            // Several kinds, depending on what is wrong with the URI; all say that it names no
            // file.
            throw in.damaged(
                    "no file has the URI '"
                            + split.uri()
                            + "' and the id '"
                            + split.splitId()
                            + "'");
        }
        return split;
    }
}
