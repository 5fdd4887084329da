// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The envelope of a command: a fixed header, then the payload.
//!
//! | offset | bytes | field | |
//! | ---: | ---: | --- | --- |
//! | 0 | 4 | magic | `FBC1` |
//! | 4 | 4 | checksum | CRC32C of all bytes from offset 8 to the end |
//! | 8 | 2 | protocol version | 1 |
//! | 10 | 1 | kind | code of [`Kind`] |
//! | 11 | 1 | durability | code of [`Durability`](super::Durability), as the kind has it |
//! | 12 | 2 | payload version | 1 |
//! | 14 | 2 | zero | |
//! | 16 | 4 | payload length | in bytes |
//! | 20 | 4 | subtask | of the reader at either end |
//! | 24 | 16 | runtime id | |
//! | 40 | 16 | sender attempt | |
//! | 56 | 16 | target attempt | 0 if the sender cannot know it yet |
//! | 72 | 8 | coordinator epoch | |
//! | 80 | 8 | sender sequence | from 1; 0 if the kind is not sequenced |
//! | 88 | 16 | command id | |
//! | 104 | 8 | cut | the last checkpoint that the sender has snapshotted, 0 if none |
//! | 112 | 8 | job id | the engine's number |
//! | 120 | | payload | |

use super::{Attempt, CommandId, DecodeError, Epoch, Kind, PAYLOAD_VERSION, PROTOCOL_VERSION, RuntimeId, checksum};

/// Bytes of the header.
pub const HEADER_LEN: usize = 120;

const MAGIC: u32 = u32::from_le_bytes(*b"FBC1");
const CHECKED_FROM: usize = 8;

/// The header's fields, without those that follow from the kind and the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the command says.
    pub kind: Kind,
    /// The subtask of the reader at either end.
    pub subtask: u32,
    /// The engine's number of the job.
    pub job: u64,
    /// The source that both ends belong to.
    pub runtime: RuntimeId,
    /// Who sends.
    pub sender: Attempt,
    /// Who is meant.
    pub target: Attempt,
    /// The coordinator's epoch.
    pub epoch: Epoch,
    /// Place in the channel, from 1; 0 if the kind is not sequenced.
    pub sequence: u64,
    /// Names the command.
    pub id: CommandId,
    /// The last checkpoint that the sender has snapshotted; 0 if none.
    pub cut: u64,
}

/// An envelope that was read, with its payload still in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// The header.
    pub header: Header,
    /// The payload's bytes.
    pub payload: &'a [u8],
}

/// Appends an envelope to `out`.
///
/// # Errors
/// A payload of more than `u32::MAX` bytes is refused.
pub fn encode(header: &Header, payload: &[u8], out: &mut Vec<u8>) -> Result<(), DecodeError> {
    out.extend_from_slice(&header_bytes(header, payload)?);
    out.extend_from_slice(payload);
    Ok(())
}

/// The header that belongs in front of `payload`.
///
/// # Errors
/// A payload of more than `u32::MAX` bytes is refused.
pub fn header_bytes(header: &Header, payload: &[u8]) -> Result<[u8; HEADER_LEN], DecodeError> {
    let len = u32::try_from(payload.len())
        .map_err(|_| DecodeError::Undefined { field: "payload length", value: payload.len() as u64 })?;
    let mut fixed = [0_u8; HEADER_LEN];
    let fields: [(usize, &[u8]); 14] = [
        (0, &MAGIC.to_le_bytes()),
        (8, &PROTOCOL_VERSION.to_le_bytes()),
        (10, &[header.kind as u8, header.kind.durability() as u8]),
        (12, &PAYLOAD_VERSION.to_le_bytes()),
        (16, &len.to_le_bytes()),
        (20, &header.subtask.to_le_bytes()),
        (24, &header.runtime.0.to_le_bytes()),
        (40, &header.sender.0.to_le_bytes()),
        (56, &header.target.0.to_le_bytes()),
        (72, &header.epoch.0.to_le_bytes()),
        (80, &header.sequence.to_le_bytes()),
        (88, &header.id.0.to_le_bytes()),
        (104, &header.cut.to_le_bytes()),
        (112, &header.job.to_le_bytes()),
    ];
    for (offset, bytes) in fields {
        fixed[offset..offset + bytes.len()].copy_from_slice(bytes);
    }
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&fixed[CHECKED_FROM..]), payload);
    fixed[4..8].copy_from_slice(&checksum.to_le_bytes());
    Ok(fixed)
}

