// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What a coordinator knows of one reader.

use super::tracker::{Assignment, Room, Tracked};
use crate::command::{Attempt, Epoch, Kind};
use crate::metadata::{AssignmentRecord, Channel};
use crate::outbound::{From, Outbound, To};
use std::collections::VecDeque;

/// A command that waits for the reader's snapshot.
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
    /// The checkpoint that the reader has to report before it gets ordered commands again.
    gate: Option<u64>,
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
            gate: None,
            no_more_splits: 0,
            finished: false,
        }
    }

    /// Where commands of `epoch` for this reader go.
    pub(super) fn to(&self, epoch: Epoch) -> To {
        To { target: self.attempt.unwrap_or_default(), epoch }
    }

    /// The reader has opened the channel: ordered commands may flow.
    pub(super) fn ready(&mut self, epoch: Epoch) {
        let to = self.to(epoch);
        self.outbound.open(to);
    }

    pub(super) fn assign(&mut self, cut: u64, entries: usize, splits: Box<[u8]>) {
        let sequence = if self.holds() { 0 } else { self.outbound.push(Kind::AssignSplits, cut, &splits) };
        if sequence == 0 {
            self.held.push_back(Held::Assignment);
        }
        self.tracked.push(Assignment { sequence, entries, splits });
    }

    pub(super) fn no_more_splits(&mut self, cut: u64) {
        self.no_more_splits += 1;
        if self.holds() {
            self.held.push_back(Held::NoMoreSplits(self.no_more_splits));
        } else {
            self.outbound.push(Kind::NoMoreSplits, cut, &self.no_more_splits.to_le_bytes());
        }
    }

    pub(super) fn was_told_no_more_splits(&self) -> bool {
        self.no_more_splits > 0
    }

    fn holds(&self) -> bool {
        self.gate.is_some() || !self.held.is_empty()
    }

    pub(super) fn finished(&mut self) {
        self.finished = true;
        self.gate = None;
    }

    /// The coordinator has snapshotted `checkpoint`: what it sends from now on lies behind that cut.
    pub(super) fn close_gate(&mut self, checkpoint: u64, epoch: Epoch) {
        if self.attempt.is_none() || self.finished {
            return;
        }
        self.gate = Some(checkpoint);
        let to = self.to(epoch);
        self.outbound.lead(to, Kind::BarrierComing, checkpoint, &checkpoint.to_le_bytes());
    }

    /// The reader has snapshotted `checkpoint`, or will never: what waited for it may go.
    pub(super) fn open_gate(&mut self, checkpoint: u64, cut: u64) {
        if self.gate.is_some_and(|of| of <= checkpoint) {
            self.gate = None;
            self.release(cut);
        }
    }

    fn release(&mut self, cut: u64) {
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

    pub(super) fn reported(&mut self, checkpoint: u64, applied: u64) {
        self.tracked.reported(checkpoint, applied);
    }

    pub(super) fn completed(&mut self, checkpoint: u64, room: &mut Room) {
        self.tracked.completed(checkpoint, room);
    }

    pub(super) fn aborted(&mut self, checkpoint: u64) {
        self.tracked.aborted(checkpoint);
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
