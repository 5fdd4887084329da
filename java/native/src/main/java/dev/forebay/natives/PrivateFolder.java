// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.Locale;
import java.util.UUID;

/**
 * A fresh folder for one private copy of the library, and the sweep of what killed processes left
 * of theirs.
 *
 * <p>Invariant: a lock on a file in the folder is held for as long as its owner needs the folder,
 * so a folder whose lock can be had belongs to nobody who lives. A folder's name is random and
 * never used again. The only folders without a lock are empty, and removing an empty folder hurts
 * nobody: an owner who finds its new folder gone makes another.
 *
 * <p>Part of {@link NativeLibrary}, which uses it under its own lock, from one thread.
 */
final class PrivateFolder implements Closeable {
    private static final String PREFIX = "forebay-native-";

    /** Not matched by the prefix that the sweep looks for. */
    private static final String KEPT_PREFIX = "forebay-kept-";

    private static final String LOCK_NAME = "lock";

    /** A sweeper can take a folder away only before its lock is held, which takes microseconds. */
    private static final int MAX_TRIES = 16;

    /**
     * Tells this JVM's folders from others', for all class loaders in it. To close any channel on a
     * file gives up all locks that the process has on it, so a sweep must not even open the lock of
     * a sibling in its own process; and the process id alone is not enough, since containers that
     * share a folder share small ids.
     */
    private static final String PROCESS_PROPERTY = "forebay.library.process";

    /**
     * Referenced for the life of the class, or the collector would close the channel and give up
     * the lock.
     */
    private static FileChannel lockForLife;

    private final Path folder;
    private final FileChannel lock;
    private final boolean keep;
    private boolean linked;

    private PrivateFolder(Path folder, FileChannel lock, boolean keep) {
        this.folder = folder;
        this.lock = lock;
        this.keep = keep;
    }

    /**
     * Makes and locks a fresh folder, and sweeps what dead processes left beside it.
     *
     * @throws IOException if that is impossible below {@code work}
     */
    static PrivateFolder make(Path work, boolean keep) throws IOException {
        if (!Files.isDirectory(work)) {
            throw new IOException(
                    Files.exists(work)
                            ? work + " is not a folder"
                            : "the folder " + work + " does not exist");
        }
        String process = processName();
        for (int i = 0; i < MAX_TRIES; i++) {
            // Created with access for its owner only, where the file system knows owners.
            Path folder =
                    Files.createTempDirectory(
                            work,
                            (keep ? KEPT_PREFIX : PREFIX) + processId() + "-" + process + "-");
            FileChannel lock = lock(folder);
            if (lock != null) {
                sweep(work, process, folder);
                return new PrivateFolder(folder, lock, keep);
            }
        }
        throw new IOException(
                "sweeping processes took away "
                        + MAX_TRIES
                        + " fresh folders in a row below "
                        + work);
    }

    /** Null if a sweeper was faster; the folder is gone then, or will be in a moment. */
    private static FileChannel lock(Path folder) throws IOException {
        Path file = folder.resolve(LOCK_NAME);
        FileChannel channel;
        try {
            channel =
                    FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (NoSuchFileException e) {
            return null;
        }
        boolean locked = false;
        try {
            // A lock on a file that a sweeper has unlinked in between protects nothing.
            locked = channel.tryLock() != null && Files.exists(file);
        } finally {
            if (!locked) {
                channel.close();
                remove(folder);
            }
        }
        return locked ? channel : null;
    }

    /** Copies the library into this folder and makes sure that all of it arrived. */
    Path copy(URL source, String fileName) throws IOException {
        URLConnection connection = source.openConnection();
        // A cached connection would keep the jar open for the life of the process.
        connection.setUseCaches(false);
        Path target = folder.resolve(fileName);
        try (InputStream in = connection.getInputStream()) {
            long expected = connection.getContentLengthLong();
            long copied = Files.copy(in, target);
            long written = Files.size(target);
            if (written != copied || (expected >= 0 && copied != expected)) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "of %d bytes %d were read and %d are in %s",
                                expected,
                                copied,
                                written,
                                target));
            }
        }
        return target;
    }

    /** From now on somebody may want to look at the copy, if it is to be kept. */
    void linked() {
        linked = true;
    }

    /** Removes the folder, unless it is to stay or the system does not remove a mapped file. */
    @Override
    public void close() {
        if ((linked && keep) || !remove(folder)) {
            lockForLife = lock;
            return;
        }
        try {
            lock.close();
        } catch (IOException e) {
            // The file is unlinked, so nobody can be waiting for its lock.
        }
    }

    /** Housekeeping: whatever goes wrong here is no reason to fail the load. */
    private static void sweep(Path work, String process, Path own) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(work, PREFIX + "*")) {
            UserPrincipal self = Files.getOwner(own);
            for (Path folder : folders) {
                if (!folder.getFileName().toString().contains(process)) {
                    sweepIfOwnerIsDead(folder, self);
                }
            }
        } catch (IOException | DirectoryIteratorException | UnsupportedOperationException e) {
            // The next load will try again; where files have no owners, nobody sweeps.
        }
    }

    private static void sweepIfOwnerIsDead(Path folder, UserPrincipal self) {
        try {
            // In a folder for everybody, another user's folder could be a link into ours.
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    || !self.equals(Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS))) {
                return;
            }
            try (FileChannel channel =
                            FileChannel.open(
                                    folder.resolve(LOCK_NAME),
                                    StandardOpenOption.WRITE,
                                    LinkOption.NOFOLLOW_LINKS);
                    FileLock lock = channel.tryLock()) {
                if (lock != null) {
                    remove(folder);
                }
            } catch (NoSuchFileException e) {
                // Its owner died, or is, just before it made the lock; only an empty folder can
                // be removed this way.
                Files.deleteIfExists(folder);
            }
        } catch (IOException | OverlappingFileLockException e) {
            // Not ours to touch, or not removable now.
        }
    }

    /** The lock goes last, so that a folder in which anything is left can still be swept. */
    private static boolean remove(Path folder) {
        Path lock = folder.resolve(LOCK_NAME);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (!file.equals(lock)) {
                    Files.delete(file);
                }
            }
            Files.deleteIfExists(lock);
            Files.deleteIfExists(folder);
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
    }

    private static String processName() {
        String fresh = UUID.randomUUID().toString();
        Object present = System.getProperties().putIfAbsent(PROCESS_PROPERTY, fresh);
        return present == null ? fresh : present.toString();
    }

    /** For the reader of a folder listing; nothing is decided by it. */
    private static String processId() {
        try {
            // By reflection, since these classes also run on Java 8; management beans would
            // load a module for it.
            Class<?> handle = Class.forName("java.lang.ProcessHandle");
            Object current = handle.getMethod("current").invoke(null);
            return handle.getMethod("pid").invoke(current).toString();
        } catch (ReflectiveOperationException e) {
            Path self = Paths.get("/proc/self");
            try {
                return Files.readSymbolicLink(self).toString();
            } catch (IOException | UnsupportedOperationException noProc) {
                return "unknown";
            }
        }
    }
}
