// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What a coordinator knows of one reader.
//!
//! Invariant (the cut gate): a command gets its place in the channel only when the reader is registered and has passed
//! the coordinator's cut; until then it is held back, in order. So whatever has a place lies in front of every cut that
//! the reader has still to snapshot, and a checkpoint can tell by the sequence alone whether the reader has it.

use super::cuts::Cuts;
use super::tracker::{Assignment, Room, Tracked};
use crate::command::{Attempt, Epoch, Kind};
use crate::metadata::{AssignmentRecord, Channel};
use crate::outbound::{From, Outbound, To};
use std::collections::VecDeque;

/// A command that is held back.
#[derive(Debug)]
enum Held {
    /// The oldest assignment without a sequence.
    Assignment,
    /// No more splits, of this generation.
    NoMoreSplits(u64),
}

/// One reader of the source.
#[derive(Debug)]
pub(super) struct ReaderSlot {
    subtask: u32,
    /// The current life; `None` until it has registered.
    pub(super) attempt: Option<Attempt>,
    pub(super) created_millis: u64,
    pub(super) outbound: Outbound,
    tracked: Tracked,
    held: VecDeque<Held>,
    /// The current life has opened the channel.
    ready: bool,
    /// The connector was told of a life of this reader.
    pub(super) announced: bool,
    /// The last checkpoint that the reader has snapshotted, as far as is known.
    passed: u64,
    no_more_splits: u64,
    finished: bool,
}

impl ReaderSlot {
    pub(super) fn new(from: From, seed: u64) -> Self {
        Self {
            subtask: from.subtask,
            attempt: None,
            created_millis: 0,
            outbound: Outbound::new(from, seed),
            tracked: Tracked::default(),
            held: VecDeque::new(),
            ready: false,
            announced: false,
            passed: 0,
            no_more_splits: 0,
            finished: false,
        }
    }

    /// A life of the reader has registered: its channel is to be opened. What an earlier one, which never opened its
    /// channel, should have got starts anew.
    pub(super) fn register(&mut self, attempt: Attempt, created_millis: u64, epoch: Epoch, cuts: &Cuts) {
        if self.attempt.is_some() {
            self.forget();
        }
        self.attempt = Some(attempt);
        self.created_millis = created_millis;
        // A checkpoint that is still open may take its snapshot of this life yet, so only complete ones are passed.
        self.passed = cuts.base();
        self.outbound.lead(self.to(epoch), Kind::ReaderEpochStart, cuts.base(), &[]);
        self.release(cuts);
    }

    /// The life that registered is not there: a registration of an earlier one came late. Nothing has left for it, so
    /// everything is held back again for the life that is to come.
    pub(super) fn forget(&mut self) {
        self.attempt = None;
        self.outbound.reset();
        self.held.clear();
        self.held.extend((0..self.tracked.hold_all()).map(|_| Held::Assignment));
        // Nothing is assigned after it, so it comes last.
        self.held.extend((self.no_more_splits > 0).then_some(Held::NoMoreSplits(self.no_more_splits)));
    }

    /// Whether the current life has opened its channel.
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// Where commands of `epoch` for this reader go.
    pub(super) fn to(&self, epoch: Epoch) -> To {
        To { target: self.attempt.unwrap_or_default(), epoch }
    }

    /// The reader has opened the channel: ordered commands may flow.
    pub(super) fn ready(&mut self, epoch: Epoch) {
        self.ready = true;
        self.outbound.open(self.to(epoch));
    }

    pub(super) fn assign(&mut self, cuts: &Cuts, entries: usize, splits: Box<[u8]>) {
        self.tracked.push(Assignment { sequence: 0, entries, splits });
        self.held.push_back(Held::Assignment);
        self.release(cuts);
    }

    /// The reader has applied everything up to `applied`, and no checkpoint was taken since this life began: a failure
    /// starts the source anew, so there is nothing to remember it for. Jobs without checkpoints live on this.
    pub(super) fn applied(&mut self, applied: u64, room: &mut Room) {
        self.tracked.forget(applied, room);
    }

    pub(super) fn no_more_splits(&mut self, cuts: &Cuts) {
        if self.finished || self.no_more_splits > 0 {
            return; // it knows or will, and may be gone already
        }
        self.no_more_splits += 1;
        self.held.push_back(Held::NoMoreSplits(self.no_more_splits));
        self.release(cuts);
    }

    pub(super) fn was_told_no_more_splits(&self) -> bool {
        self.no_more_splits > 0
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    pub(super) fn finished(&mut self) {
        self.finished = true;
    }

    /// Tells a reader that has work to do that the barrier of `checkpoint` is on its way.
    pub(super) fn announce_barrier(&mut self, checkpoint: u64, epoch: Epoch) {
        if self.attempt.is_some() && !self.finished {
            self.outbound.lead(self.to(epoch), Kind::BarrierComing, checkpoint, &checkpoint.to_le_bytes());
        }
    }

    /// Gives what was held back its place in the channel, if nothing stands in its way any more.
    pub(super) fn release(&mut self, cuts: &Cuts) {
        let cut = cuts.cut();
        if self.attempt.is_none() || cut > self.passed {
            return;
        }
        while let Some(held) = self.held.pop_front() {
            match held {
                Held::NoMoreSplits(generation) => {
                    self.outbound.push(Kind::NoMoreSplits, cut, &generation.to_le_bytes());
                }
                Held::Assignment => {
                    let outbound = &mut self.outbound;
                    self.tracked.send_held(|splits| outbound.push(Kind::AssignSplits, cut, splits));
                }
            }
        }
    }

    /// The reader has snapshotted `checkpoint` with everything up to `applied` in it.
    pub(super) fn reported(&mut self, checkpoint: u64, applied: u64, cuts: &Cuts, room: &mut Room) {
        self.passed = self.passed.max(checkpoint);
        self.tracked.reported(checkpoint, applied);
        if checkpoint <= cuts.base() {
            // The report comes after the completion of what it reports.
            self.tracked.completed(checkpoint, room);
        }
        self.release(cuts);
    }

    /// A complete checkpoint has every reader's snapshot, also where the report is still on its way.
    pub(super) fn completed(&mut self, checkpoint: u64, cuts: &Cuts, room: &mut Room) {
        self.tracked.completed(checkpoint, room);
        self.passed = self.passed.max(cuts.base());
        self.release(cuts);
    }

    pub(super) fn aborted(&mut self, checkpoint: u64, cuts: &Cuts) {
        self.tracked.aborted(checkpoint);
        self.release(cuts);
    }

    /// Everything that a checkpoint must remember of this reader's assignments.
    pub(super) fn records(&self, coordinator: Attempt, epoch: Epoch) -> impl Iterator<Item = AssignmentRecord> {
        let channel = Channel { coordinator, epoch, reader: self.attempt.unwrap_or_default() };
        self.tracked.iter().map(move |assignment| AssignmentRecord {
            subtask: self.subtask,
            sent: (assignment.sequence > 0).then_some((channel, assignment.sequence)),
            splits: assignment.splits.to_vec(),
        })
    }
}
