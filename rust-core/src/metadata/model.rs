// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What stands in the metadata of a reader and of a coordinator.

use super::blob::{MetadataError, Reader, SectionId, Writer};
use crate::command::payload::DIGEST_LEN;
use crate::command::{Attempt, Epoch, PROTOCOL_VERSION};
use serde::{Deserialize, Serialize};

/// The version of the state that the types of this file write.
pub const STATE_VERSION: u16 = 1;

/// Who owns the concurrency of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lane {
    /// The runtime.
    Managed,
    /// The engine's own monitor.
    Plain,
}

/// What a checkpoint must have in common with the job that restores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Which lane took the checkpoint.
    pub lane: Lane,
    /// The protocol that was spoken.
    pub protocol: u16,
    /// Version of this module's types.
    pub state_version: u16,
    /// Digest of the connector's capability.
    pub digest: [u8; DIGEST_LEN],
}

impl Identity {
    /// The identity of the managed lane of this release.
    #[must_use]
    pub fn managed(digest: [u8; DIGEST_LEN]) -> Self {
        Self { lane: Lane::Managed, protocol: PROTOCOL_VERSION, state_version: STATE_VERSION, digest }
    }

    /// Refuses what `self`, which stands in a checkpoint, does not have in common with `job`.
    ///
    /// # Errors
    /// The first field that differs, with both values and what to do.
    pub fn check(&self, job: &Identity) -> Result<(), MetadataError> {
        let mismatch = |field, found: String, expected: String, advice| {
            Err(MetadataError::Mismatch { field, found, expected, advice })
        };
        if self.lane != job.lane {
            let (found, expected) = (format!("{:?}", self.lane), format!("{:?}", job.lane));
            return mismatch(
                "lane",
                found,
                expected,
                "a running source never switches lane: \
         start without the checkpoint, or in its lane",
            );
        }
        if self.protocol != job.protocol {
            let (found, expected) = (self.protocol.to_string(), job.protocol.to_string());
            return mismatch("protocol", found, expected, "restore with a release that speaks it");
        }
        if self.state_version != job.state_version {
            let (found, expected) = (self.state_version.to_string(), job.state_version.to_string());
            return mismatch("state version", found, expected, "restore with a release that reads it");
        }
        if self.digest != job.digest {
            return mismatch(
                "capability digest",
                hex(&self.digest),
                hex(&job.digest),
                "the connector or its state version is another one: \
                 restore with the connector that took the checkpoint",
            );
        }
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names a channel for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Channel {
    /// The coordinator that sent.
    pub coordinator: Attempt,
    /// Its epoch.
    pub epoch: Epoch,
    /// The reader that received.
    pub reader: Attempt,
}

/// A reader's part of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderMetadata {
    /// What must fit the job.
    pub identity: Identity,
    /// The checkpoint.
    pub checkpoint: u64,
    /// The channel that the reader was served by; `None` if no coordinator had opened one.
    pub channel: Option<Channel>,
    /// Everything that came on the channel up to this sequence was applied before the snapshot.
    pub applied: u64,
    /// How often the reader was told that no split will come any more.
    pub no_more_splits_generation: u64,
}

impl ReaderMetadata {
    /// Writes the blob.
    ///
    /// # Errors
    /// Does not fail for values that fit in memory.
    pub fn encode(&self) -> Result<Vec<u8>, MetadataError> {
        let body = (self.checkpoint, self.channel, self.applied, self.no_more_splits_generation);
        Writer::new().section(SectionId::Identity, &self.identity)?.section(SectionId::Reader, &body)?.finish()
    }

    /// Reads a blob.
    ///
    /// # Errors
    /// Anything that no release has written, or that this one cannot read.
    pub fn decode(blob: &[u8]) -> Result<Self, MetadataError> {
        let reader = Reader::open(blob)?;
        let identity = reader.section(SectionId::Identity)?;
        let (checkpoint, channel, applied, no_more_splits_generation) = reader.section(SectionId::Reader)?;
        Ok(Self { identity, checkpoint, channel, applied, no_more_splits_generation })
    }
}

/// Splits that were given out and that no completed checkpoint proves to be with their reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignmentRecord {
    /// The subtask that they were meant for.
    pub subtask: u32,
    /// The channel and the sequence on which they were sent; `None` if they were still held back.
    pub sent: Option<(Channel, u64)>,
    /// The payload of the assignment: the splits, as the connector serialized them.
    pub splits: Vec<u8>,
}

/// The connector's enumerator state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnumeratorState {
    /// The version that the connector's serializer stored.
    pub version: u32,
    /// What it wrote.
    pub bytes: Vec<u8>,
}

