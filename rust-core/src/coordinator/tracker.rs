// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Remembers each assignment until a completed checkpoint proves that its reader has it.
//!
//! Per reader, sequences only grow, so an assignment's state follows from three numbers: what the reader has applied,
//! what it had applied at each snapshot that is not complete yet, and what a completed checkpoint proves. An event
//! touches only the assignments that it changes.
//!
//! | state of STIP-31 | here |
//! | --- | --- |
//! | UNASSIGNED | held back: the reader is not registered, or behind the cut; or given back to the enumerator |
//! | DISPATCHED, ADMITTED | sent, above the applied sequence |
//! | APPLIED | at or below the applied sequence |
//! | CHECKPOINT_INCLUDED | at or below the applied sequence of a snapshot in `included` |
//! | GC_ELIGIBLE | removed as soon as that checkpoint completes |

use std::collections::VecDeque;

/// Snapshots that are remembered while nobody tells whether they are complete. The newest says all that the oldest did.
const INCLUDED_MAX: usize = 128;

/// What the tracker of one source may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackerLimits {
    /// Splits.
    pub max_entries: usize,
    /// Bytes of the serialized splits.
    pub max_bytes: usize,
}

impl Default for TrackerLimits {
    /// The initial production defaults of STIP-31.
    fn default() -> Self {
        Self { max_entries: 100_000, max_bytes: 64 << 20 }
    }
}

/// Room of all readers together.
#[derive(Debug)]
pub(super) struct Room {
    limits: TrackerLimits,
    entries: usize,
    bytes: usize,
}

impl Room {
    pub(super) fn new(limits: TrackerLimits) -> Self {
        Self { limits, entries: 0, bytes: 0 }
    }

    /// Whether there is room for more without coming near the limit: below 80 % of both.
    pub(super) fn is_ample(&self) -> bool {
        let below = |used: usize, max: usize| used as u128 * 5 < max as u128 * 4;
        below(self.entries, self.limits.max_entries) && below(self.bytes, self.limits.max_bytes)
    }

    pub(super) fn limits(&self) -> TrackerLimits {
        self.limits
    }

    pub(super) fn used(&self) -> (usize, usize) {
        (self.entries, self.bytes)
    }

    /// Takes room for an assignment of `entries` splits, or none.
    pub(super) fn take(&mut self, entries: usize, bytes: usize) -> bool {
        let fits = self.entries + entries <= self.limits.max_entries && self.bytes + bytes <= self.limits.max_bytes;
        if fits {
            self.entries += entries;
            self.bytes += bytes;
        }
        fits
    }

    fn give_back(&mut self, assignment: &Assignment) {
        self.entries -= assignment.entries;
        self.bytes -= assignment.splits.len();
    }
}

/// One command's worth of splits.
#[derive(Debug)]
pub(super) struct Assignment {
    /// Its place in the channel; 0 while it is held back.
    pub(super) sequence: u64,
    pub(super) entries: usize,
    pub(super) splits: Box<[u8]>,
}

/// The assignments of one reader.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    assignments: VecDeque<Assignment>,
    /// (checkpoint, applied sequence) of snapshots that are neither complete nor aborted, oldest first.
    included: VecDeque<(u64, u64)>,
}

