// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import dev.forebay.connectors.ConnectorError;
import dev.forebay.connectors.ConnectorException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.regex.PatternSyntaxException;

/**
 * Finds the files that a path names, as splits in the order of their paths. Runs on a worker thread
 * and stops when that is interrupted.
 *
 * <p>A path that exists is taken as it is, even if it looks like a glob. Below a directory, names
 * that start with a dot are skipped unless a glob names them, links to directories are not
 * followed, and of the rest regular files and links to such are taken. What cannot be looked at
 * fails the listing, because a file left out silently would be lost data; so does a glob that no
 * file matches, because it is a mistake more often than not.
 */
final class FileListing implements Callable<List<FileSplit>> {
    private final String pathText;
    private final boolean recursive;
    private final String encoding;

    /**
     * @param encoding the charset that the splits are to be read in
     */
    FileListing(String pathText, boolean recursive, String encoding) {
        this.pathText = pathText;
        this.recursive = recursive;
        this.encoding = encoding;
    }

    /**
     * @throws ConnectorException if the path does not exist, or something below it cannot be looked
     *     at
     */
    @Override
    public List<FileSplit> call() throws InterruptedIOException {
        String loss = PathText.lossAsName(pathText);
        if (loss != null) {
            throw failure(loss);
        }
        try {
            BasicFileAttributes attributes = attributesIfPresent();
            if (attributes != null) {
                return listExisting(Paths.get(pathText).toAbsolutePath(), attributes);
            }
            if (!FileGlob.hasWildcard(pathText)) {
                throw failure("it does not exist");
            }
            return listGlob(FileGlob.parse(pathText));
        } catch (InterruptedIOException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw failure("'" + e.getFile() + "' does not exist", e);
        } catch (PatternSyntaxException e) {
            throw failure("it does not exist, and it is no valid glob: " + e.getDescription(), e);
        } catch (InvalidPathException e) {
            throw failure("it is no valid path: " + e.getReason(), e);
        } catch (IOException e) {
            throw failure(e.toString(), e);
        }
    }

    private BasicFileAttributes attributesIfPresent() throws IOException {
        try {
            return Files.readAttributes(Paths.get(pathText), BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private List<FileSplit> listExisting(Path path, BasicFileAttributes attributes)
            throws IOException {
        if (attributes.isDirectory()) {
            return walk(
                    path.toRealPath(),
                    recursive ? Integer.MAX_VALUE : 1,
                    file -> true,
                    below -> false);
        }
        if (!attributes.isRegularFile()) {
            throw failure("it is neither a regular file nor a directory");
        }
        // A link to a file goes by its own name, as it does inside of a directory.
        Path directory = path.getParent().toRealPath();
        Path file = directory.resolve(path.getFileName());
        return splits(directory, Collections.singletonMap(file, attributes));
    }

    private List<FileSplit> listGlob(FileGlob glob) throws IOException {
        if (!recursive) {
            throw failure(
                    "recursive = false is for directories, and this is a glob, which says itself how deep it"
                            + " goes ('*' stays in a directory, '**' does not); leave 'recursive' out");
        }
        Path base = glob.base().toRealPath();
        List<FileSplit> splits =
                walk(
                        base,
                        glob.depth(),
                        file -> glob.matches(base.relativize(file)),
                        path -> glob.namesHidden(base.relativize(path)));
        if (splits.isEmpty()) {
            throw failure(
                    "no file below '"
                            + base
                            + "' matches this glob (a wildcard matches no dot at the start of a name)");
        }
        return splits;
    }

    private List<FileSplit> walk(
            Path base, int depth, Predicate<Path> wanted, Predicate<Path> namedHidden)
            throws IOException {
        Visitor visitor = new Visitor(base, wanted, namedHidden);
        Files.walkFileTree(base, Collections.emptySet(), depth, visitor);
        return splits(base, visitor.files);
    }

    private List<FileSplit> splits(Path base, Map<Path, BasicFileAttributes> files) {
        int baseLength = base.toUri().toString().length();
        List<FileSplit> splits = new ArrayList<>(files.size());
        files.forEach(
                (file, attributes) -> {
                    String uri = file.toUri().toString();
                    String id = uri.substring(baseLength);
                    // No identity: a reader may be on another machine, with a copy of the file.
                    splits.add(new FileSplit(id, uri, attributes.size(), 0, "", encoding));
                });
        return splits;
    }

    private ConnectorException failure(String problem) {
        return new ConnectorException(ConnectorError.LISTING_FAILED, message(problem));
    }

    private ConnectorException failure(String problem, Exception cause) {
        return new ConnectorException(ConnectorError.LISTING_FAILED, message(problem), cause);
    }

    private String message(String problem) {
        return "cannot list '"
                + pathText
                + "' (from directory '"
                + Paths.get("").toAbsolutePath()
                + "'): "
                + problem
                + "; correct the option 'path', or make it readable for the engine";
    }

    /**
     * Collects attributes by path; a sorted map, because the order of a directory differs between
     * machines and days.
     */
    private final class Visitor extends SimpleFileVisitor<Path> {
        private final Map<Path, BasicFileAttributes> files = new TreeMap<>();
        private final Path base;
        private final Predicate<Path> wanted;
        private final Predicate<Path> namedHidden;

        Visitor(Path base, Predicate<Path> wanted, Predicate<Path> namedHidden) {
            this.base = base;
            this.wanted = wanted;
            this.namedHidden = namedHidden;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return isHidden(directory) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("listing '" + pathText + "' was called off");
            }
            if (isHidden(file) || !wanted.test(file)) {
                return FileVisitResult.CONTINUE;
            }
            BasicFileAttributes target =
                    attributes.isSymbolicLink() ? attributesOfTarget(file) : attributes;
            if (target.isRegularFile()) {
                files.put(file, target);
            }
            return FileVisitResult.CONTINUE;
        }

        private BasicFileAttributes attributesOfTarget(Path link) {
            try {
                return Files.readAttributes(link, BasicFileAttributes.class);
            } catch (IOException e) {
                throw failure("the link '" + link + "' leads nowhere (" + e + ")", e);
            }
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException problem) {
            // What went away since its directory was read was not there when it was listed.
            if (isHidden(file) || problem instanceof NoSuchFileException && !file.equals(base)) {
                return FileVisitResult.CONTINUE;
            }
            throw failure("'" + file + "' cannot be looked at (" + problem + ")", problem);
        }

        private boolean isHidden(Path path) {
            return !path.equals(base)
                    && path.getFileName().toString().startsWith(".")
                    && !namedHidden.test(path);
        }
    }
}