/// A coordinator's part of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorMetadata {
    /// What must fit the job.
    pub identity: Identity,
    /// The checkpoint.
    pub checkpoint: u64,
    /// The coordinator's epoch; the next life counts on from it.
    pub epoch: Epoch,
    /// Readers of the source when the checkpoint was taken.
    pub parallelism: u32,
    /// Assignments on their way.
    pub assignments: Vec<AssignmentRecord>,
    /// The connector's part.
    pub state: EnumeratorState,
    /// The readers that were served and had not ended: the checkpoint must have a part of each. Not known of a blob of
    /// version 1.0.
    pub readers: Option<Vec<Attempt>>,
}

impl CoordinatorMetadata {
    /// Writes the blob.
    ///
    /// # Errors
    /// More than 4 GiB in one section.
    pub fn encode(&self) -> Result<Vec<u8>, MetadataError> {
        let body = (self.checkpoint, self.epoch, self.parallelism);
        let writer = Writer::new()
            .section(SectionId::Identity, &self.identity)?
            .section(SectionId::Coordinator, &body)?
            .section(SectionId::Assignments, &self.assignments)?
            .section(SectionId::EnumeratorState, &self.state)?;
        match &self.readers {
            Some(readers) => writer.optional(SectionId::Readers, readers)?.finish(),
            None => writer.finish(),
        }
    }

    /// Reads a blob.
    ///
    /// # Errors
    /// Anything that no release has written, or that this one cannot read.
    pub fn decode(blob: &[u8]) -> Result<Self, MetadataError> {
        let reader = Reader::open(blob)?;
        let identity = reader.section(SectionId::Identity)?;
        let (checkpoint, epoch, parallelism) = reader.section(SectionId::Coordinator)?;
        let assignments = reader.section(SectionId::Assignments)?;
        let state = reader.section(SectionId::EnumeratorState)?;
        let readers = reader.optional(SectionId::Readers)?;
        Ok(Self { identity, checkpoint, epoch, parallelism, assignments, state, readers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reader() -> ReaderMetadata {
        let channel = Channel { coordinator: Attempt(1), epoch: Epoch(2), reader: Attempt(3) };
        ReaderMetadata {
            identity: Identity::managed([7; 32]),
            checkpoint: 4,
            channel: Some(channel),
            applied: 5,
            no_more_splits_generation: 1,
        }
    }

    fn coordinator() -> CoordinatorMetadata {
        let sent = Some((Channel { coordinator: Attempt(1), epoch: Epoch(2), reader: Attempt(3) }, 9));
        CoordinatorMetadata {
            identity: Identity::managed([7; 32]),
            checkpoint: 4,
            epoch: Epoch(2),
            parallelism: 2,
            assignments: vec![AssignmentRecord { subtask: 1, sent, splits: vec![1, 2, 3] }],
            state: EnumeratorState { version: 1, bytes: vec![4, 5] },
            readers: Some(vec![Attempt(3)]),
        }
    }

    #[test]
    fn both_come_back() {
        assert_eq!(ReaderMetadata::decode(&reader().encode().unwrap()).unwrap(), reader());
        assert_eq!(CoordinatorMetadata::decode(&coordinator().encode().unwrap()).unwrap(), coordinator());
    }

    /// The bytes of each version for ever: a release that cannot read these breaks its users' checkpoints.
    #[test]
    fn the_bytes_of_every_version_are_read() {
        let first_reader = include_bytes!("../../fixtures/reader-metadata-1.0.bin");
        let first_coordinator = include_bytes!("../../fixtures/coordinator-metadata-1.0.bin");
        assert_eq!(ReaderMetadata::decode(first_reader).unwrap(), reader());
        let without = CoordinatorMetadata { readers: None, ..coordinator() };
        assert_eq!(CoordinatorMetadata::decode(first_coordinator).unwrap(), without);
    }

    #[test]
    fn the_bytes_of_this_version_stay() {
        assert_eq!(reader().encode().unwrap(), include_bytes!("../../fixtures/reader-metadata-1.1.bin"));
        assert_eq!(coordinator().encode().unwrap(), include_bytes!("../../fixtures/coordinator-metadata-1.1.bin"));
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_found() {
        let blob = coordinator().encode().unwrap();
        for bit in 0..blob.len() * 8 {
            let mut damaged = blob.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(CoordinatorMetadata::decode(&damaged).is_err(), "bit {bit}");
        }
        for len in 0..blob.len() {
            assert!(CoordinatorMetadata::decode(&blob[..len]).is_err(), "length {len}");
        }
    }

    #[test]
    fn what_does_not_fit_the_job_is_named() {
        let job = Identity::managed([8; 32]);
        let error = reader().identity.check(&job).unwrap_err().to_string();
        assert!(error.contains("capability digest") && error.contains("restore with the connector"), "{error}");
        let plain = Identity { lane: Lane::Plain, ..job };
        assert!(plain.check(&job).unwrap_err().to_string().contains("lane Plain"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = ReaderMetadata::decode(&bytes);
            let _ = CoordinatorMetadata::decode(&bytes);
        }
    }
}
