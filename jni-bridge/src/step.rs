// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How a granted step reaches Java: in a direct buffer, little-endian.
//!
//! | offset | bytes | field |
//! | ---: | ---: | --- |
//! | 0 | 8 | turn |
//! | 8 | 8 | checkpoint id, or time to wake at (-1: none), or mail token, or cause of the end, or ns of a poll turn |
//! | 16 | 4 | subtask, or records of a poll turn |
//! | 20 | 4 | flight |
//! | 24 | 4 | payload length |
//! | 28 | 4 | bytes of a poll turn, else zero |
//! | 32 | | payload, if it fits; else it is fetched with a call of its own |

use forebay_core::error::{Error, ErrorCode};
use forebay_core::mailbox::Terminal;
use forebay_core::reader::PollBudget;
use forebay_core::step::{Carried, cause};
use jni::sys::jint;

/// Bytes before the payload.
pub(crate) const HEADER: usize = 32;

/// Writes a step; false if the buffer cannot even take the header.
pub(crate) fn write(buffer: &mut [u8], turn: u64, carried: Carried, payload: &[u8]) -> bool {
    let Some((header, rest)) = buffer.split_at_mut_checked(HEADER) else { return false };
    // The numbers of a poll turn's budget share the places of what it does not carry.
    let (value, subtask, bytes) = match carried.budget {
        Some(PollBudget { records, bytes, nanos }) => (nanos, records, bytes),
        None => (carried.value, carried.subtask, 0),
    };
    header[..8].copy_from_slice(&turn.to_le_bytes());
    header[8..16].copy_from_slice(&value.to_le_bytes());
    header[16..20].copy_from_slice(&subtask.to_le_bytes());
    header[20..24].copy_from_slice(&u32::from(carried.flight).to_le_bytes());
    header[24..28].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    header[28..].copy_from_slice(&bytes.to_le_bytes());
    if let Some(place) = rest.get_mut(..payload.len()) {
        place.copy_from_slice(payload);
    }
    true
}

/// The cause that Java may give.
pub(crate) fn terminal(code: jint) -> Result<Terminal, Error> {
    cause(code).ok_or_else(|| invalid(format!("there is no cause {code} to end a loop with")))
}

/// A flight's number, as a step has named it. One that does not fit would be taken for another flight.
pub(crate) fn flight(number: jint) -> Result<u8, Error> {
    u8::try_from(number).map_err(|_| invalid(format!("there is no flight {number}: flights have numbers 0 to 255")))
}

/// A subtask's index.
pub(crate) fn subtask(index: jint) -> Result<u32, Error> {
    u32::try_from(index).map_err(|_| invalid(format!("there is no subtask {index}: subtasks count from 0")))
}

/// The number of a source's readers; the core knows how many there may be.
pub(crate) fn parallelism(readers: jint) -> Result<u32, Error> {
    u32::try_from(readers).map_err(|_| invalid(format!("a source cannot have {readers} readers")))
}

fn invalid(text: String) -> Error {
    Error::new(ErrorCode::InvalidArgument, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_refused_and_not_cut() {
        assert_eq!((flight(0).ok(), flight(255).ok()), (Some(0), Some(255)));
        assert_eq!((subtask(0).ok(), subtask(jint::MAX).ok()), (Some(0), Some(jint::MAX as u32)));
        for wrong in [-1, 256, 7 * 256 + 1, jint::MIN, jint::MAX] {
            assert_eq!(flight(wrong).map_err(|error| error.code), Err(ErrorCode::InvalidArgument), "{wrong}");
        }
        for wrong in [0, 3, -1, 257] {
            assert_eq!(terminal(wrong).map_err(|error| error.code), Err(ErrorCode::InvalidArgument), "{wrong}");
        }
        assert!(subtask(-1).is_err() && parallelism(-1).is_err());
    }
}
