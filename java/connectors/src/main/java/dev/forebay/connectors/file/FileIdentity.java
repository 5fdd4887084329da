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
 */
final class FileIdentity {
    private static final Pattern INODE = Pattern.compile("ino=\\d+");

    private FileIdentity() {}

    /** Empty if the file system gives none. */
    static String of(BasicFileAttributes attributes) {
        Object key = attributes.fileKey();
        Matcher inode = INODE.matcher(String.valueOf(key));
        return inode.find() ? inode.group() : "";
    }

    /**
     * Whether files below this directory keep their inodes. File systems in user space may number
     * their files as they are looked at, so there a file may seem to be another one.
     */
    static boolean isKept(Path directory) {
        try {
            return !Files.getFileStore(directory).type().startsWith("fuse");
        } catch (IOException | SecurityException e) {
            return false; // what cannot be known is not checked
        }
    }
}
