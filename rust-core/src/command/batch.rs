// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Several envelopes of one channel on their way together, in order, and the one answer to them.
//!
//! A batch is a sequence of (u32 length, envelope). A channel has one batch in flight at a time; the pipelining window
//! is the batch itself, so its commands are offered in order by one thread.
//!
//! An answer is one u64 for the whole batch: it tells how the *first* command that was not taken fared.
//!
//! | bits | field |
//! | ---: | --- |
//! | 0 to 43 | the sequence that the receiver expects next: everything below it was taken |
//! | 44 to 47 | code of [`Status`] |
//! | 48 to 55 | code of [`Reason`](crate::mailbox::Reason) |
//! | 56 to 63 | zero |

use super::{DecodeError, Fields};
use crate::mailbox::{Reason, Status};

const SEQUENCE_BITS: u32 = 44;

/// Appends one envelope that `write` produces to a batch.
///
/// # Errors
/// What `write` says, or an envelope of more than `u32::MAX` bytes.
pub fn append(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out)?;
    let len = out.len() - start - 4;
    let len = u32::try_from(len).map_err(|_| DecodeError::Undefined { field: "length", value: len as u64 })?;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    Ok(())
}

/// Reads the next envelope's bytes from the front of `batch`; `None` at its end.
///
/// # Errors
/// A length that goes beyond the end.
pub fn next<'a>(batch: &mut &'a [u8]) -> Result<Option<&'a [u8]>, DecodeError> {
    if batch.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields(batch);
    let len = fields.u32()?;
    let envelope = fields.take(len as usize)?;
    *batch = fields.0;
    Ok(Some(envelope))
}

/// The receiver's answer to a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How the first command that was not taken fared; `Accepted` if all were.
    pub status: Status,
    /// Why.
    pub reason: Reason,
    /// Everything below this sequence was taken; 0 if the receiver cannot tell.
    pub expected: u64,
}

impl Answer {
    /// To a batch that was not delivered, or of which nobody knows: it says nothing about the commands.
    pub const LOST: Self = Self { status: Status::RetryLater, reason: Reason::Transport, expected: 0 };

    /// The highest sequence that an answer can name.
    pub const EXPECTED_MAX: u64 = (1 << SEQUENCE_BITS) - 1;

    /// As one number.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        let sequence = self.expected & Self::EXPECTED_MAX;
        sequence | (self.status as u64) << SEQUENCE_BITS | (self.reason as u64) << (SEQUENCE_BITS + 4)
    }

    /// Reads what [`Answer::to_bits`] wrote.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Answer> {
        let status = Status::from_code((bits >> SEQUENCE_BITS & 0xf) as u8)?;
        let reason = Reason::from_code((bits >> (SEQUENCE_BITS + 4)) as u8)?;
        let unused = bits >> (SEQUENCE_BITS + 12);
        (unused == 0).then_some(Answer { status, reason, expected: bits & Self::EXPECTED_MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_come_back_and_truncation_is_found() {
        let mut batch = Vec::new();
        for text in [&b"one"[..], b"", b"three"] {
            append(&mut batch, |out| {
                out.extend_from_slice(text);
                Ok(())
            })
            .unwrap();
        }
        let mut rest = batch.as_slice();
        assert_eq!(next(&mut rest), Ok(Some(&b"one"[..])));
        assert_eq!(next(&mut rest), Ok(Some(&b""[..])));
        assert_eq!(next(&mut rest), Ok(Some(&b"three"[..])));
        assert_eq!(next(&mut rest), Ok(None));
        let mut short = &batch[..batch.len() - 1];
        next(&mut short).unwrap();
        next(&mut short).unwrap();
        assert!(next(&mut short).is_err());
    }

    #[test]
    fn answers_come_back() {
        for status in Status::ALL {
            for reason in Reason::ALL {
                let answer = Answer { status: *status, reason: *reason, expected: (1 << 44) - 1 };
                assert_eq!(Answer::from_bits(answer.to_bits()), Some(answer));
            }
        }
        assert_eq!(Answer::from_bits(u64::MAX), None);
    }
}
