// Licensed under the Apache License, Version 2.0. See LICENSE.
//! One reader's loop.
//!
//! Invariant: a handle is good from fb_reader_create to fb_reader_close, and the reader is dropped by the last call
//! that is inside it. Offers, answers, availability, terminate and closing: any thread, never waiting. Next, payload
//! and request_split: the owner of the turn; everybody else gets `FB_ERR_NOT_OWNER`.

#![allow(unsafe_code)]

use crate::budget::{self, fb_budget_t};
use crate::error::{answer, answer_bytes, closed, export, fb_code, fb_error};
use crate::memory::{place, room, sized, slice};
use crate::numbers;
use crate::types::{FB_DIGEST_LEN, deliver, fb_admission, fb_id, fb_limits, fb_step};
use forebay_core::boundary::{Hosted, Mark, Objects, offer_batch};
use forebay_core::error::Error;
use forebay_core::reader::{Allow, Outcome, PollBudget, Reader, ReaderConfig};
use std::mem::MaybeUninit;

/// A reader.
pub type fb_reader_t = u64;

static READERS: Objects<Hosted<Reader>> = Objects::new(Mark::Reader);

/// What a reader needs to know of itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_reader_config {
    /// sizeof(fb_reader_config).
    pub size: u32,
    /// From 0 to parallelism - 1.
    pub subtask: u32,
    /// The budget that the mailbox shares.
    pub budget: fb_budget_t,
    /// The engine's number of the job.
    pub job: u64,
    /// Names the source.
    pub runtime: fb_id,
    /// This life, drawn at random.
    pub attempt: fb_id,
    /// Digest of the connector's capability.
    pub digest: [u8; FB_DIGEST_LEN],
    /// When the reader was created, in ms since 1970.
    pub created_millis: u64,
    /// Draws the jitter of back-offs.
    pub seed: u64,
    /// Where commands for the reader go, in the host's format; copied.
    pub address: *const u8,
    /// Bytes of the address, 0 to 320.
    pub address_len: usize,
    /// What the mailbox may hold.
    pub limits: fb_limits,
}

/// How the last step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_outcome {
    /// The step is done; also what the first call reports.
    Done = 0,
    /// The step failed: the source has failed.
    Failed = 1,
    /// A poll turn ended, and there is more.
    MoreAvailable = 2,
    /// A poll turn ended, and there is nothing for now: fb_reader_available says when there may be.
    NothingAvailable = 3,
    /// A poll turn ended, and so has the bounded input.
    EndOfInput = 4,
}

/// What fb_reader_next may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_allow {
    /// Any step.
    Everything = 0,
    /// Neither FB_STEP_KIND_POLL nor FB_STEP_KIND_FINISH: what was admitted is to be applied, nothing emitted.
    NoPoll = 1,
}

/// Creates a reader that has not registered yet.
///
/// # Safety
/// At config are as many readable bytes as its size says, at its address address_len ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_create(
    config: *const fb_reader_config,
    reader: Option<&mut MaybeUninit<fb_reader_t>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(reader, error, || {
        // SAFETY: the caller keeps this function's contract; every field of the struct is good whatever its bytes are.
        let config = unsafe { sized(config) }?;
        let core = ReaderConfig {
            job: config.job,
            runtime: config.runtime.runtime(),
            attempt: config.attempt.attempt(),
            subtask: config.subtask,
            digest: config.digest,
            created_millis: config.created_millis,
            // SAFETY: the caller keeps this function's contract.
            address: unsafe { slice(config.address, config.address_len) }?.to_vec(),
            limits: config.limits.into(),
            poll: PollBudget::DEFAULT,
            seed: config.seed,
        };
        READERS.insert(Hosted::new(Reader::new(core, budget::get(config.budget)?)?))
    })
}

/// Hands in a command of the coordinator. Any thread; never waits.
///
/// # Safety
/// At command are len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_offer(
    reader: fb_reader_t,
    command: *const u8,
    len: usize,
    now_nanos: u64,
    admission: Option<&mut MaybeUninit<fb_admission>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(admission, error, || {
        // SAFETY: the caller keeps this function's contract.
        let command = unsafe { slice(command, len) }?;
        Ok(READERS.enter(reader)?.of.offer(command, now_nanos).into())
    })
}

/// Hands in the batch of a coordinator's FB_STEP_KIND_SEND. Any thread; never waits. The admission is the answer to the
/// flight.
///
/// # Safety
/// At batch are len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_offer_batch(
    reader: fb_reader_t,
    batch: *const u8,
    len: usize,
    now_nanos: u64,
    admission: Option<&mut MaybeUninit<fb_admission>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(admission, error, || {
        // SAFETY: the caller keeps this function's contract.
        let batch = unsafe { slice(batch, len) }?;
        let hosted = READERS.enter(reader)?;
        Ok(offer_batch(batch, |command| hosted.of.offer(command, now_nanos)).into())
    })
}

