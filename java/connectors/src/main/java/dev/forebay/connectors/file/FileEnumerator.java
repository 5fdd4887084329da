// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.ConnectorError;
import dev.forebay.connectors.ConnectorException;
import dev.forebay.connectors.OneLine;
import dev.forebay.connectors.PendingSplits;
import dev.forebay.connectors.RequestEnumerator;
import dev.forebay.runtime.CoordinatorScheduler;
import dev.forebay.runtime.ManagedSplitEnumerator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;

/**
 * Lists the files on a worker thread and hands them out in the order of their paths. A job restored
 * from a checkpoint that was taken after the listing does not list again.
 */
final class FileEnumerator extends RequestEnumerator<FileSplit> {
    private static final Logger LOG = LoggerFactory.getLogger(FileEnumerator.class);

    /** Long enough for millions of files on a slow network mount. */
    static final Duration LISTING_TIMEOUT = Duration.ofMinutes(10);

    private final CoordinatorScheduler scheduler;
    private final FileSettings settings;
    private CoordinatorScheduler.Cancellable listing;

    FileEnumerator(
            ManagedSplitEnumerator.Context<FileSplit> context,
            PendingSplits<FileSplit> restored,
            FileSettings settings) {
        super(context, restored);
        this.scheduler = context.getCoordinatorScheduler();
        this.settings = settings;
    }

    @Override
    protected void discover() {
        listing =
                scheduler.callAsync(
                        "list files",
                        new FileListing(settings.path, settings.recursive, settings.encoding),
                        this::listed,
                        LISTING_TIMEOUT);
    }

    private void listed(List<FileSplit> splits, Throwable failure) {
        if (failure instanceof ConnectorException) {
            throw (ConnectorException) failure;
        }
        if (failure != null) {
            throw new ConnectorException(
                    ConnectorError.LISTING_FAILED,
                    "listing '"
                            + settings.path
                            + "' failed or took longer than "
                            + LISTING_TIMEOUT.toMinutes()
                            + " minutes: "
                            + failure
                            + "; check that the path answers on the coordinator's machine",
                    failure);
        }
        if (splits.isEmpty()) {
            LOG.warn(
                    "ManagedFile: no file to read under '{}'; the source ends without rows",
                    OneLine.of(settings.path));
        } else if (splits.stream().allMatch(split -> split.size() == 0)) {
            LOG.warn(
                    "ManagedFile: all of the {} files under '{}' have 0 bytes; the source ends without rows. Files"
                            + " without a size, as in /proc, cannot be read",
                    splits.size(),
                    OneLine.of(settings.path));
        } else {
            LOG.info(
                    "ManagedFile: {} files to read under '{}'",
                    splits.size(),
                    OneLine.of(settings.path));
        }
        discovered(splits);
    }

    @Override
    public void close() {
        if (listing != null) {
            listing.cancel();
        }
    }
}
