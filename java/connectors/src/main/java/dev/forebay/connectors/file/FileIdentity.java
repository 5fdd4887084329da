// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells a file from another one that has its name later: its inode. Not the device, which the same
 * network mount has another number for on each machine and after each boot, and not the time of the
 * last change, which is another one as soon as something is appended.
 *
 * <p>It is taken by the reader that opens the file first, not by the listing: members that each
 * have a copy of the files have other inodes, and it is the copy that was begun which must be read
 * on.
 */
final class FileIdentity {
    private static final Pattern INODE = Pattern.compile("ino=\\d+");

    private FileIdentity() {}

    /** Empty if the file system gives none. */
    private static String of(BasicFileAttributes attributes) {
        Object key = attributes.fileKey();
        Matcher inode = INODE.matcher(String.valueOf(key));
        return inode.find() ? inode.group() : "";
    }

    /**
     * As {@link #of(BasicFileAttributes)}, and empty also where files do not keep their inodes:
     * file systems in user space may number their files as they are looked at, so there a file may
     * seem to be another one.
     */
    static String of(Path file, BasicFileAttributes attributes) {
        return isKept(file) ? of(attributes) : "";
    }

    private static boolean isKept(Path file) {
        try {
            return !Files.getFileStore(file).type().startsWith("fuse");
        } catch (IOException | SecurityException e) {
            return false; // what cannot be known is not checked
        }
    }
}
