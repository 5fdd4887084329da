// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.ConnectorException;
import dev.forebay.connectors.CursorReader;
import dev.forebay.connectors.SourceTable;
import dev.forebay.connectors.SplitCursor;

import org.apache.seatunnel.api.common.metrics.Counter;
import org.apache.seatunnel.api.common.metrics.MetricsContext;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Opens the files of one reader. Used in the reader's turns only. */
final class FileOpener implements CursorReader.Opener<FileSplit> {
    /** Lines with bytes that mean nothing in the charset. */
    static final String MALFORMED_LINES = "forebay_file_malformed_lines_total";

    /** Lines of which only the first bytes were emitted. */
    static final String CUT_LINES = "forebay_file_cut_lines_total";

    private static final int CHUNK_BYTES = 64 * 1024;

    private final FileSettings settings;
    private final SourceTable table;
    private final TextEncoding encoding;
    private final Counter malformedLines;
    private final Counter cutLines;

    FileOpener(FileSettings settings, SourceTable table, MetricsContext metrics) {
        this.settings = settings;
        this.table = table;
        this.encoding = TextEncoding.named(settings.encoding);
        this.malformedLines = metrics.counter(MALFORMED_LINES);
        this.cutLines = metrics.counter(CUT_LINES);
    }

    @Override
    public SplitCursor<FileSplit> open(FileSplit split) throws IOException {
        FileChannel channel = null;
        try {
            Path path = split.path();
            checkEncoding(split);
            checkRegular(Files.readAttributes(path, BasicFileAttributes.class));
            channel = FileChannel.open(path, StandardOpenOption.READ);
            // Looked at again when it is open, so that this is about the file that will be read.
            return cursor(
                    opened(split, path, Files.readAttributes(path, BasicFileAttributes.class)),
                    channel);
        } catch (ConnectorException e) {
            closeQuietly(channel, e);
            throw e;
        } catch (ClosedByInterruptException e) {
            throw e; // the job is being cancelled; nothing is wrong with the file
        } catch (IOException e) {
            closeQuietly(channel, e);
            throw FileFailures.unreadable(split, split.offset(), e);
        }
    }

    private void checkEncoding(FileSplit split) {
        if (!split.encoding().isEmpty() && !split.encoding().equals(settings.encoding)) {
            throw FileFailures.encodingChanged(split, settings.encoding);
        }
    }

    private static void checkRegular(BasicFileAttributes now) throws IOException {
        if (!now.isRegularFile()) {
            // Opening a pipe would wait for a writer.
            throw new IOException("it is no regular file any more");
        }
    }

    /** The split of the file that is open; from now on it must be this one. */
    private static FileSplit opened(FileSplit split, Path path, BasicFileAttributes now) {
        String identity = FileIdentity.of(path, now);
        // A file system that gives no identity (any more) proves nothing.
        boolean comparable = !split.identity().isEmpty() && !identity.isEmpty();
        if (comparable && !split.identity().equals(identity)) {
            throw FileFailures.replaced(split, identity);
        }
        if (now.size() < split.size()) {
            throw FileFailures.truncated(split, split.offset(), now.size());
        }
        return split.identity().isEmpty() ? split.openedAs(identity) : split;
    }

    private FileCursor cursor(FileSplit split, FileChannel channel) throws IOException {
        byte[] head = new byte[TextEncoding.HEAD_BYTES];
        // No further than the split goes: what was appended since the listing is not there.
        int length =
                Math.max(
                        channel.read(
                                ByteBuffer.wrap(head, 0, (int) Math.min(head.length, split.size())),
                                0),
                        0);
        TextEncoding resolved = encoding.forFile(head, length);
        long from = Math.max(split.offset(), resolved.markLength(head, length));
        LineScanner scanner =
                new LineScanner(
                        channel.position(from),
                        resolved,
                        from,
                        split.size(),
                        settings.maxLineBytes,
                        CHUNK_BYTES);
        LineDecoder decoder = new LineDecoder(resolved.charset(), malformedLines);
        return new FileCursor(split, scanner, decoder, settings, cutLines, rowsOf(split));
    }

    private FileCursor.RowMaker rowsOf(FileSplit split) {
        if (!settings.metadata) {
            return (line, offset) -> table.row(line);
        }
        String file = split.displayName();
        return (line, offset) -> table.row(line, file, offset);
    }

    private static void closeQuietly(FileChannel channel, Exception failure) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
