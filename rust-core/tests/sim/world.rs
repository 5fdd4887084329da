// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The engine, the network and the clock around a life.

use super::Random;
use super::connector::{self, Split};
use super::life::{Actor, Effect, Job, Life, Stored};
use forebay_core::command::batch::{self, Answer};
use forebay_core::command::{Attempt, Kind};
use forebay_core::mailbox::{Admission, Limits, Reason, Status, WorkerBudget};
use forebay_core::metadata::{Channel, CoordinatorMetadata, ReaderMetadata};
use forebay_core::sync::Arc;
use std::collections::{BTreeMap, HashMap};

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;

/// The engine's number of the checkpoint that ends a job.
const FINAL: u64 = i64::MAX as u64;

/// More events than any job of this size needs.
const EVENTS_MAX: u64 = 400_000;

#[derive(Clone, Debug)]
enum Event {
    /// An actor takes a turn, if this is still the time that it waits for.
    Turn(Actor, u64),
    Deliver {
        from: Actor,
        to: Actor,
        flight: u8,
        bytes: Vec<u8>,
        lose_answer: bool,
    },
    Answer {
        to: Actor,
        from: Actor,
        flight: u8,
        answer: Answer,
    },
    Own(Actor, Kind, u64),
    Available(usize, u64),
    Discover,
    Trigger,
    Abort(u64),
    Complete(u64),
    Crash,
}

/// A reader's metadata, its splits, and how many rows it had emitted.
type ReaderPart = (Vec<u8>, Vec<u8>, usize);

/// A checkpoint that is being taken.
#[derive(Debug)]
struct Taking {
    id: u64,
    coordinator: Option<Vec<u8>>,
    readers: Vec<Option<ReaderPart>>,
}

struct World {
    random: Random,
    now: u64,
    order: u64,
    /// By time, then by the order in which they came; with the life that they belong to.
    events: BTreeMap<(u64, u64), (u64, Event)>,
    job: Job,
    life: Life,
    /// Which turn event counts for an actor; another one is a leftover.
    awaited: HashMap<usize, u64>,
    taking: Option<Taking>,
    next_checkpoint: u64,
    stored: Option<Stored>,
    committed: Vec<(u32, u32)>,
    /// Rows of this life that are committed, per reader.
    committed_of: Vec<usize>,
    crashes_left: u64,
    trouble: u64,
    ended: bool,
}

/// Runs one job to its end.
pub(crate) fn run(seed: u64) {
    let mut random = Random(seed);
    let limits = Limits {
        max_commands: 64,
        max_bytes: 64 << 10,
        reserved_commands: 48,
        reserved_bytes: 32 << 10,
        max_payload: random.between(64, 4096) as u32,
    };
    let budget = Arc::new(WorkerBudget::new(random.between(12, 64) * 1024));
    let splits = random.between(1, 30) as u32;
    let job = Job { seed, splits, rows: random.between(1, 40) as u32, limits, budget: budget.clone() };
    let parallelism = random.between(1, 4) as u32;
    let life = Life::new(&job, 1, parallelism, None, &mut random);
    let mut world = World {
        now: 0,
        order: 0,
        events: BTreeMap::new(),
        job,
        life,
        awaited: HashMap::new(),
        taking: None,
        next_checkpoint: 1,
        stored: None,
        committed: Vec::new(),
        committed_of: vec![0; parallelism as usize],
        crashes_left: random.below(4),
        trouble: random.below(30),
        ended: false,
        random,
    };
    world.begin();
    world.run();
    world.check_history();
    drop(world);
    assert_eq!(budget.used(), 0, "the worker budget is given back");
}

impl World {
    fn at(&mut self, delay: u64, event: Event) {
        self.order += 1;
        self.events.insert((self.now + delay, self.order), (self.life.number, event));
    }

    fn soon(&mut self, from: u64, to: u64, event: Event) {
        let delay = self.random.between(from, to);
        self.at(delay, event);
    }

    fn actors(&self) -> Vec<Actor> {
        (0..self.life.readers.len()).map(Actor::Reader).chain([Actor::Coordinator]).collect()
    }

