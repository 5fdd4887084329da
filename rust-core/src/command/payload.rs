// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What stands in the payload of each kind, payload version 1.
//!
//! | kind | layout |
//! | --- | --- |
//! | ASSIGN_SPLITS | u32 count; count × (u32 length, split bytes) |
//! | NO_MORE_SPLITS | u64 generation, from 1 |
//! | BARRIER, CHECKPOINT_COMPLETE, CHECKPOINT_ABORTED, BARRIER_COMING | u64 checkpoint id |
//! | COMMAND_APPLIED | u64 sequence: everything up to it is applied |
//! | READER_CHECKPOINT_REPORT | u64 checkpoint id; u64 sequence applied before it |
//! | REGISTER_READER | 32 bytes capability digest; u64 creation time in ms since 1970; u16 length, address bytes |
//! | SOURCE_FAILED | UTF-8 text |
//! | READER_EPOCH_START, REQUEST_SPLIT, READER_FINISHED, OPEN_ENUMERATOR, RUN_ENUMERATOR | empty |
//!
//! Split bytes and address bytes are the host's: the core moves them and does not look inside.

use super::{DecodeError, Fields, Kind};

/// Bytes of a capability digest: SHA-256.
pub const DIGEST_LEN: usize = 32;

/// What a reader says of itself when it registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Digest of the connector's capability.
    pub digest: &'a [u8; DIGEST_LEN],
    /// When the reader was created, in ms since 1970: of two lives of one subtask the later one is meant.
    pub created_millis: u64,
    /// Where to send commands for the reader; the host's format.
    pub address: &'a [u8],
}

/// A payload that was read, borrowing from the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// Splits, as many as `count`.
    Splits(Splits<'a>),
    /// A generation, a checkpoint id or a sequence, as the kind says.
    Number(u64),
    /// What a reader reports of its snapshot.
    Report {
        /// The checkpoint.
        checkpoint: u64,
        /// The last sequence applied before the snapshot.
        applied: u64,
    },
    /// What a reader says of itself.
    Registration(Registration<'a>),
    /// Why the source failed.
    Text(&'a str),
    /// Nothing.
    Empty,
}

/// A list of splits that was checked as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splits<'a> {
    count: u32,
    bytes: &'a [u8],
}

impl<'a> Splits<'a> {
    /// How many splits.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The splits' bytes in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut fields = Fields(self.bytes);
        (0..self.count).map_while(move |_| {
            let len = fields.u32().ok()?;
            fields.take(len as usize).ok()
        })
    }
}

/// Reads the payload of a command of `kind`, all of `bytes`.
///
/// # Errors
/// Anything that the byte table does not allow.
pub fn decode(kind: Kind, bytes: &[u8]) -> Result<Payload<'_>, DecodeError> {
    let mut fields = Fields(bytes);
    let payload = match kind {
        Kind::AssignSplits => return splits(bytes).map(Payload::Splits),
        Kind::NoMoreSplits
        | Kind::Barrier
        | Kind::CheckpointComplete
        | Kind::CheckpointAborted
        | Kind::BarrierComing
        | Kind::CommandApplied => Payload::Number(fields.u64()?),
        Kind::ReaderCheckpointReport => Payload::Report { checkpoint: fields.u64()?, applied: fields.u64()? },
        Kind::RegisterReader => Payload::Registration(registration(&mut fields)?),
        Kind::SourceFailed => {
            return std::str::from_utf8(bytes).map(Payload::Text).map_err(|_| DecodeError::Text);
        }
        Kind::ReaderEpochStart
        | Kind::RequestSplit
        | Kind::ReaderFinished
        | Kind::OpenEnumerator
        | Kind::RunEnumerator => Payload::Empty,
    };
    fields.end()?;
    Ok(payload)
}

fn splits(bytes: &[u8]) -> Result<Splits<'_>, DecodeError> {
    let mut fields = Fields(bytes);
    let count = fields.u32()?;
    let body = fields.0;
    for _ in 0..count {
        let len = fields.u32()?;
        fields.take(len as usize)?;
    }
    fields.end()?;
    Ok(Splits { count, bytes: body })
}

fn registration<'a>(fields: &mut Fields<'a>) -> Result<Registration<'a>, DecodeError> {
    let Some((digest, rest)) = fields.0.split_first_chunk() else {
        return Err(DecodeError::Truncated { need: DIGEST_LEN, have: fields.0.len() });
    };
    fields.0 = rest;
    let created_millis = fields.u64()?;
    let len = fields.u16()?;
    Ok(Registration { digest, created_millis, address: fields.take(len as usize)? })
}

/// Writes the payload of a registration.
///
/// # Errors
/// An address of more than 65,535 bytes.
pub fn encode_registration(registration: &Registration<'_>, out: &mut Vec<u8>) -> Result<(), DecodeError> {
    let len = u16::try_from(registration.address.len())
        .map_err(|_| DecodeError::Undefined { field: "address length", value: registration.address.len() as u64 })?;
    out.extend_from_slice(registration.digest);
    out.extend_from_slice(&registration.created_millis.to_le_bytes());
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(registration.address);
    Ok(())
}

/// Writes a list of splits.
///
/// # Errors
/// More than `u32::MAX` splits, or a split of more than `u32::MAX` bytes.
pub fn encode_splits<'a>(
    splits: impl ExactSizeIterator<Item = &'a [u8]>,
    out: &mut Vec<u8>,
) -> Result<(), DecodeError> {
    let number = |value: usize| {
        u32::try_from(value).map_err(|_| DecodeError::Undefined { field: "length", value: value as u64 })
    };
    out.extend_from_slice(&number(splits.len())?.to_le_bytes());
    for split in splits {
        out.extend_from_slice(&number(split.len())?.to_le_bytes());
        out.extend_from_slice(split);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn splits_come_back(list in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let mut bytes = Vec::new();
            encode_splits(list.iter().map(Vec::as_slice), &mut bytes).unwrap();
            let Payload::Splits(read) = decode(Kind::AssignSplits, &bytes).unwrap() else { panic!() };
            prop_assert_eq!(read.count() as usize, list.len());
            prop_assert!(read.iter().eq(list.iter().map(Vec::as_slice)));
            if !bytes.is_empty() {
                prop_assert!(decode(Kind::AssignSplits, &bytes[..bytes.len() - 1]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_answered(kind in 0_u8..30, bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            if let Some(kind) = Kind::from_code(kind) {
                let _ = decode(kind, &bytes);
            }
        }
    }

    #[test]
    fn a_huge_count_is_refused_without_allocating() {
        assert!(decode(Kind::AssignSplits, &u32::MAX.to_le_bytes()).is_err());
    }

    #[test]
    fn a_registration_comes_back() {
        let registration = Registration { digest: &[7; 32], created_millis: 5, address: b"127.0.0.1:5801" };
        let mut bytes = Vec::new();
        encode_registration(&registration, &mut bytes).unwrap();
        assert_eq!(decode(Kind::RegisterReader, &bytes).unwrap(), Payload::Registration(registration));
    }
}
