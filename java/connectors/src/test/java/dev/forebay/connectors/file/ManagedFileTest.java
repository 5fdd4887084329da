// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.connectors.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.connectors.Budget;
import dev.forebay.connectors.ConnectorException;
import dev.forebay.connectors.CursorReader;
import dev.forebay.connectors.Damage;
import dev.forebay.connectors.ManualTime;
import dev.forebay.connectors.MiniRuntime;
import dev.forebay.connectors.PendingSplits;
import dev.forebay.connectors.Rows;
import dev.forebay.connectors.StateWriter;
import dev.forebay.connectors.TestEnumeratorContext;
import dev.forebay.connectors.TestReaderContext;
import dev.forebay.runtime.ManagedSplitEnumerator;
import dev.forebay.runtime.PollStatus;

import org.apache.seatunnel.api.configuration.ReadonlyConfig;
import org.apache.seatunnel.api.source.Boundedness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class ManagedFileTest {
    @TempDir Path root;

    private final Map<String, Object> options = new HashMap<>();
    private final TestReaderContext context = TestReaderContext.bounded();

    private ManagedFileSource source() {
        options.putIfAbsent("path", root.toString());
        return new ManagedFileSource(ReadonlyConfig.fromMap(options));
    }

    private Path write(String name, byte[] content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, content);
    }

    private Path write(String name, String content) throws IOException {
        return write(name, content.getBytes(StandardCharsets.UTF_8));
    }

    private FileSplit split(String name) throws IOException {
        return new FileListing(root.resolve(name).toString(), true, encoding()).call().get(0);
    }

    private String encoding() {
        return Charset.forName(options.getOrDefault("encoding", "UTF-8").toString()).name();
    }

    private CursorReader<FileSplit> reader(FileSplit... splits) {
        CursorReader<FileSplit> reader = source().reader(context, new ManualTime().pace(0));
        reader.addSplits(Arrays.asList(splits));
        reader.handleNoMoreSplits();
        return reader;
    }

    private static Rows drain(CursorReader<FileSplit> reader) throws Exception {
        Rows rows = new Rows();
        while (reader.pollNextManaged(rows, Budget.of(64)) != PollStatus.END_OF_INPUT) {
            assertThat(reader.snapshotState(1).size()).isLessThanOrEqualTo(1);
        }
        reader.close();
        return rows;
    }

    private List<Object> linesOf(String name) throws Exception {
        return drain(reader(split(name))).column(0);
    }

    @Test
    void everyLineOnceAcrossRestarts() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int file = 0; file < 7; file++) {
            StringBuilder content = new StringBuilder();
            for (int line = 0; line < file * 10; line++) {
                content.append("file ")
                        .append(file)
                        .append(" line ")
                        .append(line)
                        .append(line % 2 == 0 ? "\n" : "\r\n");
                expected.add("file " + file + " line " + line);
            }
            write("dir" + file % 3 + "/f" + file, content.toString());
        }
        Collections.sort(expected);
        for (int seed = 0; seed < 60; seed++) {
            List<Object> lines = new MiniRuntime<>(source(), 1 + seed % 3, seed).run(25).column(0);
            assertThat(lines).as("seed %s", seed).containsExactlyInAnyOrder(expected.toArray());
        }
    }

    @Test
    void metadataSaysFileAndPlace() throws Exception {
        options.put("metadata", true);
        write("sub/a b.log", "\ufeffone\r\ntwo\n\nlast");
        Rows rows = new MiniRuntime<>(source(), 1, 1).run(0);
        assertThat(rows.column(0)).containsExactly("one", "two", "", "last");
        assertThat(rows.column(1)).containsOnly("sub/a b.log");
        assertThat(rows.column(2)).containsExactly(3L, 8L, 12L, 13L);
        assertThat(source().getProducedCatalogTables().get(0).getTableSchema().getFieldNames())
                .containsExactly("line", "file", "offset");
    }

    @Test
    void withoutMetadataThereIsOneColumn() {
        assertThat(source().getProducedCatalogTables().get(0).getTableSchema().getFieldNames())
                .containsExactly("line");
        assertThat(source().getBoundedness()).isEqualTo(Boundedness.BOUNDED);
        assertThat(source().getPluginName()).isEqualTo("ManagedFile");
    }

    @Test
    void encodingsAndMarks() throws Exception {
        for (String encoding : new String[] {"UTF-8", "UTF-16LE", "UTF-16BE", "GB18030"}) {
            options.put("encoding", encoding);
            write("marked", "\ufeffone\u4e2d\r\n\ufefftwo\u0a0a".getBytes(encoding));
            assertThat(linesOf("marked"))
                    .as(encoding)
                    .containsExactly("one\u4e2d", "\ufefftwo\u0a0a");
        }
        options.put("encoding", "UTF-16");
        write("high first", "\ufeffa\nb".getBytes("UTF-16BE"));
        write("low first", "\ufeffa\nb".getBytes("UTF-16LE"));
        write("unmarked", "a\nb".getBytes("UTF-16BE"));
        for (String name : new String[] {"high first", "low first", "unmarked"}) {
            assertThat(linesOf(name)).as(name).containsExactly("a", "b");
            FileSplit second = split(name).at(name.equals("unmarked") ? 4 : 6);
            assertThat(drain(reader(second)).column(0)).as("resumed " + name).containsExactly("b");
        }
        write("mark only", "\ufeff".getBytes("UTF-16LE"));
        assertThat(linesOf("mark only")).isEmpty();
    }

    @Test
    void aRestartFromAnySnapshotGivesTheRest() throws Exception {
        StringBuilder content = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            content.append(String.join("", Collections.nCopies(i * 7 % 900, "x")))
                    .append(i)
                    .append('\n');
        }
        write("f", content.toString());
        List<Object> all = linesOf("f");
        CursorReader<FileSplit> reader = reader(split("f"));
        Rows rows = new Rows();
        while (reader.pollNextManaged(rows, Budget.of(1)) != PollStatus.END_OF_INPUT) {
            List<FileSplit> snapshot = reader.snapshotState(1);
            List<Object> rest = drain(reader(snapshot.toArray(new FileSplit[0]))).column(0);
            assertThat(rest).isEqualTo(all.subList(rows.size(), all.size()));
        }
        reader.close();
    }

    @Test
    void malformedLinesAreReadAndCounted() throws Exception {
        write("f", new byte[] {'a', (byte) 0xff, '\n', 'b', '\n', (byte) 0xc3, '\n', 0, '\n'});
        assertThat(linesOf("f")).containsExactly("a\ufffd", "b", "\ufffd", "\0");
        assertThat(context.counter("forebay_file_malformed_lines_total")).isEqualTo(2);
        assertThat(context.counter("forebay_file_cut_lines_total")).isZero();
    }

    @Test
    void aLongLineFailsTheJobAndSaysWhere() throws Exception {
        options.put("max_line_bytes", 10);
        Path file = write("f", "short\n0123456789\n0123456789a\nnext");
        CursorReader<FileSplit> reader = reader(split("f"));
        assertThatThrownBy(() -> drain(reader))
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("at byte 17")
                .hasMessageContaining("more than the 10 bytes")
                .hasMessageContaining("long_line = cut");
        reader.close();
    }

    @Test
    void aLongLineIsCutBetweenCharactersAndCounted() throws Exception {
        options.put("max_line_bytes", 10);
        options.put("long_line", "cut");
        write("f", "short\n12345678\u00e9\n123456789\u00e9\nnext\nlast line is long");
        assertThat(linesOf("f"))
                .containsExactly("short", "12345678\u00e9", "123456789", "next", "last line ");
        assertThat(context.counter("forebay_file_cut_lines_total")).isEqualTo(2);
        assertThat(context.counter("forebay_file_malformed_lines_total")).isZero();
    }

    @Test
    void skippingAHugeLineGivesTheTurnBack() throws Exception {
        options.put("long_line", "cut");
        options.put("max_line_bytes", 100);
        byte[] content = new byte[5 << 20];
        Arrays.fill(content, (byte) 'x');
        content[content.length - 2] = '\n';
        write("f", content);
        CursorReader<FileSplit> reader = reader(split("f"));
        Rows rows = new Rows();
        int turns = 0;
        while (rows.size() == 0) {
            assertThat(reader.pollNextManaged(rows, Budget.of(1)))
                    .isEqualTo(PollStatus.MORE_AVAILABLE);
            turns++;
        }
        assertThat(turns).as("turns of 1 MiB").isEqualTo(5);
        assertThat(rows.column(0).get(0).toString()).hasSize(100);
        drain(reader);
    }

    @Test
    void whatIsAppendedAfterTheListingIsNotRead() throws Exception {
        Path file = write("f", "a\nincompl");
        FileSplit listed = split("f");
        Files.write(
                file, "ete\nmore\n".getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        assertThat(drain(reader(listed)).column(0)).containsExactly("a", "incompl");
        FileSplit empty = new FileSplit(listed.splitId(), listed.uri(), 0, 0, "", "");
        assertThat(drain(reader(empty)).size()).isZero();
    }

    @Test
    void aFileThatIsGoneIsNamed() throws Exception {
        Path file = write("gone file", "a\nb\n");
        FileSplit listed = split("gone file").at(2);
        Files.delete(file);
        assertThatThrownBy(() -> drain(reader(listed)))
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining(
                        "'" + file + "' (4 bytes when it was listed) at byte 2: it does not exist")
                .hasMessageContaining("put it back");
        Files.createDirectory(file);
        assertThatThrownBy(() -> drain(reader(listed))).hasMessageContaining("no regular file");
    }

    @Test
    void aNameWithALineEndStaysOnOneLine() throws Exception {
        Path file = write("a\nb\u0007", "x\n");
        FileSplit listed = split("a\nb\u0007");
        Files.delete(file);
        assertThatThrownBy(() -> drain(reader(listed)))
                .hasMessageContaining("/a\\u000ab\\u0007'")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
        assertThatThrownBy(() -> new FileListing(root + "/no\nsuch", true, "UTF-8").call())
                .hasMessageContaining("/no\\u000asuch'")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }

    @Test
    void messagesSayWhatToDo() {
        FileSplit split = new FileSplit("a b", "file:///data/a%20b", 10, 0, "", "");
        assertThat(FileFailures.unreadable(split, 5, new AccessDeniedException("/data/a b")))
                .hasMessageContaining("FOREBAY-C03")
                .hasMessageContaining(
                        "reading '/data/a b' (10 bytes when it was listed) at byte 5: ")
                .hasMessageContaining("the engine's user may not read it; allow that");
        assertThat(FileFailures.unreadable(split, 5, new IOException("Input/output error")))
                .hasMessageContaining("Input/output error; check the disk");
    }

    @Test
    void aFileThatMustNotBeReadIsNamed() throws Exception {
        Path file = write("secret", "a\n");
        FileSplit listed = split("secret");
        Files.setPosixFilePermissions(file, Collections.emptySet());
        assumeTrue(!Files.isReadable(file), "this user may read everything");
        assertThatThrownBy(() -> drain(reader(listed)))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("may not read it");
    }

    @Test
    void aTruncatedFileIsNamed() throws Exception {
        byte[] content = new byte[200_000];
        Arrays.fill(content, (byte) '\n');
        Path file = write("f", content);
        FileSplit listed = split("f");
        CursorReader<FileSplit> reader = reader(listed);
        reader.pollNextManaged(new Rows(), Budget.of(10));
        Files.write(file, new byte[] {'x', '\n'});
        assertThatThrownBy(() -> drain(reader))
                .as("truncated while it is read")
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("200000 bytes when it was listed")
                .hasMessageContaining("truncated or replaced");
        reader.close();
        assertThatThrownBy(() -> drain(reader(listed)))
                .as("truncated before it is read")
                .hasMessageContaining("it now has 2 bytes only");
    }

    @Test
    void requestsBeforeTheListingAreAnsweredAfterIt() throws Exception {
        write("a", "1");
        write("b", "2");
        TestEnumeratorContext<FileSplit> coordinator = new TestEnumeratorContext<>();
        ManagedSplitEnumerator<FileSplit, PendingSplits<FileSplit>> enumerator =
                source().createManagedEnumerator(coordinator, null);
        enumerator.open();
        enumerator.handleSplitRequest(0);
        enumerator.run();
        enumerator.handleSplitRequest(1);
        enumerator.handleSplitRequest(2);
        assertThat(coordinator.takeAnswers()).isEmpty();
        assertThat(enumerator.snapshotState(1))
                .isEqualTo(new PendingSplits<>(false, Collections.emptyList()));
        coordinator.runSlowWork();
        assertThat(coordinator.takeAnswers().toString()).isEqualTo("[0:a, 1:b, 2:end]");
        enumerator.close();
        assertThat(coordinator.cancelled()).isTrue();
    }

    @Test
    void aFailedListingFailsTheSource() throws Exception {
        options.put("path", root.resolve("missing").toString());
        TestEnumeratorContext<FileSplit> coordinator = new TestEnumeratorContext<>();
        source().createManagedEnumerator(coordinator, null).run();
        assertThatThrownBy(coordinator::runSlowWork)
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining("missing' (from directory");
    }

    @Test
    void anEmptyDirectoryIsAnEmptyInput() throws Exception {
        assertThat(new MiniRuntime<>(source(), 2, 1).run(0).size()).isZero();
    }

    @Test
    void badOptionsAreRefusedByName() {
        Object[][] bad = {
            {"path", ""},
            {"encoding", "utf-9"},
            {"max_line_bytes", 0},
            {"max_line_bytes", (64 << 20) + 1},
            {"long_line", "wrap"},
            {"rows_per_second", -1},
            {"metadata", "maybe"},
        };
        for (Object[] option : bad) {
            Map<String, Object> config = new HashMap<>();
            config.put("path", "/data");
            config.put((String) option[0], option[1]);
            assertThatThrownBy(() -> new ManagedFileSource(ReadonlyConfig.fromMap(config)))
                    .as(Arrays.toString(option))
                    .isInstanceOf(ConnectorException.class)
                    .hasMessageContaining("'" + option[0] + "'")
                    .hasMessageContaining(option[1].toString());
        }
    }

    @Test
    void theRateIsKeptWithoutSleeping() throws Exception {
        write("f", String.join("", Collections.nCopies(100, "line\n")));
        ManualTime time = new ManualTime();
        CursorReader<FileSplit> reader = source().reader(context, time.pace(10));
        reader.addSplits(Collections.singletonList(split("f")));
        Rows rows = new Rows();
        for (int second = 0; second < 5; second++) {
            assertThat(reader.pollNextManaged(rows, Budget.of(64)))
                    .isEqualTo(PollStatus.NOTHING_AVAILABLE);
            assertThat(reader.isAvailable()).isNotCompleted();
            time.advanceMillis(100);
        }
        assertThat(rows.size()).isEqualTo(5);
        reader.close();
    }

    @Test
    void stateSurvivesAndDamageIsRefused() throws Exception {
        FileSplit plain = new FileSplit("a.log", "file:///data/a.log", 10, 0, "", "");
        FileSplit odd =
                new FileSplit(
                        "d/a%20b:%E4%B8%AD",
                        "file:///data/d/a%20b:%E4%B8%AD", 1L << 40, 1L << 39, "ino=7", "GBK");
        Damage.check(MiniRuntime.splitSerializer(source()), plain);
        Damage.check(MiniRuntime.splitSerializer(source()), odd);
        Damage.check(
                MiniRuntime.stateSerializer(source()),
                new PendingSplits<>(false, Collections.emptyList()));
        Damage.check(
                MiniRuntime.stateSerializer(source()),
                new PendingSplits<>(true, Arrays.asList(plain, odd)));
    }

    @Test
    void stateOfTheFirstVersionIsReadWithoutIdentity() throws Exception {
        StateWriter out = new StateWriter();
        out.writeText("a.log");
        out.writeText("file:///data/a.log");
        out.writeLong(10);
        out.writeLong(4);
        FileSplit expected = new FileSplit("a.log", "file:///data/a.log", 10, 4, "", "");
        assertThat(MiniRuntime.splitSerializer(source()).deserialize(1, out.toBytes()))
                .isEqualTo(expected);
        StateWriter pending = new StateWriter();
        pending.writeBoolean(true);
        pending.writeInt(1);
        byte[] split = out.toBytes();
        byte[] state = Arrays.copyOf(pending.toBytes(), 5 + split.length);
        System.arraycopy(split, 0, state, 5, split.length);
        assertThat(MiniRuntime.stateSerializer(source()).deserialize(1, state))
                .isEqualTo(new PendingSplits<>(true, Collections.singletonList(expected)));
        assertThat(MiniRuntime.capability(source()).connectorStateVersion())
                .as("a checkpoint of the first version is not refused by its digest")
                .isEqualTo(1);
    }

    /** The split as a reader has it that has opened it and emitted so many rows. */
    private FileSplit begun(String name, int rows) throws Exception {
        CursorReader<FileSplit> reader = reader(split(name));
        for (int row = 0; row < rows; row++) {
            reader.pollNextManaged(new Rows(), Budget.of(1));
        }
        FileSplit split = reader.snapshotState(1).get(0);
        reader.close();
        assumeTrue(!split.identity().isEmpty(), "this file system gives no identity");
        return split;
    }

    @Test
    void aReplacedFileIsNotReadOn() throws Exception {
        Path file = write("f", "one\ntwo\n");
        FileSplit begun = begun("f", 1);
        assertThat(begun.offset()).isEqualTo(4);
        Files.move(file, root.resolve("f.1"));
        for (String content : new String[] {"eno\nowt\n", "a longer line than before\n"}) {
            write("f", content);
            for (FileSplit split : new FileSplit[] {begun, begun.at(0)}) {
                assertThatThrownBy(() -> drain(reader(split)))
                        .isInstanceOf(ConnectorException.class)
                        .hasMessageContaining("FOREBAY-C06")
                        .hasMessageContaining("'" + file + "'")
                        .hasMessageContaining("which was " + begun.identity() + ", but ino=")
                        .hasMessageContaining("move the old file back");
            }
        }
        FileSplit old = new FileSplit("f", begun.uri(), 4, 0, "", "");
        assertThat(drain(reader(old)).size()).as("state without an identity").isEqualTo(1);
        Files.move(root.resolve("f.1"), file, StandardCopyOption.REPLACE_EXISTING);
        Files.write(file, new byte[] {'x'}, StandardOpenOption.APPEND);
        assertThat(drain(reader(begun)).column(0))
                .as("moved back, and longer")
                .containsExactly("two");
    }

    /** The coordinator's member and the reader's may each have the file on a disk of their own. */
    @Test
    void aCopyOfTheListedFileIsRead() throws Exception {
        Path file = write("f", "one\ntwo\n");
        FileSplit listed = split("f");
        Object inode = Files.getAttribute(file, "unix:ino");
        Files.copy(file, root.resolve("copy"));
        Files.move(root.resolve("copy"), file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(Files.getAttribute(file, "unix:ino")).isNotEqualTo(inode);
        assertThat(drain(reader(listed)).column(0)).containsExactly("one", "two");
    }

    @Test
    void aSplitThatNoReaderHasOpenedHasNoIdentity() throws Exception {
        write("f", "one\ntwo\n");
        write("g", "one\n");
        assertThat(split("f").identity()).isEmpty();
        CursorReader<FileSplit> reader = reader(split("f"), split("g"));
        reader.pollNextManaged(new Rows(), Budget.of(1));
        List<FileSplit> splits = reader.snapshotState(1);
        reader.close();
        assertThat(splits.get(0).identity())
                .isEqualTo("ino=" + Files.getAttribute(root.resolve("f"), "unix:ino"));
        assertThat(splits.get(1).identity()).isEmpty();
    }

    /** Its identity was taken where the files were listed, and checked where they were begun. */
    @Test
    void stateOfTheSecondVersionKeepsTheIdentityOfWhatWasBegun() throws Exception {
        assertThat(readSecondVersion(4)).isEqualTo(secondVersion(4, "ino=7"));
        assertThat(readSecondVersion(0)).isEqualTo(secondVersion(0, ""));
        assertThat(MiniRuntime.splitSerializer(source()).version()).isEqualTo(3);
    }

    private static FileSplit secondVersion(long offset, String identity) {
        return new FileSplit("a.log", "file:///data/a.log", 10, offset, identity, "UTF-8");
    }

    private FileSplit readSecondVersion(long offset) throws IOException {
        StateWriter out = new StateWriter();
        out.writeText("a.log");
        out.writeText("file:///data/a.log");
        out.writeLong(10);
        out.writeLong(offset);
        out.writeText("ino=7");
        out.writeText("UTF-8");
        return MiniRuntime.splitSerializer(source()).deserialize(2, out.toBytes());
    }

    @Test
    void anotherEncodingIsRefused() throws Exception {
        write("f", "one\ntwo\n");
        FileSplit listed = split("f").at(4);
        options.put("encoding", "utf8");
        assertThat(drain(reader(listed)).column(0)).as("another name").containsExactly("two");
        options.put("encoding", "UTF-16LE");
        assertThatThrownBy(() -> drain(reader(listed)))
                .isInstanceOf(ConnectorException.class)
                .hasMessageContaining("FOREBAY-C07")
                .hasMessageContaining("started with encoding = UTF-8")
                .hasMessageContaining("restored with encoding = UTF-16LE")
                .hasMessageContaining("set the old encoding again");
    }

    @Test
    void theSourceTravelsToTheCluster() throws Exception {
        write("f", "a\n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(source());
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            ManagedFileSource arrived = (ManagedFileSource) in.readObject();
            assertThat(new MiniRuntime<>(arrived, 1, 1).run(0).column(0)).containsExactly("a");
        }
    }
}