    /// Sets up the events of a new life.
    fn begin(&mut self) {
        self.awaited.clear();
        for actor in self.actors() {
            // Some come late, when checkpoints are being taken already.
            let latest = if self.random.percent(30) { 150 * MILLI } else { 10 * MILLI };
            self.turn_at(actor, 0, latest);
        }
        let open = self.random.below(30 * MILLI);
        self.at(open, Event::Own(Actor::Coordinator, Kind::OpenEnumerator, 0));
        self.at(open + self.random.0 % (10 * MILLI), Event::Own(Actor::Coordinator, Kind::RunEnumerator, 0));
        self.soon(0, 40 * MILLI, Event::Discover);
        self.soon(30 * MILLI, 80 * MILLI, Event::Trigger);
        if self.crashes_left > 0 {
            self.soon(0, 400 * MILLI, Event::Crash);
        }
    }

    fn index(actor: Actor) -> usize {
        match actor {
            Actor::Coordinator => usize::MAX,
            Actor::Reader(subtask) => subtask,
        }
    }

    /// The actor's next turn comes between these delays, whatever it waited for before.
    fn turn_at(&mut self, actor: Actor, from: u64, to: u64) {
        let ticket = self.order + 1;
        self.awaited.insert(Self::index(actor), ticket);
        self.soon(from, to, Event::Turn(actor, ticket));
    }

    fn wake(&mut self, actor: Actor, needed: bool) {
        if needed {
            self.turn_at(actor, MICRO, 50 * MICRO);
        }
    }

    fn run(&mut self) {
        for _ in 0..EVENTS_MAX {
            let Some(((now, _), (life, event))) = self.events.pop_first() else {
                panic!("everybody sleeps: {}", self.describe());
            };
            self.now = now;
            match (&event, life == self.life.number) {
                (_, true) | (Event::Deliver { .. }, false) => self.handle(event, life),
                _ => {}
            }
            if self.ended {
                return;
            }
        }
        panic!("the job does not end: {}", self.describe());
    }

    fn describe(&self) -> String {
        let readers: Vec<_> = self.life.readers.iter().map(|host| host.reader.describe()).collect();
        format!("{}\n{readers:#?}\n{:?}", self.life.coordinator.coordinator.describe(), self.taking)
    }

    fn handle(&mut self, event: Event, life: u64) {
        match event {
            Event::Turn(actor, ticket) if self.awaited.get(&Self::index(actor)) == Some(&ticket) => self.turn(actor),
            Event::Turn(..) => {}
            Event::Deliver { from, to, flight, bytes, lose_answer } => {
                let answer = self.offer_batch(to, &bytes);
                if life != self.life.number {
                    // A registration does not say whom it is for: it is the coordinator's to see that nobody is there.
                    let kind = batch::next(&mut bytes.as_slice()).unwrap().map(|envelope| envelope[10]);
                    let taken = matches!(answer.status, Status::Accepted | Status::Duplicate);
                    let registration = kind == Some(Kind::RegisterReader as u8);
                    assert!(registration || !taken, "a command of an earlier life is refused: {answer:?}");
                } else if !lose_answer {
                    self.soon(10 * MICRO, 5 * MILLI, Event::Answer { to: from, from: to, flight, answer });
                }
            }
            Event::Answer { to, from, flight, answer } => self.answer(to, from, flight, answer),
            Event::Own(actor, kind, number) => self.offer_own(actor, kind, number),
            Event::Available(subtask, turn) => {
                let needed = self.life.readers[subtask].reader.available(turn).is_needed();
                self.wake(Actor::Reader(subtask), needed);
            }
            Event::Discover => self.discover(),
            Event::Trigger => self.trigger(),
            Event::Abort(id) => self.abort(id),
            Event::Complete(id) => self.complete(id),
            Event::Crash => self.crash(),
        }
    }

    fn turn(&mut self, actor: Actor) {
        self.awaited.remove(&Self::index(actor));
        let (now, random) = (self.now, &mut self.random);
        let effect = match actor {
            Actor::Coordinator => self.life.coordinator.step(now, random),
            Actor::Reader(subtask) => self.life.readers[subtask].step(now, random),
        };
        match effect {
            Some(Effect::Park(None)) => return,
            Some(Effect::Park(Some(until))) => {
                let delay = until.saturating_sub(now);
                return self.turn_at(actor, delay, delay + MICRO);
            }
            Some(Effect::Ended(why)) => panic!("{actor:?} ended: {why}"),
            Some(Effect::Send { to, flight, bytes }) => self.send(actor, to, flight, bytes),
            Some(Effect::Snapshot { checkpoint, blob, splits }) => self.snapshotted(actor, checkpoint, blob, splits),
            Some(Effect::Availability(turn)) => {
                let Actor::Reader(subtask) = actor else { unreachable!() };
                self.soon(MICRO, 3 * MILLI, Event::Available(subtask, turn));
                if self.random.percent(20) {
                    self.soon(MICRO, 3 * MILLI, Event::Available(subtask, turn - 1));
                }
            }
            Some(Effect::Finished) | None => {}
        }
        self.turn_at(actor, MICRO, 300 * MICRO);
    }

