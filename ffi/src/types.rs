// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The structs that functions of both loops share.
//!
//! Invariant: a struct that C hands in holds nothing that could be undefined for Rust: numbers and pointers only, and
//! an enum as its number. Plain values, any thread.

use crate::error::{answer, fb_code, fb_error};
use crate::memory;
use crate::numbers::fb_step_kind;
use forebay_core::boundary::Last;
use forebay_core::command::batch::Answer;
use forebay_core::command::payload::DIGEST_LEN;
use forebay_core::command::{Attempt, RuntimeId};
use forebay_core::error::Error;
use forebay_core::mailbox::{Admission, Limits};
use forebay_core::reader::PollBudget;
use forebay_core::step::{AnyStep, Carried};
use forebay_core::wake::Wake;
use std::mem::MaybeUninit;

/// Bytes of a capability digest: SHA-256.
pub const FB_DIGEST_LEN: usize = 32;

/// In an fb_step: no time to wake up at by itself.
pub const FB_NEVER: u64 = 0xffff_ffff_ffff_ffff;

/// A 128-bit id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct fb_id {
    /// The upper 64 bits.
    pub high: u64,
    /// The lower 64 bits.
    pub low: u64,
}

impl fb_id {
    pub(crate) fn wide(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    pub(crate) fn runtime(self) -> RuntimeId {
        RuntimeId(self.wide())
    }

    pub(crate) fn attempt(self) -> Attempt {
        Attempt(self.wide())
    }
}

/// Bytes in memory of the caller.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_bytes {
    /// Where they lie; NULL is good for none.
    pub data: *const u8,
    /// How many.
    pub len: usize,
}

/// What a mailbox may hold. Bytes count as they are stored: header and payload, rounded up to 64.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_limits {
    /// Commands, 2 to 524288.
    pub max_commands: u32,
    /// Bytes, 12 KiB to 1 GiB.
    pub max_bytes: u32,
    /// Commands that only control commands may use; less than max_commands.
    pub reserved_commands: u32,
    /// Bytes that only control commands may use; less than max_bytes.
    pub reserved_bytes: u32,
    /// Bytes of one payload, 1 to max_bytes - reserved_bytes - 8 KiB.
    pub max_payload: u32,
}

impl From<fb_limits> for Limits {
    fn from(limits: fb_limits) -> Self {
        let fb_limits { max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload } = limits;
        Limits { max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload }
    }
}

impl From<Limits> for fb_limits {
    fn from(limits: Limits) -> Self {
        let Limits { max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload } = limits;
        fb_limits { max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload }
    }
}

/// The answer to an offer, or to a batch: then it tells how the first command that was not taken fared.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_admission {
    /// How it ended: an fb_status.
    pub status: i32,
    /// Why: an fb_reason.
    pub reason: i32,
    /// Every sequence below it was taken; 0 if the channel is not open or not known.
    pub expected: u64,
    /// Whether the host must wake the owner of the loop.
    pub wake: bool,
}

impl From<(Answer, Wake)> for fb_admission {
    fn from((answer, wake): (Answer, Wake)) -> Self {
        let Answer { status, reason, expected } = answer;
        Self { status: status as i32, reason: reason as i32, expected, wake: wake.is_needed() }
    }
}

impl From<Admission> for fb_admission {
    fn from(admission: Admission) -> Self {
        let Admission { status, reason, expected, wake } = admission;
        (Answer { status, reason, expected }, wake).into()
    }
}

/// What the host does next, and the turn in which it does so.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_step {
    /// What to do.
    pub kind: fb_step_kind,
    /// The subtask that it is about; 0 where the kind names none.
    pub subtask: u32,
    /// To be handed in with the step's outcome.
    pub turn: u64,
    /// A checkpoint, a time, a token or a cause, as the kind says; else 0.
    pub value: u64,
    /// Bytes of the payload; 0 where the kind has none.
    pub payload_len: usize,
    /// The flight to answer; never 0 where the kind has one.
    pub flight: u8,
    /// What a poll turn may emit; 0 where the kind is none.
    pub budget: fb_poll_budget,
}

/// What a poll turn may emit: it ends at whatever is reached first. The host counts.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct fb_poll_budget {
    /// Records.
    pub records: u32,
    /// Bytes of the records.
    pub bytes: u32,
    /// Time in ns.
    pub nanos: u64,
}

impl From<PollBudget> for fb_poll_budget {
    fn from(PollBudget { records, bytes, nanos }: PollBudget) -> Self {
        Self { records, bytes, nanos }
    }
}

/// Hands a step over, and its payload if the host's buffer has room for it. Either way `last` keeps what the host may
/// fetch.
pub(crate) fn deliver(
    step: impl AnyStep + Into<fb_step_kind>,
    last: &Last,
    place: &mut MaybeUninit<fb_step>,
    buffer: &mut [MaybeUninit<u8>],
) -> Result<(), Error> {
    let Carried { value, subtask, flight, budget, .. } = step.carried();
    let (turn, payload_len) = (last.turn, last.payload.len());
    let budget = budget.map(Into::into).unwrap_or_default();
    place.write(fb_step { kind: step.into(), subtask, turn, value, payload_len, flight, budget });
    memory::fill(buffer, &mut MaybeUninit::uninit(), &last.payload)
}

/// The limits of STIP-31's initial production defaults.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn fb_limits_default(
    limits: Option<&mut MaybeUninit<fb_limits>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(limits, error, || Ok(Limits::default().into()))
}

const _: () = assert!(FB_DIGEST_LEN == DIGEST_LEN && FB_NEVER == Carried::NEVER);
