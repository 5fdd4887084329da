// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Which splits a restored checkpoint gives back to the enumerator.
//!
//! Coordinator and readers are restored from the same checkpoint n. A reader's part says on which channel it was
//! served and up to which sequence it had applied; so an assignment of the coordinator's part was with the reader
//! exactly if it was sent on that channel at or below that sequence (and is then in the reader's splits, or was
//! finished). Every other one, and every split of every reader, goes back. Subtask numbers play no part, so a
//! restore with another parallelism is the same.

use crate::command::Attempt;
use crate::metadata::{AssignmentRecord, Channel, MetadataError, ReaderMetadata};
use std::collections::{HashMap, VecDeque};

/// What was taken over and not given back yet.
#[derive(Debug, Default)]
pub(super) struct Restored {
    /// The checkpoint of the parts that were taken over.
    checkpoint: Option<u64>,
    assignments: Vec<AssignmentRecord>,
    /// Readers of which a part must be taken over.
    needed: Vec<Attempt>,
    applied: HashMap<Attempt, (Channel, u64)>,
    splits: VecDeque<(u32, Vec<u8>)>,
}

impl Restored {
    pub(super) fn coordinator(
        &mut self,
        checkpoint: u64,
        assignments: Vec<AssignmentRecord>,
        needed: Vec<Attempt>,
    ) -> Result<(), MetadataError> {
        self.check(checkpoint)?;
        self.needed = needed;
        self.assignments = assignments;
        Ok(())
    }

    /// Whatever part comes first says which checkpoint it is.
    fn check(&mut self, found: u64) -> Result<(), MetadataError> {
        let expected = *self.checkpoint.get_or_insert(found);
        if found == expected {
            return Ok(());
        }
        let (field, advice) = ("checkpoint", "all parts must come from the same one");
        Err(MetadataError::Mismatch { field, found: found.to_string(), expected: expected.to_string(), advice })
    }

    /// A reader's part; `splits` only if it has any. The same part twice counts once, if the reader had a channel; one
    /// that had none was given no splits.
    pub(super) fn reader(
        &mut self,
        subtask: u32,
        metadata: &ReaderMetadata,
        splits: Option<&[u8]>,
    ) -> Result<(), MetadataError> {
        self.check(metadata.checkpoint)?;
        let known = |channel: Channel| self.applied.insert(channel.reader, (channel, metadata.applied)).is_some();
        if metadata.channel.is_some_and(known) {
            return Ok(());
        }
        self.splits.extend(splits.map(|splits| (subtask, splits.to_vec())));
        Ok(())
    }

    /// Refuses a checkpoint in which the part of a reader is missing: what that reader had would be lost in silence.
    /// Engine 2.3.8 can store one, when two tasks report their state at the same moment.
    pub(super) fn check_complete(&self) -> Result<(), String> {
        let missing = self.needed.iter().filter(|reader| !self.applied.contains_key(reader)).count();
        match self.checkpoint {
            Some(checkpoint) if missing > 0 => Err(format!(
                "checkpoint {checkpoint} lacks the state of {missing} readers: the engine has stored it incomplete, \
                 and restoring it would lose splits; restore an earlier checkpoint"
            )),
            _ => Ok(()),
        }
    }

    /// All parts are there: adds the assignments that no reader had to what goes back.
    pub(super) fn reconcile(&mut self, parallelism: u32) {
        for record in std::mem::take(&mut self.assignments) {
            let arrived = record.sent.is_some_and(|(channel, sequence)| {
                self.applied.get(&channel.reader).is_some_and(|(of, applied)| *of == channel && sequence <= *applied)
            });
            if !arrived {
                self.splits.push_back((record.subtask % parallelism, record.splits));
            }
        }
        self.applied.clear();
    }

    /// The next splits to give back, and the subtask that they were with.
    pub(super) fn next(&mut self) -> Option<(u32, Vec<u8>)> {
        self.splits.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Epoch, payload};
    use crate::metadata::Identity;