impl Tracked {
    pub(super) fn push(&mut self, assignment: Assignment) {
        self.assignments.push_back(assignment);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Assignment> {
        self.assignments.iter()
    }

    /// Holds back everything, as if nothing had been sent; tells how much that is.
    pub(super) fn hold_all(&mut self) -> usize {
        self.assignments.iter_mut().for_each(|assignment| assignment.sequence = 0);
        self.assignments.len()
    }

    /// The oldest assignment that was held back gets the sequence that `send` gives it.
    pub(super) fn send_held(&mut self, send: impl FnOnce(&[u8]) -> u64) {
        // What is held back is the younger part.
        let sent = self.assignments.partition_point(|assignment| assignment.sequence > 0);
        if let Some(held) = self.assignments.get_mut(sent) {
            held.sequence = send(&held.splits);
        }
    }

    /// The reader has snapshotted with everything up to `applied` in it.
    pub(super) fn reported(&mut self, checkpoint: u64, applied: u64) {
        self.included.push_back((checkpoint, applied));
        if self.included.len() > INCLUDED_MAX {
            self.included.pop_front();
        }
    }

    /// The checkpoint is complete: what it includes is proven. Inclusions of older ones say nothing more.
    pub(super) fn completed(&mut self, checkpoint: u64, room: &mut Room) {
        while let Some((_, applied)) = self.included.pop_front_if(|(of, _)| *of <= checkpoint) {
            self.forget(applied, room);
        }
    }

    /// Nothing will ever ask for what was sent up to `applied`.
    pub(super) fn forget(&mut self, applied: u64, room: &mut Room) {
        while let Some(past) = self.assignments.pop_front_if(|sent| sent.sequence != 0 && sent.sequence <= applied) {
            room.give_back(&past);
        }
    }

    /// The checkpoint will never be complete: what it includes is only applied again.
    pub(super) fn aborted(&mut self, checkpoint: u64) {
        self.included.retain(|(of, _)| *of != checkpoint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracked(room: &mut Room, sequences: std::ops::RangeInclusive<u64>) -> Tracked {
        let mut tracked = Tracked::default();
        for sequence in sequences {
            assert!(room.take(1, 10));
            tracked.push(Assignment { sequence, entries: 1, splits: vec![0; 10].into() });
        }
        tracked
    }

    fn left(tracked: &Tracked) -> Vec<u64> {
        tracked.iter().map(|assignment| assignment.sequence).collect()
    }

    #[test]
    fn only_a_completed_checkpoint_proves() {
        let mut room = Room::new(TrackerLimits::default());
        let mut tracked = tracked(&mut room, 1..=4);
        tracked.reported(7, 2);
        assert_eq!(left(&tracked), [1, 2, 3, 4]);
        tracked.completed(7, &mut room);
        assert_eq!(left(&tracked), [3, 4]);
        assert_eq!(room.used(), (2, 20));
    }

    #[test]
    fn an_aborted_checkpoint_proves_nothing_and_the_next_one_all() {
        let mut room = Room::new(TrackerLimits::default());
        let mut tracked = tracked(&mut room, 1..=4);
        tracked.reported(7, 2);
        tracked.aborted(7);
        tracked.completed(7, &mut room);
        assert_eq!(left(&tracked), [1, 2, 3, 4]);
        tracked.reported(8, 4);
        tracked.completed(8, &mut room);
        assert_eq!(room.used(), (0, 0));
    }

    #[test]
    fn what_is_held_back_is_never_proven() {
        let mut room = Room::new(TrackerLimits::default());
        let mut tracked = tracked(&mut room, 1..=1);
        assert!(room.take(1, 5));
        tracked.push(Assignment { sequence: 0, entries: 1, splits: vec![0; 5].into() });
        tracked.reported(7, 1);
        tracked.completed(7, &mut room);
        assert_eq!(left(&tracked), [0]);
    }

    #[test]
    fn snapshots_that_nobody_settles_are_bounded_and_the_newest_proves_all() {
        let mut room = Room::new(TrackerLimits::default());
        let mut tracked = tracked(&mut room, 1..=4);
        (1..=1000).for_each(|checkpoint| tracked.reported(checkpoint, 4));
        assert_eq!(tracked.included.len(), INCLUDED_MAX);
        tracked.completed(1000, &mut room);
        assert_eq!((room.used(), tracked.included.len()), ((0, 0), 0));
    }

    #[test]
    fn room_is_all_or_nothing() {
        let mut room = Room::new(TrackerLimits { max_entries: 10, max_bytes: 100 });
        assert!(room.take(7, 70) && room.is_ample());
        assert!(!room.take(4, 4) && !room.take(1, 31));
        assert!(room.take(3, 30) && !room.is_ample());
        let smallest = Room::new(TrackerLimits { max_entries: 1, max_bytes: 1 });
        assert!(smallest.is_ample());
    }
}
