// Licensed under the Apache License, Version 2.0. See LICENSE.
//! One life of a job: a coordinator, its readers, and how their hosts execute steps.

use super::Random;
use super::connector::{self, Enumerator, ReaderConnector, Wish};
use forebay_core::command::{Attempt, Epoch, RuntimeId};
use forebay_core::coordinator::{self, Coordinator, CoordinatorConfig, TrackerLimits};
use forebay_core::mailbox::{Limits, WorkerBudget};
use forebay_core::reader::{self, Allow, PollBudget, PollStatus, Reader, ReaderConfig};
use forebay_core::sync::Arc;

/// One end of a command's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    Coordinator,
    Reader(usize),
}

/// What a step has brought about in the world outside.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Something for the other side.
    Send { to: Actor, flight: u8, bytes: Vec<u8> },
    /// The actor's part of a checkpoint.
    Snapshot { checkpoint: u64, blob: Vec<u8>, splits: Vec<u8> },
    /// The availability of this turn is to complete some time.
    Availability(u64),
    /// Not to be called before this time, unless woken.
    Park(Option<u64>),
    /// The reader's input has ended.
    Finished,
    /// The actor does nothing more.
    Ended(String),
}

pub(crate) struct ReaderHost {
    pub(crate) reader: Reader,
    pub(crate) connector: ReaderConnector,
    pub(crate) finished: bool,
    turn: u64,
    outcome: reader::Outcome,
}

pub(crate) struct CoordinatorHost {
    pub(crate) coordinator: Coordinator,
    pub(crate) enumerator: Enumerator,
    pub(crate) running: bool,
    parallelism: u32,
    turn: u64,
    outcome: coordinator::Outcome,
    /// Readers' parts of a restored checkpoint, to be handed over when the enumerator is opened.
    parts: Vec<(u32, Vec<u8>, Vec<u8>)>,
}

pub(crate) struct Life {
    pub(crate) number: u64,
    pub(crate) coordinator: CoordinatorHost,
    pub(crate) readers: Vec<ReaderHost>,
}

/// A completed checkpoint, as the engine stores it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    pub(crate) coordinator: Vec<u8>,
    pub(crate) readers: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What is the same in all lives of a job.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) seed: u64,
    pub(crate) splits: u32,
    pub(crate) rows: u32,
    pub(crate) limits: Limits,
    pub(crate) budget: Arc<WorkerBudget>,
}

impl Life {
    pub(crate) fn new(job: &Job, number: u64, parallelism: u32, stored: Option<&Stored>, random: &mut Random) -> Life {
        let attempt = |actor: u64| Attempt(u128::from(number) << 64 | u128::from(actor) << 32);
        let config = CoordinatorConfig {
            job: 7,
            runtime: RuntimeId(job.seed.into()),
            attempt: attempt(1),
            // Clocks differ: a later life may come with a lower epoch than an earlier one.
            epoch: Epoch(random.between(1, 3)),
            parallelism,
            digest: [1; 32],
            limits: job.limits,
            tracker: TrackerLimits::default(),
            seed: random.next(),
        };
        let coordinator = Coordinator::new(config, job.budget.clone()).unwrap();
        let enumerator = stored.map_or_else(
            || Enumerator::new(job.splits, job.rows),
            |stored| {
                let state = coordinator.restore(&stored.coordinator).unwrap();
                Enumerator::restored(job.splits, job.rows, &state.bytes)
            },
        );
        let parts = stored.iter().flat_map(|stored| stored.readers.iter());
        let parts = (0..).zip(parts).map(|(i, (blob, splits))| (i % parallelism, blob.clone(), splits.clone()));
        let (turn, outcome, running) = (0, coordinator::Outcome::Done, false);
        let parts = parts.collect();
        let coordinator = CoordinatorHost { coordinator, enumerator, running, parallelism, turn, outcome, parts };
        let reader = |subtask: u32| {
            let config = ReaderConfig {
                job: 7,
                runtime: RuntimeId(job.seed.into()),
                attempt: attempt(u64::from(subtask) + 10),
                subtask,
                digest: [1; 32],
                created_millis: number,
                address: vec![9; 20],
                limits: job.limits,
                poll: PollBudget::DEFAULT,
                seed: random.next(),
            };
            ReaderHost {
                reader: Reader::new(config, job.budget.clone()).unwrap(),
                connector: ReaderConnector::default(),
                finished: false,
                turn: 0,
                outcome: reader::Outcome::Done,
            }
        };
        Life { number, coordinator, readers: (0..parallelism).map(reader).collect() }
    }
}

