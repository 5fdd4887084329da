// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Writing and reading what travels between the loops, for hosts that do so by themselves.
//!
//! Invariant: only the core knows the layouts; these functions hand its bytes over. Any thread. Limits: 2^32 - 1 bytes
//! in one payload or split.

#![allow(unsafe_code)]

use crate::error::{answer_bytes, export, fb_code, fb_error};
use crate::memory::{fill, place, room, slice};
use crate::numbers;
use crate::types::{fb_bytes, fb_id};
use forebay_core::command::envelope::{self, Header};
use forebay_core::command::payload::{self, Payload};
use forebay_core::command::{CommandId, DecodeError, Epoch, Kind};
use forebay_core::error::{Error, ErrorCode};
use std::mem::MaybeUninit;

/// Bytes of a command in front of its payload.
pub const FB_COMMAND_HEADER_LEN: usize = 120;

const _: () = assert!(FB_COMMAND_HEADER_LEN == envelope::HEADER_LEN);

/// A command without its payload.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_command {
    /// What it says: an fb_kind.
    pub kind: i32,
    /// The subtask of the reader at either end.
    pub subtask: u32,
    /// The engine's number of the job.
    pub job: u64,
    /// The source that both ends belong to.
    pub runtime: fb_id,
    /// The attempt that sends.
    pub sender: fb_id,
    /// The attempt that is meant.
    pub target: fb_id,
    /// The coordinator's epoch.
    pub epoch: u64,
    /// Place in the channel, from 1; 0 for FB_KIND_READER_EPOCH_START and FB_KIND_REGISTER_READER, which open one, and
    /// for FB_KIND_SOURCE_FAILED and FB_KIND_BARRIER_COMING, which are not queued.
    pub sequence: u64,
    /// Names the command for ever, also when it is sent again.
    pub id: fb_id,
    /// The last checkpoint that the sender has snapshotted; 0 if none.
    pub cut: u64,
}

impl fb_command {
    fn header(&self) -> Result<Header, Error> {
        Ok(Header {
            kind: numbers::kind(self.kind)?,
            subtask: self.subtask,
            job: self.job,
            runtime: self.runtime.runtime(),
            sender: self.sender.attempt(),
            target: self.target.attempt(),
            epoch: Epoch(self.epoch),
            sequence: self.sequence,
            id: CommandId(self.id.wide()),
            cut: self.cut,
        })
    }
}

fn invalid(error: DecodeError) -> Error {
    Error::new(ErrorCode::InvalidArgument, error.to_string())
}

/// Writes a command as fb_reader_offer and fb_coordinator_offer take it: FB_COMMAND_HEADER_LEN bytes and the payload.
///
/// # Safety
/// At payload are payload_len readable bytes, at buffer capacity writable ones; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_command_encode(
    command: Option<&fb_command>,
    payload: *const u8,
    payload_len: usize,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    let encode = || {
        let null = || Error::new(ErrorCode::InvalidArgument, "command is NULL");
        let header = command.ok_or_else(null)?.header()?;
        // SAFETY: the caller keeps this function's contract.
        let payload = unsafe { slice(payload, payload_len) }?;
        let mut bytes = Vec::new();
        envelope::encode(&header, payload, &mut bytes).map_err(invalid)?;
        Ok(bytes)
    };
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, encode) }
}

/// Writes a list of splits: the payload of FB_KIND_ASSIGN_SPLITS, and what fb_coordinator_assign takes.
///
/// # Safety
/// At splits are count readable fb_bytes, each with its bytes, at buffer capacity writable bytes; no memory is given
/// twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_splits_encode(
    splits: *const fb_bytes,
    count: usize,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    let encode = || {
        // SAFETY: the caller keeps this function's contract.
        let splits = unsafe { slice(splits, count) }?;
        // SAFETY: as above; the bytes of a split lie where its fb_bytes says.
        let splits: Result<Vec<&[u8]>, _> =
            splits.iter().map(|split| unsafe { slice(split.data, split.len) }).collect();
        let mut bytes = Vec::new();
        payload::encode_splits(splits?.into_iter(), &mut bytes).map_err(invalid)?;
        Ok(bytes)
    };
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, encode) }
}

/// Reads a list of splits: where each one lies in the payload, in order. Nothing is copied.
///
/// # Safety
/// At payload are payload_len readable bytes, at splits is room for capacity fb_bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_splits_decode(
    payload: *const u8,
    payload_len: usize,
    splits: *mut fb_bytes,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || {
        let count = place(count)?;
        // SAFETY: the caller keeps this function's contract.
        let (payload, splits) = unsafe { (slice(payload, payload_len)?, room(splits, capacity)?) };
        let list = match payload::decode(Kind::AssignSplits, payload).map_err(invalid)? {
            Payload::Splits(list) => list,
            other => return Err(Error::new(ErrorCode::InvalidArgument, format!("{other:?} is no list of splits"))),
        };
        let found: Vec<_> = list.iter().map(|split| fb_bytes { data: split.as_ptr(), len: split.len() }).collect();
        fill(splits, count, &found)
    })
}
