// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.benchmarks;

import dev.forebay.connectors.fake.ManagedFakeFeed;
import dev.forebay.testkit.EngineNode;
import dev.forebay.testkit.RecordingSink;
import dev.forebay.zeta.Lane;

import org.apache.seatunnel.engine.client.job.ClientJobProxy;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * How long does a record take from an idle source to the sink, on a real engine node?
 *
 * <p>Measured: from the push of a value into the feed of a {@code ManagedFake} source that has
 * nothing else to do, until the sink writes the record: the availability future, the wake-up of the
 * task thread, the poll turn, and the engine's way from source to sink. The job streams at
 * parallelism 1 with a checkpoint every second.
 *
 * <p>The rival is the same connector on the plain lane: a reader of the engine's public API, which
 * the engine polls again 100 ms after a poll that emitted nothing.
 *
 * <p>How: both lanes in the same JVM and on the same node, one after the other. A value is pushed 5
 * to 105 ms, evenly drawn, after the last one arrived, so that a push meets the engine's sleep at
 * any phase of it. When a checkpoint completes meanwhile, the push follows it within 10 ms: that is
 * when the engine has just had its thread back. The first {@value #WARM_UP} values (on the plain
 * lane {@value #WARM_UP_PLAIN}) are told apart and not counted: what counts is a source that has
 * run for a while, as those in production have, and not the interpreter. The plain lane comes
 * second and finds the engine's code compiled.
 *
 * <p>Not measured: a busy source, more than one node, what an external system adds in front of the
 * push.
 *
 * <p>Arguments: the file for the results, the folder to work in, the number of samples of the
 * managed lane. The plain lane gets a third of them.
 */
public final class IdleToRecord {
    private static final int WARM_UP = 2000;
    private static final int WARM_UP_PLAIN = 20;
    private static final int CHECKPOINT_MILLIS = 1000;
    private static final int TELL_EVERY = 200;

    private static final long MIN_GAP = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MAX_GAP = MIN_GAP + TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_GAP_WARM_UP = TimeUnit.MILLISECONDS.toNanos(6);
    private static final long MAX_GAP_AFTER_CHECKPOINT = TimeUnit.MILLISECONDS.toNanos(10);

    /** Longer than any latency that is hoped for: looking for the record must not disturb it. */
    private static final long LOOK_EVERY = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    private final SplittableRandom random = new SplittableRandom(1);
    private final EngineNode node;

    private IdleToRecord(EngineNode node) {
        this.node = node;
    }

    /** One push. */
    private static final class Sample {
        final long latency;
        final long afterCheckpoint;

        Sample(long latency, long afterCheckpoint) {
            this.latency = latency;
            this.afterCheckpoint = afterCheckpoint;
        }
    }

    /** Measures both lanes and ends the process, because the engine leaves threads behind. */
    public static void main(String[] arguments) {
        int status = 1;
        try {
            run(Paths.get(arguments[0]), Paths.get(arguments[1]), Integer.parseInt(arguments[2]));
            status = 0;
        } catch (Exception e) {
            e.printStackTrace();
            say("failed: " + e);
        }
        System.exit(status);
    }

    private static void run(Path results, Path folder, int samples) throws Exception {
        Path work =
                Files.createTempDirectory(
                        Files.createDirectories(folder).toAbsolutePath(), "node-");
        say("starting a Zeta node");
        try (EngineNode node = EngineNode.start(work)) {
            IdleToRecord benchmark = new IdleToRecord(node);
            Latencies managed = benchmark.measure(Lane.MANAGED, samples);
            Latencies plain = benchmark.measure(Lane.PLAIN, Math.max(1, samples / 3));
            List<String> lines = new ArrayList<>();
            lines.add(
                    "# idle_to_record: "
                            + System.getProperty("java.vm.name")
                            + ' '
                            + System.getProperty("java.vm.version")
                            + ", JVM flags "
                            + ManagementFactory.getRuntimeMXBean().getInputArguments());
            lines.add("lane\tsamples\tp50\tp99\tmax");
            lines.add(line("managed", managed));
            lines.add(line("plain", plain));
            Files.write(results, lines, StandardCharsets.UTF_8);
        }
    }

    private static String line(String lane, Latencies latencies) {
        return String.format(
                Locale.ROOT,
                "%s\t%d\t%.1f\t%.1f\t%.1f",
                lane,
                latencies.count(),
                latencies.micros(50),
                latencies.micros(99),
                latencies.micros(100));
    }

    private Latencies measure(Lane lane, int count) throws Exception {
        String name = "idle-" + lane.name().toLowerCase(Locale.ROOT);
        ClientJobProxy job = node.submit(name, definition(lane, name));
        try (Pusher pusher = new Pusher(name)) {
            pusher.push();
            long before = Checkpoints.count();
            List<Sample> cold = new ArrayList<>();
            while (cold.size() < (lane == Lane.MANAGED ? WARM_UP : WARM_UP_PLAIN)) {
                pusher.await(MAX_GAP_WARM_UP);
                cold.add(pusher.push());
            }
            tell(lane, "not counted, the first ones", cold, any -> true);
            List<Sample> counted = new ArrayList<>();
            while (counted.size() < count) {
                pusher.await(MAX_GAP);
                counted.add(pusher.push());
                if (counted.size() % TELL_EVERY == 0) {
                    say(lane + " lane: " + counted.size() + " of " + count + " samples");
                }
            }
            say(lane + " lane: " + (Checkpoints.count() - before) + " checkpoints");
            for (int millis : new int[] {10, 100, CHECKPOINT_MILLIS}) {
                long window = TimeUnit.MILLISECONDS.toNanos(millis);
                tell(
                        lane,
                        "within " + millis + " ms after a checkpoint",
                        counted,
                        sample -> sample.afterCheckpoint <= window);
            }
            return tell(lane, "all", counted, any -> true);
        } finally {
            job.cancelJob();
            job.waitForJobCompleteV2();
        }
    }

    private static Latencies tell(
            Lane lane, String which, List<Sample> samples, Predicate<Sample> chosen) {
        Latencies latencies =
                Latencies.ofNanos(
                        samples.stream().filter(chosen).mapToLong(sample -> sample.latency));
        say(lane + " lane, " + which + ": " + latencies);
        return latencies;
    }

    private static String definition(Lane lane, String name) {
        return String.join(
                "\n",
                "env {",
                "  parallelism = 1",
                "  job.mode = \"STREAMING\"",
                "  checkpoint.interval = " + CHECKPOINT_MILLIS,
                "  job.retry.times = 0",
                "}",
                "source {",
                "  " + LaneSource.identifier(lane) + " {",
                "    result_table_name = \"rows\"",
                "    splits = 1",
                "    rows = -1",
                "    feed = \"" + name + "\"",
                "  }",
                "}",
                "sink {",
                "  Recording {",
                "    source_table_name = \"rows\"",
                "    name = \"" + name + "\"",
                "  }",
                "}",
                "");
    }

    private static void say(String line) {
        System.out.println("idle to record: " + line);
    }

    /** Pushes a value at a time and waits for its record. */
    private final class Pusher implements AutoCloseable {
        private final ManagedFakeFeed feed;
        private final Queue<RecordingSink.Arrival> arrivals;
        private long value;
        private long lastArrival;

        Pusher(String name) {
            feed = ManagedFakeFeed.named(name);
            arrivals = RecordingSink.arrivals(name);
        }

        /** Leaves the source idle until the next push is due. */
        void await(long maxGap) throws InterruptedException {
            if (Checkpoints.awaitNext(lastArrival + random.nextLong(MIN_GAP, maxGap))) {
                TimeUnit.NANOSECONDS.sleep(random.nextLong(MAX_GAP_AFTER_CHECKPOINT));
            }
        }

        Sample push() {
            value++;
            long checkpoint = Checkpoints.lastNanos();
            long start = System.nanoTime();
            feed.push(value);
            RecordingSink.Arrival arrival = arrivals.poll();
            while (arrival == null) {
                LockSupport.parkNanos(LOOK_EVERY);
                if (System.nanoTime() - start > LIMIT) {
                    throw new IllegalStateException(
                            "value " + value + " has not arrived within 20 s");
                }
                arrival = arrivals.poll();
            }
            if (!arrival.row.getField(1).equals(value)) {
                throw new IllegalStateException(
                        "value " + value + " was pushed, " + arrival.row + " arrived");
            }
            lastArrival = arrival.nanos;
            return new Sample(arrival.nanos - start, start - checkpoint);
        }

        @Override
        public void close() {
            if (!arrivals.isEmpty()) {
                throw new IllegalStateException("a record came twice: " + arrivals);
            }
        }
    }
}