    fn send(&mut self, from: Actor, to: Actor, flight: u8, bytes: Vec<u8>) {
        let lost = Answer { status: Status::RetryLater, reason: Reason::Transport, expected: 0 };
        let fate = self.random.below(100);
        let lose_answer = fate < self.trouble;
        if fate >= self.trouble / 2 {
            let copies = if self.random.percent(self.trouble) { 2 } else { 1 };
            for _ in 0..copies {
                // A copy may come much later than the answer to the first one, or in another life.
                let bytes = bytes.clone();
                self.soon(10 * MICRO, 20 * MILLI, Event::Deliver { from, to, flight, bytes, lose_answer });
            }
        }
        if lose_answer {
            self.soon(10 * MILLI, 50 * MILLI, Event::Answer { to: from, from: to, flight, answer: lost });
        }
    }

    /// What the host of the receiving end does with a batch.
    fn offer_batch(&mut self, to: Actor, mut rest: &[u8]) -> Answer {
        let mut last = Answer { status: Status::Accepted, reason: Reason::None, expected: 0 };
        while let Some(envelope) = batch::next(&mut rest).unwrap() {
            let admission = match to {
                Actor::Coordinator => self.life.coordinator.coordinator.offer(envelope, self.now),
                Actor::Reader(subtask) => match self.life.readers.get(subtask) {
                    Some(host) => host.reader.offer(envelope, self.now),
                    None => return Answer { status: Status::RetryLater, reason: Reason::Unknown, expected: 0 },
                },
            };
            let Admission { status, reason, expected, wake } = admission;
            self.wake(to, wake.is_needed());
            last = Answer { status, reason, expected };
            if !matches!(status, Status::Accepted | Status::Duplicate) {
                break;
            }
        }
        last
    }

    fn answer(&mut self, to: Actor, from: Actor, flight: u8, answer: Answer) {
        let wake = match (to, from) {
            (Actor::Reader(subtask), _) => self.life.readers[subtask].reader.answer(flight, answer),
            (_, Actor::Reader(subtask)) => self.life.coordinator.coordinator.answer(subtask as u32, flight, answer),
            _ => unreachable!(),
        };
        self.wake(to, wake.is_needed());
    }

    fn offer_own(&mut self, actor: Actor, kind: Kind, number: u64) {
        let payload = match kind {
            Kind::OpenEnumerator | Kind::RunEnumerator => Vec::new(),
            _ => number.to_le_bytes().to_vec(),
        };
        let admission = match actor {
            Actor::Coordinator => self.life.coordinator.coordinator.offer_own(kind, &payload, self.now),
            Actor::Reader(subtask) => self.life.readers[subtask].reader.offer_own(kind, &payload, self.now),
        };
        assert_eq!(admission.status, Status::Accepted, "{kind:?}: {admission:?}");
        self.wake(actor, admission.wake.is_needed());
    }

    fn discover(&mut self) {
        let count = self.random.between(1, 8);
        let wake = self.life.coordinator.coordinator.post(count);
        self.wake(Actor::Coordinator, wake.is_needed());
        if self.life.coordinator.enumerator.undiscovered < self.job.splits {
            self.soon(MILLI, 30 * MILLI, Event::Discover);
        }
    }

    /// Starts a checkpoint if none is being taken; the last one once all readers have finished.
    fn trigger(&mut self) {
        let finished = self.life.readers.iter().all(|host| host.finished);
        if self.taking.is_none() && self.life.coordinator.running {
            let id = if finished { FINAL } else { self.next_checkpoint };
            self.next_checkpoint += 1;
            let readers = self.life.readers.iter().map(|_| None).collect();
            self.taking = Some(Taking { id, coordinator: None, readers });
            self.offer_own(Actor::Coordinator, Kind::Barrier, id);
            if id != FINAL && self.random.percent(25) {
                self.soon(0, 40 * MILLI, Event::Abort(id));
            }
        }
        self.soon(5 * MILLI, 40 * MILLI, Event::Trigger);
    }