impl CoordinatorHost {
    pub(crate) fn step(&mut self, now: u64, random: &mut Random) -> Option<Effect> {
        use coordinator::Step;
        let mut payload = Vec::new();
        let outcome = std::mem::replace(&mut self.outcome, coordinator::Outcome::Done);
        let granted = self.coordinator.next(self.turn, outcome, (), now, &mut payload).unwrap();
        self.turn = granted.turn;
        match granted.step {
            Step::Open => {
                for (subtask, blob, splits) in self.parts.drain(..) {
                    self.coordinator.restore_reader(subtask, &blob, &splits).unwrap();
                }
            }
            Step::AddSplitsBack(_) => self.enumerator.pending.extend(connector::read(&payload)),
            Step::Connect(_) => assert_eq!(payload, [9; 20]),
            Step::RegisterReader(subtask) if random.percent(50) => {
                // A connector that pushes before anybody asks.
                self.enumerator.waiting.insert(subtask);
                self.serve(random);
            }
            Step::Run => self.running = true,
            Step::RequestSplit(subtask) => {
                self.enumerator.waiting.insert(subtask);
                self.serve(random);
            }
            Step::Mail(count) => {
                self.enumerator.discover(count as u32);
                if random.percent(50) {
                    // A connector that assigns by a plan, whether the reader is there or not.
                    let subtask = random.below(self.parallelism.into()) as u32;
                    self.enumerator.waiting.insert(subtask);
                }
                self.serve(random);
            }
            Step::Snapshot(checkpoint) => {
                let blob = self.coordinator.snapshot(self.turn, 1, &self.enumerator.state()).unwrap();
                return Some(Effect::Snapshot { checkpoint, blob, splits: Vec::new() });
            }
            Step::Send(subtask, flight) => {
                return Some(Effect::Send { to: Actor::Reader(subtask as usize), flight, bytes: payload });
            }
            Step::Park(until) => return Some(Effect::Park(until)),
            Step::Failed => return Some(Effect::Ended(String::from_utf8(payload).unwrap())),
            Step::Terminal(_) | Step::Closed => return Some(Effect::Ended(format!("{:?}", granted.step))),
            Step::RegisterReader(_) | Step::CheckpointComplete(_) | Step::CheckpointAborted(_) => {}
        }
        None
    }

    fn serve(&mut self, random: &mut Random) {
        for wish in self.enumerator.serve(random) {
            match wish {
                Wish::Assign(subtask, splits) => {
                    self.coordinator.assign(self.turn, subtask, &connector::write(&splits)).unwrap();
                }
                Wish::NoMoreSplits(subtask) => self.coordinator.no_more_splits(self.turn, subtask).unwrap(),
            }
        }
    }
}

impl ReaderHost {
    pub(crate) fn step(&mut self, now: u64, random: &mut Random) -> Option<Effect> {
        use reader::Step;
        let mut payload = Vec::new();
        let allow = if self.finished { Allow::NoPoll } else { Allow::Everything };
        let granted = self.reader.next(self.turn, self.outcome, allow, now, &mut payload).unwrap();
        self.turn = granted.turn;
        self.outcome = reader::Outcome::Done;
        match granted.step {
            Step::AddSplits => {
                self.connector.asked = false;
                self.connector.splits.extend(connector::read(&payload));
            }
            Step::NoMoreSplits => self.connector.no_more = true,
            Step::Snapshot(checkpoint) => {
                let splits = connector::write(&Vec::from(self.connector.splits.clone()));
                return Some(Effect::Snapshot { checkpoint, blob: payload, splits });
            }
            Step::Poll(_) => return self.poll(random),
            Step::Send(flight) | Step::Register(flight) => {
                return Some(Effect::Send { to: Actor::Coordinator, flight, bytes: payload });
            }
            Step::Finish => {
                self.finished = true;
                return Some(Effect::Finished);
            }
            Step::Park(until) => return Some(Effect::Park(until)),
            Step::Terminal(terminal) => {
                return Some(Effect::Ended(format!("{terminal:?}: {:?}", self.reader.failure())));
            }
            Step::Closed => return Some(Effect::Ended("closed".to_owned())),
            Step::CheckpointComplete(_) | Step::CheckpointAborted(_) => {}
        }
        None
    }

    fn poll(&mut self, random: &mut Random) -> Option<Effect> {
        self.connector.emit(random.below(6));
        let (status, effect) = if !self.connector.splits.is_empty() {
            if random.percent(20) {
                // There is more, but not now: the connector says when.
                (PollStatus::NothingAvailable, Some(Effect::Availability(self.turn)))
            } else {
                (PollStatus::MoreAvailable, None)
            }
        } else if self.connector.no_more {
            (PollStatus::EndOfInput, None)
        } else {
            if !self.connector.asked || random.percent(10) {
                self.connector.asked = true;
                self.reader.request_split(self.turn).unwrap();
            }
            // Nothing will ever complete: only splits, or their end, can make the next poll worth while.
            (PollStatus::NothingAvailable, None)
        };
        self.outcome = reader::Outcome::Polled(status);
        effect
    }
}
