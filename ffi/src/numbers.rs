// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The numbers that stand for the core's enums, and back.
//!
//! Invariants: kinds, statuses, reasons and causes have the core's numbers (`tests/header.rs` holds them in step), and
//! steps the core's names: the enum stands here because the header is made of this file as it is written. No number
//! changes its meaning or is used twice. A number that C hands in becomes an enum of the core only if it is one. Pure
//! functions, any thread.

use forebay_core::boundary::own_payload;
use forebay_core::command::Kind;
use forebay_core::command::batch::Answer;
use forebay_core::error::{Error, ErrorCode};
use forebay_core::mailbox::{Reason, Status, Terminal};
use forebay_core::step;

/// What a command says. The payloads stand beside each kind; all numbers in them are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_kind {
    /// To a reader: the coordinator opens its channel. No payload.
    ReaderEpochStart = 1,
    /// To a reader: splits. See fb_splits_encode.
    AssignSplits = 2,
    /// To a reader: no split will come any more. u64 generation, from 1.
    NoMoreSplits = 3,
    /// Own: the engine orders a snapshot. Number: checkpoint.
    Barrier = 5,
    /// Own: a checkpoint is complete. Number: checkpoint.
    CheckpointComplete = 6,
    /// Own: a checkpoint will never be complete. Number: checkpoint.
    CheckpointAborted = 7,
    /// To a coordinator: a reader asks for a split. No payload.
    RequestSplit = 11,
    /// To a coordinator: a reader has emitted all of its bounded input. No payload.
    ReaderFinished = 13,
    /// To a coordinator: everything up to a sequence is applied. u64 sequence.
    CommandApplied = 14,
    /// To a coordinator: a reader has snapshotted. u64 checkpoint, u64 sequence applied before it.
    ReaderCheckpointReport = 15,
    /// To a coordinator: a reader announces itself. Written by the library only.
    RegisterReader = 17,
    /// To a reader: the source has failed on the coordinator's side. UTF-8 text.
    SourceFailed = 18,
    /// To a reader: a barrier is on its way. u64 checkpoint.
    BarrierComing = 19,
    /// Own: the engine opens the enumerator. Number: 0.
    OpenEnumerator = 20,
    /// Own: the engine starts the enumerator. Number: 0.
    RunEnumerator = 21,
}

/// How an offer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_status {
    /// Validated, reserved, sequenced and visible to the owner; neither applied nor durable yet.
    Accepted = 1,
    /// This attempt has taken the same command before.
    Duplicate = 2,
    /// Not now: offer again after a back-off.
    RetryLater = 3,
    /// Meant for another source, attempt or epoch.
    StaleTarget = 4,
    /// The loop takes nothing any more.
    TerminalRejected = 5,
    /// A protocol version that is not spoken here.
    UnsupportedProtocol = 6,
    /// Damaged, oversized, or in conflict with what was taken before.
    InvalidPayload = 7,
}

/// Why an offer ended like that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_reason {
    /// Nothing to add.
    None = 0,
    /// The mailbox is closed.
    Closed = 1,
    /// The source is cancelled or has failed.
    Terminal = 2,
    /// The runtime or job id is another one.
    Runtime = 3,
    /// The attempt at one of the ends is another one.
    Attempt = 4,
    /// The coordinator's epoch is another one.
    Epoch = 5,
    /// A header that is damaged or unknown.
    Header = 6,
    /// The checksum differs.
    Checksum = 7,
    /// Larger than a command may be.
    TooLarge = 8,
    /// The payload is not what its kind wants.
    Payload = 9,
    /// Not a command for this side.
    Direction = 10,
    /// A sequence before it is missing.
    Gap = 11,
    /// The same sequence was taken with another command id.
    Conflict = 12,
    /// The loop has not passed the cut that the command belongs behind.
    Cut = 13,
    /// No room for another command.
    Commands = 14,
    /// No room for the bytes.
    Bytes = 15,
    /// The worker's budget is used up.
    Budget = 16,
    /// The channel is not open yet, or is changing.
    NotReady = 17,
    /// Another copy of the command is being admitted.
    InProgress = 18,
    /// Nobody with this address on the asked member.
    Unknown = 19,
    /// The transport did not deliver: what a host answers for it, with FB_STATUS_RETRY_LATER.
    Transport = 20,
}

/// Why a loop does nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_terminal {
    /// Cancelled by the host.
    Cancelled = 1,
    /// Failed by the host or by the other side.
    Failed = 2,
    /// A control command found no room: the reserve is not enough. Told by the library only.
    ReserveExhausted = 3,
}

