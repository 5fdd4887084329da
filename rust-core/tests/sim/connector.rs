// Licensed under the Apache License, Version 2.0. See LICENSE.
//! A toy connector: splits of rows that count, an enumerator that discovers them over time, readers that emit them.

use super::Random;
use forebay_core::command::Kind;
use forebay_core::command::payload::{self, Payload};
use std::collections::{BTreeSet, VecDeque};

/// Rows `next` to `end` of the split `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Split {
    pub(crate) id: u32,
    pub(crate) next: u32,
    pub(crate) end: u32,
}

impl Split {
    fn bytes(&self) -> Vec<u8> {
        [self.id, self.next, self.end].iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn read(bytes: &[u8]) -> Split {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        Split { id: number(0), next: number(4), end: number(8) }
    }
}

/// Splits as a payload.
pub(crate) fn write(splits: &[Split]) -> Vec<u8> {
    let bytes: Vec<_> = splits.iter().map(Split::bytes).collect();
    let mut out = Vec::new();
    payload::encode_splits(bytes.iter().map(Vec::as_slice), &mut out).unwrap();
    out
}

/// Splits from a payload.
pub(crate) fn read(bytes: &[u8]) -> Vec<Split> {
    match payload::decode(Kind::AssignSplits, bytes).unwrap() {
        Payload::Splits(list) => list.iter().map(Split::read).collect(),
        other => panic!("{other:?}"),
    }
}

/// Finds the splits of a source and gives them to whoever asks.
#[derive(Clone, Debug)]
pub(crate) struct Enumerator {
    pub(crate) pending: VecDeque<Split>,
    /// Splits from this one on are not discovered yet.
    pub(crate) undiscovered: u32,
    pub(crate) total: u32,
    pub(crate) rows: u32,
    pub(crate) waiting: BTreeSet<u32>,
    pub(crate) done: BTreeSet<u32>,
}

/// What the enumerator wants from its context.
#[derive(Debug)]
pub(crate) enum Wish {
    Assign(u32, Vec<Split>),
    NoMoreSplits(u32),
}

impl Enumerator {
    pub(crate) fn new(total: u32, rows: u32) -> Self {
        let none = BTreeSet::new();
        Self { pending: VecDeque::new(), undiscovered: 0, total, rows, waiting: none.clone(), done: none }
    }

    pub(crate) fn state(&self) -> Vec<u8> {
        let mut bytes = self.undiscovered.to_le_bytes().to_vec();
        bytes.extend(write(&Vec::from(self.pending.clone())));
        bytes
    }

    pub(crate) fn restored(total: u32, rows: u32, state: &[u8]) -> Self {
        let mut enumerator = Self::new(total, rows);
        enumerator.undiscovered = u32::from_le_bytes(state[..4].try_into().unwrap());
        enumerator.pending = read(&state[4..]).into();
        enumerator
    }

    pub(crate) fn discover(&mut self, count: u32) {
        for _ in 0..count.min(self.total - self.undiscovered) {
            self.pending.push_back(Split { id: self.undiscovered, next: 0, end: self.rows });
            self.undiscovered += 1;
        }
    }

    /// Serves those who wait, some splits at a time.
    pub(crate) fn serve(&mut self, random: &mut Random) -> Vec<Wish> {
        let mut wishes = Vec::new();
        for subtask in std::mem::take(&mut self.waiting) {
            let count = (random.between(1, 3) as usize).min(self.pending.len());
            if count > 0 {
                wishes.push(Wish::Assign(subtask, self.pending.drain(..count).collect()));
            } else if self.undiscovered == self.total {
                if self.done.insert(subtask) {
                    wishes.push(Wish::NoMoreSplits(subtask));
                }
            } else {
                self.waiting.insert(subtask);
            }
        }
        wishes
    }
}

/// Emits the rows of its splits.
#[derive(Debug, Default)]
pub(crate) struct ReaderConnector {
    pub(crate) splits: VecDeque<Split>,
    pub(crate) no_more: bool,
    pub(crate) emitted: Vec<(u32, u32)>,
    /// Asked for and not got yet.
    pub(crate) asked: bool,
}

impl ReaderConnector {
    /// Emits at most `budget` rows.
    pub(crate) fn emit(&mut self, budget: u64) {
        for _ in 0..budget {
            let Some(split) = self.splits.front_mut() else { return };
            self.emitted.push((split.id, split.next));
            split.next += 1;
            if split.next == split.end {
                self.splits.pop_front();
            }
        }
    }
}
