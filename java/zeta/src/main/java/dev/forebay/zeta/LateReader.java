// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.zeta;

import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.source.SourceReader;

import java.io.IOException;
import java.util.List;

/**
 * A reader that is made when the engine opens it, and closed when it fails. The engine asks for its
 * readers while it deploys their task group, and one that cannot be made then may stop it for ever:
 * 2.3.8 cancels the group's other workers, and waits for all of them to have started. It may also
 * forget to close the reader of a task that has failed: two tasks of one group that end together
 * both take the group's asynchronous functions off a map, and the second one meets a null ({@code
 * TaskExecutionService.cancelAsyncFunction}) on its way to the close.
 *
 * @param <T> the record type
 */
final class LateReader<T> implements SourceReader<T, EngineSplit> {
    private final Maker<T> maker;

    /** Made by the task thread, used by others as well; null until the engine has opened it. */
    private volatile SourceReader<T, EngineSplit> reader;

    /** Guarded by this. */
    private boolean closed;

    /** Makes the reader. */
    interface Maker<T> {
        SourceReader<T, EngineSplit> make() throws Exception;
    }

    LateReader(Maker<T> maker) {
        this.maker = maker;
    }

    @Override
    public void open() throws Exception {
        if (isClosed()) {
            throw new InterruptedException("the reader was closed before it was opened");
        }
        SourceReader<T, EngineSplit> made = maker.make();
        if (!take(made)) {
            // The close that came meanwhile has found nothing to close.
            made.close();
            throw new InterruptedException("the reader was closed while it was made");
        }
        closeIfFails(made::open);
    }

    private interface Call {
        void run() throws Exception;
    }

    private void closeIfFails(Call call) throws Exception {
        try {
            call.run();
        } catch (Throwable failure) {
            try {
                close();
            } catch (Throwable atClose) {
                if (atClose != failure) {
                    failure.addSuppressed(atClose);
                }
            }
            throw failure;
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** False: a close has come, and nobody else will close it. */
    private synchronized boolean take(SourceReader<T, EngineSplit> made) {
        if (!closed) {
            reader = made;
        }
        return !closed;
    }

    @Override
    public void pollNext(Collector<T> output) throws Exception {
        closeIfFails(() -> reader.pollNext(output));
    }

    @Override
    public List<EngineSplit> snapshotState(long checkpointId) throws Exception {
        if (reader == null) {
            throw new IllegalStateException(
                    "checkpoint " + checkpointId + " of a reader that is not open");
        }
        return reader.snapshotState(checkpointId);
    }

    @Override
    public void addSplits(List<EngineSplit> splits) {
        reader.addSplits(splits);
    }

    @Override
    public void handleNoMoreSplits() {
        reader.handleNoMoreSplits();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        if (reader != null) {
            reader.notifyCheckpointComplete(checkpointId);
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        if (reader != null) {
            reader.notifyCheckpointAborted(checkpointId);
        }
    }

    /**
     * Also called for a reader that was never opened, is being opened by another thread, or is
     * closed.
     */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
        }
        if (reader != null) {
            reader.close();
        }
    }
}
