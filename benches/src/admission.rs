// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What does the admission of a command cost its producer, on one thread?
//!
//! Measured: [`Reader::offer`] of an ASSIGN_SPLITS command with a 256-byte payload (376 bytes with its header), each
//! with the next sequence of its channel, until its answer is there. That is everything between the bytes and the
//! owner: checksum, fence, sequence and duplicate check, cut, capacity, worker budget, the copy, publishing, and the
//! wake word.
//!
//! The rivals take the same 256 bytes into a bounded queue of the same length and check nothing. A user with payloads
//! of any size queues a heap block per command (`boxed`); one whose payloads all have one size, a slot (`inline`).
//!
//! How: commands come in windows of [`WINDOW`]. Encoding a window and draining it are not timed, offering it is. The
//! reader parks after each window, as one does that has caught up. It keeps the pages of the flow meanwhile, as the
//! rival's heap keeps its blocks. Heap and caches are warm.
//!
//! Not measured: the owner's side, contention, and what a payload costs that is freed on another thread (where a heap
//! block costs most). The clock that a host reads for `now` is the host's.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use crossbeam_queue::ArrayQueue;
use forebay_core::command::batch::Answer;
use forebay_core::command::envelope::{self, HEADER_LEN, Header};
use forebay_core::command::{Attempt, CommandId, Epoch, Kind, RuntimeId, payload};
use forebay_core::mailbox::{Limits, Reason, Status, WorkerBudget};
use forebay_core::reader::{Allow, Outcome, PollBudget, PollStatus, Reader, ReaderConfig, Step};
use forebay_core::sync::Arc;
use std::hint::black_box;
use std::time::{Duration, Instant};

const PAYLOAD: usize = 256;
const COMMAND: usize = HEADER_LEN + PAYLOAD;

/// Half of what the mailbox and the queues hold, so that nothing is ever refused.
const WINDOW: u64 = 512;

/// The default of [`Limits`].
const QUEUE: usize = 1024;

const JOB: u64 = 7;
const RUNTIME: RuntimeId = RuntimeId(11 << 64 | 12);
const READER: Attempt = Attempt(21 << 64 | 22);
const COORDINATOR: Attempt = Attempt(31 << 64 | 32);
const EPOCH: Epoch = Epoch(1);

/// Commands of one channel, a window at a time.
struct Commands {
    payload: Vec<u8>,
    /// Of the next command.
    sequence: u64,
    bytes: Vec<u8>,
}

impl Commands {
    fn new() -> Self {
        let mut payload = Vec::new();
        let split = [0x5a; PAYLOAD - 8];
        payload::encode_splits([&split[..]].into_iter(), &mut payload).unwrap();
        assert_eq!(payload.len(), PAYLOAD);
        Self { payload, sequence: 1, bytes: Vec::new() }
    }

    /// The next `count` commands, whole and in order.
    fn window(&mut self, count: u64) -> impl Iterator<Item = &[u8]> {
        self.bytes.clear();
        for _ in 0..count {
            envelope::encode(&header(Kind::AssignSplits, self.sequence), &self.payload, &mut self.bytes).unwrap();
            self.sequence += 1;
        }
        self.bytes.chunks_exact(COMMAND)
    }
}

fn header(kind: Kind, sequence: u64) -> Header {
    let (runtime, sender, target) = (RUNTIME, COORDINATOR, READER);
    let id = CommandId(u128::from(sequence) << 32);
    Header { kind, subtask: 0, job: JOB, runtime, sender, target, epoch: EPOCH, sequence, id, cut: 0 }
}

/// A reader whose channel is open, and its host.
struct Host {
    reader: Reader,
    turn: u64,
    outcome: Outcome,
    payload: Vec<u8>,
}