    fn channel(reader: u128) -> Channel {
        Channel { coordinator: Attempt(1), epoch: Epoch(1), reader: Attempt(reader) }
    }

    fn list(split: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        payload::encode_splits([&[split][..]].into_iter(), &mut bytes).unwrap();
        bytes
    }

    fn reader(channel: Channel, applied: u64) -> ReaderMetadata {
        let identity = Identity::managed([0; 32]);
        ReaderMetadata { identity, checkpoint: 1, channel: Some(channel), applied, no_more_splits_generation: 0 }
    }

    /// Each split comes back once, whoever had it when the checkpoint was taken.
    #[test]
    fn every_split_of_a_cut_is_owned_once() {
        let mut restored = Restored::default();
        restored
            .coordinator(
                1,
                vec![
                    AssignmentRecord { subtask: 0, sent: Some((channel(10), 1)), splits: list(1) },
                    AssignmentRecord { subtask: 0, sent: Some((channel(10), 2)), splits: list(2) },
                    AssignmentRecord { subtask: 3, sent: None, splits: list(3) },
                    AssignmentRecord { subtask: 1, sent: Some((channel(11), 1)), splits: list(4) },
                ],
                vec![Attempt(10), Attempt(11)],
            )
            .unwrap();
        // Reader 10 had applied the first one; reader 11 was served by another life of the coordinator.
        restored.reader(0, &reader(channel(10), 1), Some(&list(1))).unwrap();
        restored.reader(0, &reader(channel(10), 1), Some(&list(1))).unwrap();
        assert!(restored.check_complete().unwrap_err().contains("lacks the state of 1 readers"));
        let foreign = Channel { epoch: Epoch(9), ..channel(11) };
        restored.reader(1, &reader(foreign, 5), Some(&list(5))).unwrap();
        assert_eq!(restored.check_complete(), Ok(()));
        restored.reconcile(2);
        let back: Vec<_> = std::iter::from_fn(|| restored.next()).collect();
        assert_eq!(back, [(0, list(1)), (1, list(5)), (0, list(2)), (1, list(3)), (1, list(4))]);
    }

    /// The part of a reader that had ended does not stand for that of another one.
    #[test]
    fn every_reader_that_was_served_must_have_its_part() {
        let mut restored = Restored::default();
        restored.coordinator(1, Vec::new(), vec![Attempt(11)]).unwrap();
        restored.reader(0, &reader(channel(10), 1), None).unwrap();
        assert!(restored.check_complete().is_err());
        restored.reader(1, &reader(channel(11), 1), None).unwrap();
        assert_eq!(restored.check_complete(), Ok(()));
    }

    #[test]
    fn a_finished_split_does_not_come_back() {
        let mut restored = Restored::default();
        let sent = Some((channel(10), 1));
        restored.coordinator(1, vec![AssignmentRecord { subtask: 0, sent, splits: list(1) }], Vec::new()).unwrap();
        restored.reader(0, &reader(channel(10), 1), None).unwrap();
        restored.reconcile(1);
        assert_eq!(restored.next(), None);
    }

    #[test]
    fn parts_of_two_checkpoints_are_refused() {
        let mut restored = Restored::default();
        restored.coordinator(2, Vec::new(), Vec::new()).unwrap();
        let error = restored.reader(0, &reader(channel(10), 1), None).unwrap_err().to_string();
        assert!(error.contains("checkpoint 1") && error.contains("now has 2"), "{error}");
        assert!(restored.coordinator(3, Vec::new(), Vec::new()).is_err(), "nor may a second one replace the first");
        let mut readers_first = Restored::default();
        readers_first.reader(0, &reader(channel(10), 1), None).unwrap();
        assert!(readers_first.coordinator(2, Vec::new(), Vec::new()).is_err());
        let of_another = ReaderMetadata { checkpoint: 2, ..reader(channel(11), 1) };
        assert!(readers_first.reader(1, &of_another, None).is_err());
    }
}