/// Reads an envelope, all of `bytes`. The checksum is *not* looked at: see [`verify`].
///
/// # Errors
/// Anything that [`encode`] cannot have written, except a wrong checksum.
pub fn decode(bytes: &[u8]) -> Result<Envelope<'_>, DecodeError> {
    let Some((fixed, payload)) = bytes.split_first_chunk::<HEADER_LEN>() else {
        return Err(DecodeError::Truncated { need: HEADER_LEN, have: bytes.len() });
    };
    let (header, len) = decode_header(fixed)?;
    if payload.len() < len {
        return Err(DecodeError::Truncated { need: len, have: payload.len() });
    }
    if payload.len() > len {
        return Err(DecodeError::Trailing(payload.len() - len));
    }
    Ok(Envelope { header, payload })
}

/// Reads a header, and the length of the payload that belongs to it.
///
/// # Errors
/// Anything that [`header_bytes`] cannot have written, except a wrong checksum.
pub fn decode_header(fixed: &[u8; HEADER_LEN]) -> Result<(Header, usize), DecodeError> {
    if u32_at(fixed, 0) != MAGIC {
        return Err(DecodeError::Magic("command"));
    }
    check_version(u16_at(fixed, 8), PROTOCOL_VERSION)?;
    let undefined = |field, value: u8| DecodeError::Undefined { field, value: u64::from(value) };
    let kind = Kind::from_code(fixed[10]).ok_or(undefined("kind", fixed[10]))?;
    if fixed[11] != kind.durability() as u8 {
        return Err(undefined("durability", fixed[11]));
    }
    check_version(u16_at(fixed, 12), PAYLOAD_VERSION)?;
    if fixed[14] | fixed[15] != 0 {
        return Err(undefined("zero", fixed[14] | fixed[15]));
    }
    let header = Header {
        kind,
        subtask: u32_at(fixed, 20),
        runtime: RuntimeId(u128_at(fixed, 24)),
        sender: Attempt(u128_at(fixed, 40)),
        target: Attempt(u128_at(fixed, 56)),
        epoch: Epoch(u64_at(fixed, 72)),
        sequence: u64_at(fixed, 80),
        id: CommandId(u128_at(fixed, 88)),
        cut: u64_at(fixed, 104),
        job: u64_at(fixed, 112),
    };
    Ok((header, u32_at(fixed, 16) as usize))
}

fn check_version(found: u16, supported: u16) -> Result<(), DecodeError> {
    if found == supported { Ok(()) } else { Err(DecodeError::Version { found, supported }) }
}

/// Compares the checksum of an envelope with its bytes.
///
/// # Errors
/// The checksum differs, or there are not enough bytes for one.
pub fn verify(bytes: &[u8]) -> Result<(), DecodeError> {
    let Some(fixed) = bytes.first_chunk::<HEADER_LEN>() else {
        return Err(DecodeError::Truncated { need: HEADER_LEN, have: bytes.len() });
    };
    let stored = u32_at(fixed, 4);
    let computed = checksum::crc32c(&bytes[CHECKED_FROM..]);
    if stored == computed { Ok(()) } else { Err(DecodeError::Checksum { stored, computed }) }
}

fn at<const N: usize>(fixed: &[u8; HEADER_LEN], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&fixed[at..at + N]);
    bytes
}

fn u16_at(fixed: &[u8; HEADER_LEN], offset: usize) -> u16 {
    u16::from_le_bytes(at(fixed, offset))
}

fn u32_at(fixed: &[u8; HEADER_LEN], offset: usize) -> u32 {
    u32::from_le_bytes(at(fixed, offset))
}

fn u64_at(fixed: &[u8; HEADER_LEN], offset: usize) -> u64 {
    u64::from_le_bytes(at(fixed, offset))
}

fn u128_at(fixed: &[u8; HEADER_LEN], offset: usize) -> u128 {
    u128::from_le_bytes(at(fixed, offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header() -> Header {
        Header {
            kind: Kind::AssignSplits,
            subtask: 3,
            job: 8,
            runtime: RuntimeId(1 << 100),
            sender: Attempt(2),
            target: Attempt(3),
            epoch: Epoch(4),
            sequence: 5,
            id: CommandId(6),
            cut: 7,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        encode(&header(), b"payload", &mut bytes).unwrap();
        verify(&bytes).unwrap();
        assert_eq!(decode(&bytes).unwrap(), Envelope { header: header(), payload: b"payload" });
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let mut bytes = Vec::new();
        encode(&header(), b"payload", &mut bytes).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&damaged).and_then(|_| verify(&damaged)).is_err(), "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes);
            let _ = verify(&bytes);
        }

        #[test]
        fn every_truncation_and_extension_is_found(len in 0_usize..130, extra in 1_usize..9) {
            let mut bytes = Vec::new();
            encode(&header(), b"payload", &mut bytes).unwrap();
            let cut = len.min(bytes.len() - 1);
            prop_assert!(decode(&bytes[..cut]).is_err());
            bytes.resize(bytes.len() + extra, 0);
            prop_assert!(decode(&bytes).is_err());
        }
    }
}