/// What the host does next. In brackets: what stands in the fields of fb_step beside kind and turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_step_kind {
    /// Both loops: wait until woken, at most until a time. [value: the time, or FB_NEVER]
    Park = 1,
    /// Both loops: nothing more happens. [value: an fb_terminal]
    Terminal = 2,
    /// Both loops: the mailbox was closed and is empty.
    Closed = 3,
    /// Both loops: send the batch to the other side, and answer the flight. [flight, payload: a batch for offer_batch;
    /// coordinator: subtask]
    Send = 4,
    /// Both loops: take the connector's snapshot. [value: checkpoint; reader: payload: the runtime's part of it]
    Snapshot = 5,
    /// Both loops: tell the connector that a checkpoint is complete. [value: checkpoint]
    CheckpointComplete = 6,
    /// Both loops: tell the connector that a checkpoint was aborted. [value: checkpoint]
    CheckpointAborted = 7,
    /// Reader: give the connector splits. [payload: see fb_splits_decode]
    AddSplits = 16,
    /// Reader: tell the connector that no split will come any more.
    NoMoreSplits = 17,
    /// Reader: let the connector emit, within the budget; report with one of the last three fb_outcome. [budget]
    Poll = 18,
    /// Reader: find the coordinator, send it the batch, and answer the flight. [flight, payload: a batch]
    Register = 19,
    /// Reader: tell the engine that the input has ended.
    Finish = 20,
    /// Coordinator: open the enumerator.
    Open = 32,
    /// Coordinator: give the enumerator splits back. [subtask: who had them; payload: see fb_splits_decode]
    AddSplitsBack = 33,
    /// Coordinator: commands for a reader go to an address from now on. [subtask; payload: the address]
    Connect = 34,
    /// Coordinator: tell the enumerator that a reader is there. [subtask]
    RegisterReader = 35,
    /// Coordinator: start the enumerator.
    Run = 36,
    /// Coordinator: tell the enumerator that a reader wants a split. [subtask]
    RequestSplit = 37,
    /// Coordinator: run a mail that was posted. [value: its token]
    Mail = 38,
    /// Coordinator: the source has failed; told once. [payload: why, UTF-8]
    Failed = 39,
}

/// The number of a step for C. By name, and only if no step of the loop is left out.
macro_rules! step_kinds {
    ($loop:ident: $($step:ident)*) => {
        impl From<forebay_core::$loop::Step> for fb_step_kind {
            fn from(step: forebay_core::$loop::Step) -> Self {
                use forebay_core::$loop::Step;
                match step { $(Step::$step { .. } => fb_step_kind::$step,)* }
            }
        }
    };
}

step_kinds!(reader: AddSplits NoMoreSplits CheckpointComplete CheckpointAborted Snapshot Poll Send Register Finish Park
    Terminal Closed);
step_kinds!(coordinator: Open AddSplitsBack Connect RegisterReader Run RequestSplit Snapshot CheckpointComplete
    CheckpointAborted Mail Send Park Failed Terminal Closed);

/// A number that C handed in and that is none of its enum.
pub(crate) fn undefined(what: &str, number: i32) -> Error {
    Error::new(ErrorCode::InvalidArgument, format!("{number} is no {what}"))
}

fn small<T>(what: &str, number: i32, from_code: impl Fn(u8) -> Option<T>) -> Result<T, Error> {
    u8::try_from(number).ok().and_then(from_code).ok_or_else(|| undefined(what, number))
}

/// The kind with a number.
pub(crate) fn kind(number: i32) -> Result<Kind, Error> {
    small("fb_kind", number, Kind::from_code)
}

/// An answer from its parts.
pub(crate) fn core_answer(status: i32, reason: i32, expected: u64) -> Result<Answer, Error> {
    let status = small("fb_status", status, Status::from_code)?;
    if expected > Answer::EXPECTED_MAX {
        let text = format!("a channel never expects sequence {expected}");
        return Err(Error::new(ErrorCode::InvalidArgument, text));
    }
    Ok(Answer { status, reason: small("fb_reason", reason, Reason::from_code)?, expected })
}

/// The cause that a host may give.
pub(crate) fn terminal(number: i32) -> Result<Terminal, Error> {
    step::cause(number).ok_or_else(|| undefined("fb_terminal that a host may give", number))
}

/// The kind and the payload of a command of the own process.
pub(crate) fn own_command(number: i32, value: u64) -> Result<(Kind, Vec<u8>), Error> {
    let kind = kind(number)?;
    Ok((kind, own_payload(kind, value)))
}
