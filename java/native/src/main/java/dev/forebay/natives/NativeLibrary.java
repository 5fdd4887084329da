// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Loads the shared library that the classes of this package call into.
 *
 * <p>The places, in order: the file or folder that {@code forebay.library.path} names (nothing else
 * is tried then: a library that was named must not be replaced by another one in silence), the
 * folders of {@code java.library.path}, and the resource beside this class. A library of which the
 * dynamic linker took hold is final, right or wrong: its symbols may already be bound to these
 * classes, so no second one is tried after it.
 *
 * <p>The JVM gives a path to one class loader only, and the linker recognises a file by its inode,
 * so two class loaders need two real copies. A resource is therefore always copied to a fresh
 * private folder below {@code forebay.library.workdir} (default {@code java.io.tmpdir}); a file
 * found on a path is used where it lies, and copied only if another class loader has it. The folder
 * is removed as soon as the library is mapped, unless {@code forebay.library.keep} is {@code true};
 * what a killed process leaves behind is swept by the next one that makes such a folder.
 *
 * <p>All methods may be called from any thread. The outcome is a value: the first call decides it,
 * and all others, waiting or later, get the same. This class has no static link to the classes that
 * use it and, with {@link PrivateFolder}, depends on nothing but the JDK, so that first uses in
 * many threads at once cannot deadlock on class initialisation.
 */
public final class NativeLibrary {
    /**
     * The layout of what crosses the boundary, as these classes know it; the library must report
     * the same.
     */
    static final int NATIVE_LAYOUT = 1;

    /** Names the library's file, or the folder that it lies in. */
    static final String PATH_PROPERTY = "forebay.library.path";

    private static final String NOT_A_PATH =
            "no path in this process; start the JVM in a UTF-8 locale (LC_ALL=C.UTF-8), or name a path in plain ASCII";

    /** Names the folder below which private copies are made. */
    static final String WORKDIR_PROPERTY = "forebay.library.workdir";

    /**
     * If {@code true}, a private copy stays, for profilers and for reading crash logs; nothing
     * sweeps it.
     */
    static final String KEEP_PROPERTY = "forebay.library.keep";

    /** Holds the header and the segment table of any library that a linker writes. */
    private static final int ELF_HEAD_BYTES = 4096;

    /** Attempts that are repeated because an interrupt broke into them. */
    private static final int MAX_INTERRUPTS = 16;

    private static final String BASE_NAME = "forebay";

    private static final Object LOADING = new Object();

    /** Null until the first call of {@link #load()} has come to an end. */
    private static volatile Outcome outcome;

    private NativeLibrary() {}

    /**
     * Loads the library, once; calls after the first cost one volatile read. The first one reads
     * files, and may write one; others wait for it.
     *
     * @throws NativeLibraryException if no library could be loaded or it belongs to another
     *     version; the text names every place that was tried, why it failed and what to do, and it
     *     is the same for all callers
     */
    public static void load() {
        Outcome known = outcome;
        if (known == null) {
            synchronized (LOADING) {
                if (outcome == null) {
                    outcome = attemptUninterrupted();
                }
                known = outcome;
            }
        }
        if (known.failure != null) {
            throw new NativeLibraryException(known.failure);
        }
    }

    /**
     * Whether the library is there. Never loads it and never waits.
     *
     * @return true from the moment at which a call of {@link #load()} has succeeded
     */
    public static boolean isLoaded() {
        Outcome known = outcome;
        return known != null && known.failure == null;
    }

    /**
     * What was loaded from where, or why nothing was, for logs. Never loads and never waits.
     *
     * @return one line if the library is loaded or was not asked for; otherwise the text of the
     *     failure
     */
    public static String describe() {
        Outcome known = outcome;
        if (known == null) {
            return "the Forebay native library has not been asked for yet";
        }
        return known.failure == null ? known.description : known.failure.getMessage();
    }

    /** The library's layout number in the upper half, its protocol number in the lower half. */
    private static native long version0();

    /** For a test that a defect of the library becomes a {@link NativeException}. */
    static native void panic0();

