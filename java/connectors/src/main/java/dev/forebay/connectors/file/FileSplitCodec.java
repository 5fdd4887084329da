// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.SplitCodec;
import dev.forebay.connectors.StateReader;
import dev.forebay.connectors.StateWriter;

import java.io.IOException;

/**
 * The bytes of a {@link FileSplit}, version 3. Version 1 ends before the identity. Version 2 has
 * the same bytes, but its identity was taken on the machine that listed: it says something of the
 * reader's file only if a reader has begun that, and so found it to be the same.
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
 * k      UTF-8  identity of the file that a reader has opened, or nothing
 * 4      i32    length l of the encoding
 * l      UTF-8  charset in which the offset is the start of a line, or nothing
 * </pre>
 */
final class FileSplitCodec implements SplitCodec<FileSplit> {

    @Override
    public int version() {
        return 3;
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
        FileSplit split = readFields(version, in);
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

    private static FileSplit readFields(int version, StateReader in) throws IOException {
        String id = in.readText();
        String uri = in.readText();
        long size = in.readLong();
        long offset = in.readLong();
        if (version == 1) {
            return new FileSplit(id, uri, size, offset, "", "");
        }
        String identity = in.readText();
        String encoding = in.readText();
        boolean ofTheListing = version == 2 && offset == 0;
        return new FileSplit(id, uri, size, offset, ofTheListing ? "" : identity, encoding);
    }
}
