// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The checkpoints that the coordinator has snapshotted in this life, and which of them still count.
//!
//! The *cut* is the last one that was not aborted: whatever is sent from now on lies behind it. The *base* is the last
//! one that is complete: every reader has passed it, also one that registers later. Checkpoints of an earlier life
//! count for nothing here, because every reader of a restored source is new as well.

use std::collections::VecDeque;

/// Snapshots that are neither complete nor aborted; if nobody ever tells, the oldest are forgotten.
const OPEN_MAX: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Cuts {
    open: VecDeque<u64>,
    base: u64,
}

impl Cuts {
    pub(super) fn snapshotted(&mut self, checkpoint: u64) {
        if self.open.back() != Some(&checkpoint) {
            self.open.push_back(checkpoint);
        }
        if self.open.len() > OPEN_MAX {
            self.open.pop_front();
        }
    }

    /// The checkpoint is complete, and so no older one will be.
    pub(super) fn completed(&mut self, checkpoint: u64) {
        if self.open.contains(&checkpoint) {
            self.open.retain(|open| *open > checkpoint);
            self.base = checkpoint;
        }
    }

    pub(super) fn aborted(&mut self, checkpoint: u64) {
        self.open.retain(|open| *open != checkpoint);
    }

    /// The last checkpoint snapshotted here and not aborted since; 0 if none.
    pub(super) fn cut(&self) -> u64 {
        self.open.back().copied().unwrap_or(self.base)
    }

    /// The last complete one; 0 if none.
    pub(super) fn base(&self) -> u64 {
        self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aborted_snapshot_leaves_the_one_before() {
        let mut cuts = Cuts::default();
        cuts.snapshotted(3);
        cuts.completed(3);
        cuts.snapshotted(4);
        cuts.snapshotted(5);
        assert_eq!((cuts.cut(), cuts.base()), (5, 3));
        cuts.aborted(5);
        assert_eq!(cuts.cut(), 4);
        cuts.aborted(4);
        assert_eq!((cuts.cut(), cuts.base()), (3, 3));
    }

    #[test]
    fn notices_of_another_life_say_nothing() {
        let mut cuts = Cuts::default();
        cuts.completed(u64::MAX >> 1);
        cuts.aborted(7);
        assert_eq!((cuts.cut(), cuts.base()), (0, 0));
    }

    #[test]
    fn snapshots_that_nobody_settles_are_bounded() {
        let mut cuts = Cuts::default();
        (1..=1000).for_each(|checkpoint| cuts.snapshotted(checkpoint));
        assert_eq!((cuts.cut(), cuts.open.len()), (1000, OPEN_MAX));
    }
}