/// Hands in a barrier or a callback of the engine: an fb_kind that is "own", and its number. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_offer_own(
    reader: fb_reader_t,
    kind: i32,
    number: u64,
    now_nanos: u64,
    admission: Option<&mut MaybeUninit<fb_admission>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(admission, error, || {
        let (kind, payload) = numbers::own_command(kind, number)?;
        Ok(READERS.enter(reader)?.of.offer_own(kind, &payload, now_nanos).into())
    })
}

/// Hands in the answer to a flight: what the coordinator's admission said, or FB_STATUS_RETRY_LATER with
/// FB_REASON_TRANSPORT if the batch did not get there. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_answer(
    reader: fb_reader_t,
    flight: u8,
    status: i32,
    reason: i32,
    expected: u64,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || {
        let answer = numbers::core_answer(status, reason, expected)?;
        Ok(READERS.enter(reader)?.of.answer(flight, answer).is_needed())
    })
}

/// After a poll turn that ended with FB_OUTCOME_NOTHING_AVAILABLE: polling may be worth it again. Takes the turn of
/// that poll. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_available(
    reader: fb_reader_t,
    turn: u64,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || Ok(READERS.enter(reader)?.of.available(turn).is_needed()))
}

/// Ends the reader at once, whatever its mailbox holds: FB_TERMINAL_CANCELLED or FB_TERMINAL_FAILED. The first cause
/// stays. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_terminate(
    reader: fb_reader_t,
    cause: i32,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || {
        let cause = numbers::terminal(cause)?;
        Ok(READERS.enter(reader)?.of.terminate(cause).is_needed())
    })
}

/// Refuses every later offer; what was admitted is still served, then comes FB_STEP_KIND_CLOSED. Any thread; more than
/// once.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_close_mailbox(
    reader: fb_reader_t,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || Ok(READERS.enter(reader)?.of.close().is_needed()))
}

/// Owner: reports how the step of a turn went, with an fb_outcome, and answers the next one, as an fb_allow says. The
/// first call hands in turn 0 and FB_OUTCOME_DONE. An outcome that the step cannot have is FB_ERR_INVALID_ARGUMENT.
///
/// The step's payload is copied into the buffer. If it does not fit, the answer is FB_ERR_BUFFER_TOO_SMALL, but the
/// step was granted and written all the same: fetch its payload with fb_reader_payload, and go on. After any other
/// failure the turn is still the old one.
///
/// # Safety
/// At buffer are capacity writable bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_next(
    reader: fb_reader_t,
    turn: u64,
    outcome: i32,
    allow: i32,
    now_nanos: u64,
    buffer: *mut u8,
    capacity: usize,
    step: Option<&mut MaybeUninit<fb_step>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || {
        let step = place(step)?;
        // SAFETY: the caller keeps this function's contract.
        let buffer = unsafe { room(buffer, capacity) }?;
        let outcome = Outcome::from_number(outcome).ok_or_else(|| numbers::undefined("fb_outcome", outcome))?;
        let allow = core_allow(allow)?;
        let hosted = READERS.enter(reader)?;
        let (granted, last) = hosted.next(turn, outcome, allow, now_nanos)?;
        deliver(granted, &last, step, buffer)
    })
}

fn core_allow(number: i32) -> Result<Allow, Error> {
    match number {
        0 => Ok(Allow::Everything),
        1 => Ok(Allow::NoPoll),
        _ => Err(numbers::undefined("fb_allow", number)),
    }
}

/// Owner: the payload of the step of a turn once more, for a buffer that was too small.
///
/// # Safety
/// At buffer are capacity writable bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_payload(
    reader: fb_reader_t,
    turn: u64,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, || Ok(READERS.enter(reader)?.payload(turn)?)) }
}

/// Owner, while it executes the step of a turn: asks the coordinator for a split.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_request_split(
    reader: fb_reader_t,
    turn: u64,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || Ok(READERS.enter(reader)?.of.request_split(turn)?))
}

/// The reader in words, for a dump; UTF-8 without a NUL. Any thread; the owner does not notice.
///
/// # Safety
/// At buffer are capacity writable bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_describe(
    reader: fb_reader_t,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, || Ok(READERS.enter(reader)?.of.describe().into_bytes())) }
}

/// Why the reader has failed, if the library or the coordinator has found out; else nothing. UTF-8 without a NUL. Any
/// thread.
///
/// # Safety
/// At buffer are capacity writable bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_reader_failure(
    reader: fb_reader_t,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    // SAFETY: the caller keeps this function's contract.
    unsafe {
        answer_bytes(buffer, capacity, len, error, || {
            Ok(READERS.enter(reader)?.of.failure().unwrap_or_default().into_bytes())
        })
    }
}

/// Ends the handle; good for one caller. Calls that are inside the reader end as usual.
#[unsafe(no_mangle)]
pub extern "C" fn fb_reader_close(reader: fb_reader_t, error: Option<&mut MaybeUninit<fb_error>>) -> fb_code {
    export(error, || closed(READERS.close(reader)))
}