    /**
     * An interrupt closes the channel that its thread is using. Engines cancel tasks that way, and
     * a library that is given up for the life of the process must not be the price of it.
     */
    private static Outcome attemptUninterrupted() {
        boolean interrupted = Thread.interrupted();
        Outcome result = attempt();
        for (int i = 0; i < MAX_INTERRUPTS && result.failure != null && Thread.interrupted(); i++) {
            interrupted = true;
            result = attempt();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return result;
    }

    private static Outcome attempt() {
        try {
            return new Outcome(search(), null);
        } catch (NativeLibraryException e) {
            return new Outcome(null, e);
        } catch (RuntimeException | Error e) {
            // Even an error that nobody thought of is an outcome: trying again would leave a thread
            // to wonder.
            return new Outcome(
                    null,
                    new NativeLibraryException(
                            "Loading the Forebay native library broke: " + e, e));
        }
    }

    /** Null if the process cannot name such a file. */
    private static Path path(String first, String... more) {
        try {
            return Paths.get(first, more).toAbsolutePath();
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static String search() {
        String relocated = relocationProblem(NativeLibrary.class.getName());
        if (relocated != null) {
            throw new NativeLibraryException(relocated);
        }
        Attempts attempts = new Attempts();
        String explicit = System.getProperty(PATH_PROPERTY, "");
        if (!explicit.isEmpty()) {
            Path named = path(explicit);
            if (named == null) {
                attempts.skipped(PATH_PROPERTY + ": " + explicit, NOT_A_PATH);
                return attempts.orFail(null);
            }
            Path file = Files.isDirectory(named) ? named.resolve(attempts.fileName) : named;
            return attempts.orFail(loadInPlace(PATH_PROPERTY, file, attempts));
        }
        attempts.skipped(PATH_PROPERTY, "not set");
        String loaded = loadFromLibraryPath(attempts);
        return attempts.orFail(loaded == null ? loadBundled(attempts) : loaded);
    }

    private static String loadFromLibraryPath(Attempts attempts) {
        String libraryPath = System.getProperty("java.library.path", "");
        boolean found = false;
        for (Path file : candidates(libraryPath, attempts.fileName)) {
            if (Files.exists(file)) {
                found = true;
                String loaded = loadInPlace("java.library.path", file, attempts);
                if (loaded != null) {
                    return loaded;
                }
            }
        }
        if (!found) {
            attempts.skipped(
                    "java.library.path", "no " + attempts.fileName + " in '" + libraryPath + "'");
        }
        return null;
    }

    private static String loadInPlace(String property, Path file, Attempts attempts) {
        String origin = property + ": " + file;
        if (!Files.isRegularFile(file)) {
            attempts.skipped(origin, Files.exists(file) ? "not a regular file" : "no such file");
            return null;
        }
        Throwable refusal = link(file);
        if (refusal == null) {
            return confirm(origin);
        }
        if (isHeldByAnotherClassLoader(refusal)) {
            return loadCopy(origin, url(file), attempts);
        }
        attempts.failed(origin, refusal, file.getParent(), PATH_PROPERTY);
        return null;
    }

    private static String loadBundled(Attempts attempts) {
        // Relative to this very class: any other class loader may see another jar, or none.
        String resource = attempts.platform + "/" + attempts.fileName;
        URL source = NativeLibrary.class.getResource(resource);
        if (source == null) {
            attempts.skipped(
                    "bundled resource " + resource, "this build has no library for this platform");
            return null;
        }
        return loadCopy("bundled resource " + source, source, attempts);
    }

    private static String loadCopy(String origin, URL source, Attempts attempts) {
        String configured = System.getProperty(WORKDIR_PROPERTY, "");
        String named = configured.isEmpty() ? System.getProperty("java.io.tmpdir") : configured;
        Path work = path(named);
        if (work == null) {
            attempts.skipped(origin + ", copied to " + named, NOT_A_PATH);
            return null;
        }
        boolean keep = Boolean.getBoolean(KEEP_PROPERTY);
        Throwable refusal;
        String copied = "";
        try (PrivateFolder folder = PrivateFolder.make(work, keep)) {
            Path copy = folder.copy(source, attempts.fileName);
            refusal = link(copy);
            if (refusal == null) {
                folder.linked();
                copied =
                        ", by the private copy "
                                + copy
                                + (keep ? " (kept)" : " (removed once mapped)");
            }
        } catch (IOException e) {
            refusal = e;
        }
        if (refusal == null) {
            return confirm(origin + copied);
        }
        attempts.failed(
                origin + ", copied to a folder below " + work, refusal, work, WORKDIR_PROPERTY);
        return null;
    }

    /** Maps the file into this process; returns null, or why that failed. */
    private static Throwable link(Path file) {
        try {
            requireWhole(file);
            System.load(file.toString());
            return null;
        } catch (IOException | UnsatisfiedLinkError | RuntimeException e) {
            return e;
        }
    }

    /**
     * What is mapped now is what these classes will call, so a library of another version ends the
     * search.
     */
    private static String confirm(String origin) {
        long version;
        try {
            version = version0();
        } catch (UnsatisfiedLinkError e) {
            String text =
                    "The library loaded from %s is not a Forebay library, or too old to tell its version (%s)."
                            + " Remove it, or name another one with -D%s.";
            throw new NativeLibraryException(
                    String.format(Locale.ROOT, text, origin, e.getMessage(), PATH_PROPERTY), e);
        }
        String problem = versionProblem(version, origin);
        if (problem != null) {
            throw new NativeLibraryException(problem);
        }
        String text = "Forebay native library, layout %d, protocol %d, loaded from %s";
        return String.format(Locale.ROOT, text, (int) (version >>> 32), (int) version, origin);
    }

    /** The platform of this process. */
    static String platform() {
        return platform(
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                proc("/proc/self/maps"));
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("The JVM cannot express " + file + " as a URL.", e);
        }
    }

    // Decisions: functions of their arguments only, so that tables can test them.

    /**
     * The folder of the bundled library, such as {@code linux-x86_64}; unknown names pass through
     * in small letters.
     */
    static String platform(String osName, String osArch, String memoryMap) {
        String os = osName.toLowerCase(Locale.ROOT);
        if (os.contains("mac") || os.contains("darwin")) {
            os = "macos";
        } else if (os.startsWith("windows")) {
            os = "windows";
        }
        String arch = osArch.toLowerCase(Locale.ROOT);
        if (arch.equals("amd64") || arch.equals("x64")) {
            arch = "x86_64";
        } else if (arch.equals("arm64")) {
            arch = "aarch64";
        }
        String libc = os.equals("linux") && isMusl(memoryMap) ? "-musl" : "";
        return (os + "-" + arch).replaceAll("[^a-z0-9_-]", "_") + libc;
    }

    /**
     * Whether the process whose {@code /proc/self/maps} this is runs on musl. Files on disk prove
     * nothing: a machine may have both libraries.
     */
    static boolean isMusl(String memoryMap) {
        for (String line : memoryMap.split("\n")) {
            String file = line.substring(line.lastIndexOf('/') + 1);
            if (file.startsWith("ld-musl-") || file.startsWith("libc.musl-")) {
                return true;
            }
        }
        return false;
    }

    /** The library's file name on a platform that {@link #platform} named. */
    static String fileName(String platform) {
        if (platform.startsWith("windows-")) {
            return BASE_NAME + ".dll";
        }
        return "lib" + BASE_NAME + (platform.startsWith("macos-") ? ".dylib" : ".so");
    }

    /**
     * Where the library may lie on a search path. An empty entry would mean the working folder;
     * nobody means that.
     */
    static List<Path> candidates(String libraryPath, String fileName) {
        return Arrays.stream(libraryPath.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> path(folder, fileName))
                .filter(Objects::nonNull)
                .distinct()
                .collect(Collectors.toList());
    }

    /**
     * Null if this class has its own name; the comparison is built so that a shading tool does not
     * rewrite it.
     */
    static String relocationProblem(String actualName) {
        String expected = String.join(".", "dev", BASE_NAME, "natives", "NativeLibrary");
        if (actualName.equals(expected)) {
            return null;
        }
        String text =
                "The class %s was renamed to %s, probably by a shading tool. The native library exports its"
                        + " functions under the first name. Exclude the package from relocation.";
        return String.format(Locale.ROOT, text, expected, actualName);
    }

    /** Null if the library speaks the layout of these classes. */
    static String versionProblem(long version, String origin) {
        int layout = (int) (version >>> 32);
        if (layout == NATIVE_LAYOUT) {
            return null;
        }
        String text =
                "The library loaded from %s has layout %d (protocol %d), the Java classes have layout %d. Use a"
                        + " library and a jar of the same release; if an old library lies on a path, remove it.";
        return String.format(Locale.ROOT, text, origin, layout, (int) version, NATIVE_LAYOUT);
    }

    static boolean isHeldByAnotherClassLoader(Throwable refusal) {
        // The JVM has no type for it, but has kept the words since the first class loaders.
        return refusal instanceof UnsatisfiedLinkError
                && String.valueOf(refusal.getMessage()).contains("already loaded in another");
    }

    /** What went wrong, in words; the texts of some file exceptions are only a path. */
    static String reason(Throwable failure) {
        String detail =
                failure instanceof FileSystemException
                        ? ((FileSystemException) failure).getReason()
                        : failure.getMessage();
        return detail == null ? failure.toString() : detail;
    }

    /**
     * What to do about a failure, beyond naming another library; empty if nothing special comes to
     * mind.
     */
    static String advice(Throwable failure, String folder, String property, String mounts) {
        if (failure.getClass().getName().equals("java.lang.IllegalCallerException")) {
            return "Start the JVM with --enable-native-access=ALL-UNNAMED.";
        }
        if (failure instanceof UnsatisfiedLinkError) {
            return isNoexec(folder, mounts)
                    ? folder
                            + " is on a mount with the option noexec. Name a place on another mount with -D"
                            + property
                            + "."
                    : "";
        }
        return property.equals(WORKDIR_PROPERTY)
                ? "Name a folder that exists, is writable and has room with -D" + property + "."
                : "";
    }

    /**
     * Whether the mount that a real path lies on, by the text of {@code /proc/mounts}, forbids to
     * map code.
     */
    static boolean isNoexec(String path, String mounts) {
        String deepest = "";
        boolean noexec = false;
        for (String line : mounts.split("\n")) {
            String[] fields = line.split(" ");
            if (fields.length < 4) {
                continue;
            }
            String point =
                    fields[1]
                            .replace("\\040", " ")
                            .replace("\\011", "\t")
                            .replace("\\012", "\n")
                            .replace("\\134", "\\");
            boolean under = point.equals("/") || path.equals(point) || path.startsWith(point + "/");
            // Of two mounts on the same folder the later one covers the earlier.
            if (under && point.length() >= deepest.length()) {
                deepest = point;
                noexec = Arrays.asList(fields[3].split(",")).contains("noexec");
            }
        }
        return noexec;
    }

    /**
     * How long a file must be by its own tables, or 0 if the head is not that of a 64-bit ELF file
     * (the linker has the words for those). The linker maps a cut file without complaint, and the
     * JVM dies of SIGBUS at the missing pages.
     */
    static long elfLength(ByteBuffer head) {
        if (head.remaining() < 64 || head.getInt(0) != 0x7f454c46 || head.get(4) != 2) {
            return 0;
        }
        ByteBuffer elf =
                head.duplicate()
                        .order(head.get(5) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        long segments = elf.getLong(32);
        int segmentSize = elf.getShort(54) & 0xffff;
        int segmentCount = elf.getShort(56) & 0xffff;
        long sectionTableEnd =
                elf.getLong(40) + (elf.getShort(58) & 0xffffL) * (elf.getShort(60) & 0xffffL);
        long length = Math.max(sectionTableEnd, segments + (long) segmentSize * segmentCount);
        for (int i = 0; i < segmentCount; i++) {
            long segment = segments + (long) i * segmentSize;
            if (segment < 64 || segment + 40 > elf.limit()) {
                break;
            }
            length =
                    Math.max(
                            length,
                            elf.getLong((int) segment + 8) + elf.getLong((int) segment + 32));
        }
        return length;
    }

    private static void requireWhole(Path file) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(ELF_HEAD_BYTES);
        long size;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            size = channel.size();
            int read;
            do {
                read = channel.read(head);
            } while (read > 0);
        }
        head.flip();
        long expected = elfLength(head);
        if (size < expected) {
            String text = "%s: the file is cut, it has %d bytes and its own tables need %d";
            throw new UnsatisfiedLinkError(String.format(Locale.ROOT, text, file, size, expected));
        }
    }

    /** The text of a file of the proc file system; empty where there is none. */
    private static String proc(String path) {
        try {
            return new String(Files.readAllBytes(Paths.get(path)), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** How the only attempt ended: one of the two fields is null. */
    private static final class Outcome {
        final String description;
        final NativeLibraryException failure;

        Outcome(String description, NativeLibraryException failure) {
            this.description = description;
            this.failure = failure;
        }
    }

    /** What was looked for, and what each place answered, in order. */
    private static final class Attempts {
        final String platform;
        final String fileName;
        private final List<String> answers = new ArrayList<>();
        private final List<Throwable> failures = new ArrayList<>();

        Attempts() {
            platform = platform();
            fileName = NativeLibrary.fileName(platform);
        }

        void skipped(String place, String why) {
            answers.add(place + ": " + why);
        }

        void failed(String place, Throwable failure, Path folder, String property) {
            String realFolder;
            try {
                realFolder = folder.toRealPath().toString();
            } catch (IOException e) {
                realFolder = folder.toString();
            }
            String advice = advice(failure, realFolder, property, proc("/proc/mounts"));
            answers.add(place + ": " + reason(failure) + (advice.isEmpty() ? "" : ". " + advice));
            failures.add(failure);
        }

        String orFail(String description) {
            if (description != null) {
                return description;
            }
            StringBuilder text = new StringBuilder("Cannot load the Forebay native library ");
            text.append(fileName)
                    .append(" for the platform ")
                    .append(platform)
                    .append(". Tried in order:");
            for (int i = 0; i < answers.size(); i++) {
                text.append("\n  ").append(i + 1).append(". ").append(answers.get(i));
            }
            text.append("\nTo use a library of your own, name its file or folder with -D")
                    .append(PATH_PROPERTY);
            text.append("; it must be built for ").append(platform).append('.');
            NativeLibraryException failure = new NativeLibraryException(text.toString());
            failures.forEach(failure::addSuppressed);
            throw failure;
        }
    }
}