    fn snapshotted(&mut self, actor: Actor, checkpoint: u64, blob: Vec<u8>, splits: Vec<u8>) {
        if actor == Actor::Coordinator {
            // The barriers of the readers travel on another path, each at its own pace, also when nobody waits for
            // them any more.
            for subtask in 0..self.life.readers.len() {
                let latest = if self.random.percent(30) { 150 * MILLI } else { 10 * MILLI };
                self.soon(0, latest, Event::Own(Actor::Reader(subtask), Kind::Barrier, checkpoint));
            }
        }
        let Some(taking) = self.taking.as_mut().filter(|taking| taking.id == checkpoint) else { return };
        match actor {
            Actor::Coordinator => taking.coordinator = Some(blob),
            Actor::Reader(subtask) => {
                let emitted = self.life.readers[subtask].connector.emitted.len();
                taking.readers[subtask] = Some((blob, splits, emitted));
            }
        }
        if taking.readers.iter().all(Option::is_some) {
            self.soon(0, 10 * MILLI, Event::Complete(checkpoint));
        }
    }

    /// Tells everybody, at different times.
    fn notify(&mut self, kind: Kind, checkpoint: u64) {
        for actor in self.actors() {
            self.soon(0, 10 * MILLI, Event::Own(actor, kind, checkpoint));
        }
    }

    fn abort(&mut self, id: u64) {
        if self.taking.take_if(|taking| taking.id == id).is_some() {
            self.notify(Kind::CheckpointAborted, id);
        }
    }

    fn complete(&mut self, id: u64) {
        let Some(taking) = self.taking.take_if(|taking| taking.id == id) else { return };
        let mut stored = Stored { coordinator: taking.coordinator.unwrap(), readers: Vec::new() };
        for (subtask, part) in taking.readers.into_iter().enumerate() {
            let (blob, splits, emitted) = part.unwrap();
            let rows = &self.life.readers[subtask].connector.emitted[self.committed_of[subtask]..emitted];
            self.committed.extend_from_slice(rows);
            self.committed_of[subtask] = emitted;
            stored.readers.push((blob, splits));
        }
        check_cut(&stored, &self.committed, &self.job);
        self.stored = Some(stored);
        self.notify(Kind::CheckpointComplete, id);
        self.ended = id == FINAL;
    }

    fn crash(&mut self) {
        self.crashes_left -= 1;
        let same = self.life.readers.len() as u64;
        let parallelism = if self.random.percent(50) { same } else { self.random.between(1, 4) };
        let number = self.life.number + 1;
        self.life = Life::new(&self.job, number, parallelism as u32, self.stored.as_ref(), &mut self.random);
        self.taking = None;
        self.committed_of = vec![0; parallelism as usize];
        self.begin();
    }

    fn check_history(&self) {
        let mut rows = self.committed.clone();
        rows.sort_unstable();
        let expected: Vec<_> =
            (0..self.job.splits).flat_map(|split| (0..self.job.rows).map(move |row| (split, row))).collect();
        assert!(rows == expected, "rows differ: {} of {}", rows.len(), expected.len());
    }
}

/// Every row is either emitted before the cut or owned once in it.
fn check_cut(stored: &Stored, committed: &[(u32, u32)], job: &Job) {
    let coordinator = CoordinatorMetadata::decode(&stored.coordinator).unwrap();
    let mut applied: HashMap<Attempt, (Channel, u64)> = HashMap::new();
    let mut owned: Vec<Split> = Vec::new();
    for (blob, splits) in &stored.readers {
        let metadata = ReaderMetadata::decode(blob).unwrap();
        assert_eq!(metadata.checkpoint, coordinator.checkpoint);
        applied.extend(metadata.channel.map(|channel| (channel.reader, (channel, metadata.applied))));
        owned.extend(connector::read(splits));
    }
    for record in &coordinator.assignments {
        let arrived = record.sent.is_some_and(|(channel, sequence)| {
            applied.get(&channel.reader).is_some_and(|(of, applied)| *of == channel && sequence <= *applied)
        });
        if !arrived {
            owned.extend(connector::read(&record.splits));
        }
    }
    let undiscovered = u32::from_le_bytes(coordinator.state.bytes[..4].try_into().unwrap());
    owned.extend(connector::read(&coordinator.state.bytes[4..]));
    owned.extend((undiscovered..job.splits).map(|id| Split { id, next: 0, end: job.rows }));

    let mut rows = committed.to_vec();
    rows.extend(owned.iter().flat_map(|split| (split.next..split.end).map(|row| (split.id, row))));
    rows.sort_unstable();
    let expected: Vec<_> = (0..job.splits).flat_map(|split| (0..job.rows).map(move |row| (split, row))).collect();
    assert!(rows == expected, "checkpoint {} owns a row twice or not at all: {owned:?}", coordinator.checkpoint);
}