impl Host {
    fn new() -> Self {
        let config = ReaderConfig {
            job: JOB,
            runtime: RUNTIME,
            attempt: READER,
            subtask: 0,
            digest: [1; 32],
            created_millis: 1,
            address: b"127.0.0.1:5801".to_vec(),
            limits: Limits::default(),
            poll: PollBudget::DEFAULT,
            seed: 1,
        };
        let reader = Reader::new(config, Arc::new(WorkerBudget::new(64 << 20))).unwrap();
        let mut host = Self { reader, turn: 0, outcome: Outcome::Done, payload: Vec::new() };
        let mut opening = Vec::new();
        envelope::encode(&header(Kind::ReaderEpochStart, 0), &[], &mut opening).unwrap();
        assert_eq!(host.reader.offer(&opening, 0).status, Status::Accepted);
        assert_eq!(host.drain(), 0);
        host
    }

    /// Does what the loop says until it parks; tells how many commands came out.
    fn drain(&mut self) -> u64 {
        let mut commands = 0;
        loop {
            let granted = self.reader.next(self.turn, self.outcome, Allow::Everything, 0, &mut self.payload).unwrap();
            self.turn = granted.turn;
            self.outcome = Outcome::Done;
            match granted.step {
                Step::AddSplits => commands += 1,
                Step::Poll(_) => self.outcome = Outcome::Polled(PollStatus::NothingAvailable),
                Step::Register(flight) | Step::Send(flight) => {
                    // The coordinator has taken whatever was sent.
                    let taken = Answer { status: Status::Accepted, reason: Reason::None, expected: u64::MAX };
                    let _ = self.reader.answer(flight, taken);
                }
                Step::Park(_) => return commands,
                other => unreachable!("{other:?}"),
            }
        }
    }
}

/// Runs `iterations` in windows: `timed` takes a window's length and tells how long the part that counts took.
fn in_windows(iterations: u64, mut timed: impl FnMut(u64) -> Duration) -> Duration {
    let windows = iterations.div_ceil(WINDOW);
    (0..windows).map(|window| timed(WINDOW.min(iterations - window * WINDOW))).sum()
}

/// Offers commands one after another and tells how long that took; `offer` says whether one was taken.
fn time<'a>(commands: impl Iterator<Item = &'a [u8]>, count: u64, mut offer: impl FnMut(&'a [u8]) -> bool) -> Duration {
    let start = Instant::now();
    let taken: u64 = commands.map(|command| u64::from(offer(black_box(command)))).sum();
    let elapsed = start.elapsed();
    assert_eq!(taken, count);
    elapsed
}

fn admission(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("admission_1p");
    group.throughput(Throughput::Elements(1));

    group.bench_function("forebay", |bencher| {
        let (mut host, mut commands, mut now) = (Host::new(), Commands::new(), 0);
        bencher.iter_custom(|iterations| {
            in_windows(iterations, |count| {
                now += 1;
                let reader = &host.reader;
                let elapsed = time(commands.window(count), count, |command| {
                    let admission = reader.offer(command, now);
                    // A host looks at both.
                    black_box(admission.wake.is_needed());
                    admission.status == Status::Accepted
                });
                assert_eq!(host.drain(), count);
                elapsed
            })
        });
    });

    group.bench_function("boxed", |bencher| {
        let (queue, mut commands) = (ArrayQueue::<Box<[u8]>>::new(QUEUE), Commands::new());
        bencher.iter_custom(|iterations| {
            in_windows(iterations, |count| {
                let elapsed =
                    time(commands.window(count), count, |command| queue.push(command[HEADER_LEN..].into()).is_ok());
                while queue.pop().is_some() {}
                elapsed
            })
        });
    });

    group.bench_function("inline", |bencher| {
        let (queue, mut commands) = (ArrayQueue::<[u8; PAYLOAD]>::new(QUEUE), Commands::new());
        bencher.iter_custom(|iterations| {
            in_windows(iterations, |count| {
                let elapsed = time(commands.window(count), count, |command| {
                    queue.push(command[HEADER_LEN..].try_into().unwrap()).is_ok()
                });
                while queue.pop().is_some() {}
                elapsed
            })
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2));
    targets = admission
}
criterion_main!(benches);
