// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The one error that crosses a boundary: a number that stays, and a text that says what to do.

use crate::coordinator::{AssignError, RestoreError};
use crate::loops::Denied;
use crate::mailbox::LimitsError;
use crate::turn::NotOwner;

/// What kind of failure. Numbers are append-only and never used twice; C and Java know them by the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum ErrorCode {
    /// The handle is closed, stale or of another copy of the library.
    Closed = 1,
    /// The caller does not own the current turn.
    NotOwner = 2,
    /// An argument cannot be: null, negative, out of range.
    InvalidArgument = 3,
    /// A setting cannot be.
    InvalidSetting = 4,
    /// A checkpoint cannot be used.
    Checkpoint = 5,
    /// An assignment was refused.
    Assignment = 6,
    /// A defect of the library: it panicked. The object may be unusable, the library is not.
    Panic = 7,
    /// The caller's buffer is too small.
    BufferTooSmall = 8,
    /// No more objects can be handed out.
    Exhausted = 9,
}

impl ErrorCode {
    /// All of them, in the order of the numbers.
    pub const ALL: &'static [ErrorCode] = &[
        ErrorCode::Closed,
        ErrorCode::NotOwner,
        ErrorCode::InvalidArgument,
        ErrorCode::InvalidSetting,
        ErrorCode::Checkpoint,
        ErrorCode::Assignment,
        ErrorCode::Panic,
        ErrorCode::BufferTooSmall,
        ErrorCode::Exhausted,
    ];

    /// The name that stands in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorCode::Closed => "CLOSED",
            ErrorCode::NotOwner => "NOT_OWNER",
            ErrorCode::InvalidArgument => "INVALID_ARGUMENT",
            ErrorCode::InvalidSetting => "INVALID_SETTING",
            ErrorCode::Checkpoint => "CHECKPOINT",
            ErrorCode::Assignment => "ASSIGNMENT",
            ErrorCode::Panic => "PANIC",
            ErrorCode::BufferTooSmall => "BUFFER_TOO_SMALL",
            ErrorCode::Exhausted => "EXHAUSTED",
        }
    }
}

/// A failure on its way over a boundary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    /// The number.
    pub code: ErrorCode,
    /// For people.
    pub text: String,
}

impl Error {
    /// A failure with its text.
    pub fn new(code: ErrorCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// The handle is not good (any more).
    #[must_use]
    pub fn closed() -> Self {
        Self::new(ErrorCode::Closed, "the object is closed, or its handle belongs to another copy of the library")
    }
}

impl From<NotOwner> for Error {
    fn from(error: NotOwner) -> Self {
        Self::new(ErrorCode::NotOwner, error.to_string())
    }
}

impl From<Denied> for Error {
    fn from(error: Denied) -> Self {
        match error {
            Denied::NotOwner(error) => error.into(),
            error @ Denied::Outcome(_) => Self::new(ErrorCode::InvalidArgument, error.to_string()),
        }
    }
}

impl From<LimitsError> for Error {
    fn from(error: LimitsError) -> Self {
        Self::new(ErrorCode::InvalidSetting, error.to_string())
    }
}

impl From<AssignError> for Error {
    fn from(error: AssignError) -> Self {
        match error {
            AssignError::NotOwner(error) => error.into(),
            error => Self::new(ErrorCode::Assignment, error.to_string()),
        }
    }
}

impl From<RestoreError> for Error {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::NotOwner(error) => error.into(),
            RestoreError::Metadata(error) => Self::new(ErrorCode::Checkpoint, error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique_and_in_order() {
        for (i, code) in ErrorCode::ALL.iter().enumerate() {
            assert_eq!(*code as usize, i + 1);
            assert!(ErrorCode::ALL[..i].iter().all(|other| other.name() != code.name()));
        }
    }
}
