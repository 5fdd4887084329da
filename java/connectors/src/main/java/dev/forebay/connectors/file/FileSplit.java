// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import org.apache.seatunnel.api.source.SourceSplit;

import java.net.URI;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Objects;

/**
 * The part of a file that is still to be read: from a line's start up to the size that the file had
 * when it was listed. Immutable.
 *
 * <p>Places are URIs, because a path as text loses bytes of file names that are not in the JVM's
 * own encoding.
 */
public final class FileSplit implements SourceSplit {
    private static final long serialVersionUID = 1L;

    private final String id;
    private final String uri;
    private final long size;
    private final long offset;
    private final String identity;
    private final String encoding;

    /**
     * @param id the path below the listed directory, percent-encoded as in a URI: unique and the
     *     same in each listing
     * @param uri where the file is: an absolute {@code file:} URI
     * @param size bytes of the file when it was listed; what is appended later is not read
     * @param offset byte at which the next line starts, 0 to {@code size}
     * @param identity what {@link FileIdentity} says of the file that a reader has opened; empty if
     *     none has, or if it is unknown
     * @param encoding the charset in which {@code offset} is the start of a line; empty if unknown
     */
    public FileSplit(
            String id, String uri, long size, long offset, String identity, String encoding) {
        this.id = id;
        this.uri = uri;
        this.size = size;
        this.offset = offset;
        this.identity = identity;
        this.encoding = encoding;
    }

    @Override
    public String splitId() {
        return id;
    }

    /** Where the file is: an absolute {@code file:} URI. */
    public String uri() {
        return uri;
    }

    /** Bytes of the file when it was listed. */
    public long size() {
        return size;
    }

    /** Byte at which the next line starts. */
    public long offset() {
        return offset;
    }

    /**
     * Tells the file that a reader has begun from another one of the same name; empty if none has,
     * or if it is unknown.
     */
    public String identity() {
        return identity;
    }

    /** The charset in which {@link #offset()} is the start of a line; empty if unknown. */
    public String encoding() {
        return encoding;
    }

    /** The same file, to be read from {@code nextOffset}. */
    public FileSplit at(long nextOffset) {
        return new FileSplit(id, uri, size, nextOffset, identity, encoding);
    }

    /** The same place, in the file that a reader has opened. */
    FileSplit openedAs(String openedIdentity) {
        return new FileSplit(id, uri, size, offset, openedIdentity, encoding);
    }

    /**
     * Where the file is on this machine.
     *
     * @throws IllegalArgumentException if the URI names no file on this machine
     */
    public Path path() {
        return Paths.get(URI.create(uri));
    }

    /** The path below the listed directory as people write it. */
    public String displayName() {
        // The slash keeps a colon in the name from being taken for the end of a URI scheme.
        return URI.create('/' + id).getPath().substring(1);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileSplit
                && ((FileSplit) other).id.equals(id)
                && ((FileSplit) other).uri.equals(uri)
                && ((FileSplit) other).size == size
                && ((FileSplit) other).offset == offset
                && ((FileSplit) other).identity.equals(identity)
                && ((FileSplit) other).encoding.equals(encoding);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, uri, size, offset, identity, encoding);
    }

    @Override
    public String toString() {
        return id + " at byte " + offset + " of " + size + " (" + uri + ")";
    }
}
