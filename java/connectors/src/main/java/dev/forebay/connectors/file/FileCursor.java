// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.SplitCursor;

import org.apache.seatunnel.api.common.metrics.Counter;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletableFuture;

/** Emits the lines of one file. */
final class FileCursor implements SplitCursor<FileSplit> {
    private static final CompletableFuture<Void> AT_ONCE = CompletableFuture.completedFuture(null);

    /** Makes a row of a line and the place in the file where it starts. */
    interface RowMaker {
        SeaTunnelRow row(String line, long offset);
    }

    private final FileSplit split;
    private final LineScanner lines;
    private final LineDecoder decoder;
    private final FileSettings settings;
    private final Counter cutLines;
    private final RowMaker rows;

    FileCursor(
            FileSplit split,
            LineScanner lines,
            LineDecoder decoder,
            FileSettings settings,
            Counter cutLines,
            RowMaker rows) {
        this.split = split;
        this.lines = lines;
        this.decoder = decoder;
        this.settings = settings;
        this.cutLines = cutLines;
        this.rows = rows;
    }

    @Override
    public boolean isFinished() {
        return lines.isFinished();
    }

    @Override
    public Step step(Collector<SeaTunnelRow> output) throws IOException {
        boolean found = advance();
        if (lines.isOverlong() && settings.longLine == LongLine.FAIL) {
            throw FileFailures.lineTooLong(split, lines.lineOffset(), settings.maxLineBytes);
        }
        if (!found) {
            return Step.SEARCHED;
        }
        output.collect(rows.row(text(), lines.lineOffset()));
        return Step.EMITTED;
    }

    private boolean advance() throws IOException {
        try {
            return lines.advance();
        } catch (ClosedByInterruptException e) {
            throw e; // the job is being cancelled; nothing is wrong with the file
        } catch (EOFException e) {
            throw FileFailures.truncated(split, lines.lineOffset(), lines.readOffset());
        } catch (IOException e) {
            throw FileFailures.unreadable(split, lines.lineOffset(), e);
        }
    }

    private String text() {
        if (!lines.isOverlong()) {
            return decoder.decode(lines.buffer(), lines.lineStart(), lines.lineLength());
        }
        cutLines.inc();
        return decoder.decodeCut(lines.buffer(), lines.lineStart(), lines.lineLength());
    }

    @Override
    public FileSplit position() {
        // While a line is looked for, this is its start: it is emitted in one piece or not at all.
        return split.at(lines.nextOffset());
    }

    @Override
    public CompletableFuture<Void> whenAvailable() {
        return AT_ONCE; // reading a local file counts as not waiting
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
