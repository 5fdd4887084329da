// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Commands: immutable ordered messages to a loop, in an envelope.
//!
//! * [`kind`](self): what a command says ([`Kind`]), how it survives ([`Durability`]), who it is between (ids);
//! * [`envelope`]: the fixed header around a payload, with its checksum;
//! * [`payload`]: what stands in the payload of each kind;
//! * [`batch`]: several envelopes on their way together, and the answer to them.
//!
//! All numbers are little-endian. Pure functions, any thread; nothing is allocated before its length was checked
//! against the bytes that are there.

pub mod batch;
mod checksum;
pub mod envelope;
mod kind;
pub mod payload;

pub use kind::{Attempt, Class, CommandId, Durability, Epoch, Kind, Order, Receiver, RuntimeId};

/// The protocol between coordinator and readers that this release speaks.
pub const PROTOCOL_VERSION: u16 = 1;

/// The payload layout that this release writes, for every kind.
pub const PAYLOAD_VERSION: u16 = 1;

/// Why bytes that should be a command, a payload or an answer are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Fewer bytes than the layout needs.
    #[error("truncated: {need} bytes needed, {have} there")]
    Truncated {
        /// Bytes that the layout needs at this point.
        need: usize,
        /// Bytes that are there.
        have: usize,
    },
    /// More bytes than the layout accounts for.
    #[error("{0} bytes after the end")]
    Trailing(usize),
    /// The bytes do not begin like this format.
    #[error("not a Forebay {0}: wrong magic number")]
    Magic(&'static str),
    /// A checksum over other bytes.
    #[error("checksum is {stored:#010x}, the bytes give {computed:#010x}")]
    Checksum {
        /// What the sender stored.
        stored: u32,
        /// What the bytes give.
        computed: u32,
    },
    /// A field holds a value that the format does not define.
    #[error("field {field} has the undefined value {value}")]
    Undefined {
        /// The field's name in the byte table.
        field: &'static str,
        /// What it holds.
        value: u64,
    },
    /// A version that this release does not speak.
    #[error("version {found} is not supported, this release speaks {supported}")]
    Version {
        /// What the sender wrote.
        found: u16,
        /// What is spoken here.
        supported: u16,
    },
    /// Text that is not UTF-8.
    #[error("text is not UTF-8")]
    Text,
}

/// Reads fields from the front of a byte slice.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        let (head, rest) =
            self.0.split_at_checked(len).ok_or(DecodeError::Truncated { need: len, have: self.0.len() })?;
        self.0 = rest;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(DecodeError::Truncated { need: N, have: self.0.len() })?;
        self.0 = rest;
        Ok(*head)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError::Trailing(self.0.len())) }
    }
}
