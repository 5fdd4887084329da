// Licensed under the Apache License, Version 2.0. See LICENSE.
//! One coordinator's loop.
//!
//! Invariant: a handle is good from fb_coordinator_create to fb_coordinator_close, and the coordinator is dropped by
//! the last call that is inside it. Offers, posts, answers, terminate and closing: any thread, never waiting. Next,
//! payload and what the connector asks for: the owner of the turn; everybody else gets `FB_ERR_NOT_OWNER`.

#![allow(unsafe_code)]

use crate::budget::{self, fb_budget_t};
use crate::error::{answer, answer_bytes, closed, export, fb_code, fb_error};
use crate::memory::{place, room, sized, slice};
use crate::numbers;
use crate::types::{FB_DIGEST_LEN, deliver, fb_admission, fb_id, fb_limits, fb_step};
use forebay_core::boundary::{Hosted, Mark, Objects, offer_batch};
use forebay_core::command::Epoch;
use forebay_core::coordinator::{Coordinator, CoordinatorConfig, Outcome, TrackerLimits};
use forebay_core::error::{Error, ErrorCode};
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// A coordinator.
pub type fb_coordinator_t = u64;

static COORDINATORS: Objects<Hosted<Coordinator>> = Objects::new(Mark::Coordinator);

/// What the tracker of assignments may hold.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_tracker_limits {
    /// Splits.
    pub max_entries: u64,
    /// Bytes of the serialized splits.
    pub max_bytes: u64,
}

impl TryFrom<fb_tracker_limits> for TrackerLimits {
    type Error = Error;

    fn try_from(limits: fb_tracker_limits) -> Result<Self, Error> {
        let number = |value: u64| {
            usize::try_from(value)
                .map_err(|_| Error::new(ErrorCode::InvalidSetting, format!("a tracker limit is {value}")))
        };
        Ok(TrackerLimits { max_entries: number(limits.max_entries)?, max_bytes: number(limits.max_bytes)? })
    }
}

/// What a coordinator needs to know of itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct fb_coordinator_config {
    /// sizeof(fb_coordinator_config).
    pub size: u32,
    /// Readers of the source, 1 to 65536. Each takes 3 KiB for its channel, from the beginning.
    pub parallelism: u32,
    /// The budget that the mailbox shares.
    pub budget: fb_budget_t,
    /// The engine's number of the job.
    pub job: u64,
    /// Names the source.
    pub runtime: fb_id,
    /// This life, drawn at random.
    pub attempt: fb_id,
    /// Higher than that of any earlier life; a restored checkpoint may raise it.
    pub epoch: u64,
    /// Digest of the connector's capability.
    pub digest: [u8; FB_DIGEST_LEN],
    /// Draws the jitter of back-offs.
    pub seed: u64,
    /// What the tracker may hold.
    pub tracker: fb_tracker_limits,
    /// What the mailbox may hold.
    pub limits: fb_limits,
}

/// The tracker limits of STIP-31's initial production defaults.
#[unsafe(no_mangle)]
pub extern "C" fn fb_tracker_limits_default(
    limits: Option<&mut MaybeUninit<fb_tracker_limits>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(limits, error, || {
        let TrackerLimits { max_entries, max_bytes } = TrackerLimits::default();
        Ok(fb_tracker_limits { max_entries: max_entries as u64, max_bytes: max_bytes as u64 })
    })
}

/// Creates a coordinator that no reader knows yet.
///
/// # Safety
/// At config are as many readable bytes as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_create(
    config: *const fb_coordinator_config,
    coordinator: Option<&mut MaybeUninit<fb_coordinator_t>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(coordinator, error, || {
        // SAFETY: the caller keeps this function's contract; every field of the struct is good whatever its bytes are.
        let config = unsafe { sized(config) }?;
        let core = CoordinatorConfig {
            job: config.job,
            runtime: config.runtime.runtime(),
            attempt: config.attempt.attempt(),
            epoch: Epoch(config.epoch),
            parallelism: config.parallelism,
            digest: config.digest,
            limits: config.limits.into(),
            tracker: config.tracker.try_into()?,
            seed: config.seed,
        };
        COORDINATORS.insert(Hosted::new(Coordinator::new(core, budget::get(config.budget)?)?))
    })
}

/// Hands in a command of a reader. Any thread; never waits.
///
/// # Safety
/// At command are len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_offer(
    coordinator: fb_coordinator_t,
    command: *const u8,
    len: usize,
    now_nanos: u64,
    admission: Option<&mut MaybeUninit<fb_admission>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(admission, error, || {
        // SAFETY: the caller keeps this function's contract.
        let command = unsafe { slice(command, len) }?;
        Ok(COORDINATORS.enter(coordinator)?.of.offer(command, now_nanos).into())
    })
}

/// Hands in the batch of a reader's FB_STEP_KIND_SEND or FB_STEP_KIND_REGISTER. Any thread; never waits. The admission
/// is the answer to the flight.
///
/// # Safety
/// At batch are len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_offer_batch(
    coordinator: fb_coordinator_t,
    batch: *const u8,
    len: usize,
    now_nanos: u64,
    admission: Option<&mut MaybeUninit<fb_admission>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(admission, error, || {
        // SAFETY: the caller keeps this function's contract.
        let batch = unsafe { slice(batch, len) }?;
        let hosted = COORDINATORS.enter(coordinator)?;
        Ok(offer_batch(batch, |command| hosted.of.offer(command, now_nanos)).into())
    })
}

/// Hands in an order or a callback of the engine: an fb_kind that is "own", and its number. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_offer_own(
    coordinator: fb_coordinator_t,
    kind: i32,
    number: u64,
    now_nanos: u64,
    admission: Option<&mut MaybeUninit<fb_admission>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(admission, error, || {
        let (kind, payload) = numbers::own_command(kind, number)?;
        Ok(COORDINATORS.enter(coordinator)?.of.offer_own(kind, &payload, now_nanos).into())
    })
}

/// Posts a piece of work of this process; its token comes back with FB_STEP_KIND_MAIL. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_post(
    coordinator: fb_coordinator_t,
    token: u64,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || Ok(COORDINATORS.enter(coordinator)?.of.post(token).is_needed()))
}

/// Hands in the answer to a flight: what the reader's admission said, or FB_STATUS_RETRY_LATER with
/// FB_REASON_TRANSPORT if the batch did not get there. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_answer(
    coordinator: fb_coordinator_t,
    subtask: u32,
    flight: u8,
    status: i32,
    reason: i32,
    expected: u64,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || {
        let answer = numbers::core_answer(status, reason, expected)?;
        Ok(COORDINATORS.enter(coordinator)?.of.answer(subtask, flight, answer).is_needed())
    })
}

/// Ends the coordinator at once, whatever its mailbox holds: FB_TERMINAL_CANCELLED or FB_TERMINAL_FAILED. The first
/// cause stays. Any thread; never waits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_terminate(
    coordinator: fb_coordinator_t,
    cause: i32,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || {
        let cause = numbers::terminal(cause)?;
        Ok(COORDINATORS.enter(coordinator)?.of.terminate(cause).is_needed())
    })
}

/// Refuses every later offer; what was admitted is still served, then comes FB_STEP_KIND_CLOSED. Any thread; more than
/// once.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_close_mailbox(
    coordinator: fb_coordinator_t,
    wake: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(wake, error, || Ok(COORDINATORS.enter(coordinator)?.of.close().is_needed()))
}

/// Before the first turn: takes over what fb_coordinator_snapshot wrote, and answers the enumerator's state in it with
/// its version. If the buffer is too small, call again with a larger one: restoring the same again changes nothing.
///
/// # Safety
/// At blob are blob_len readable bytes, at buffer capacity writable ones; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_restore(
    coordinator: fb_coordinator_t,
    blob: *const u8,
    blob_len: usize,
    version: Option<&mut MaybeUninit<u32>>,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    let restore = || {
        let version = place(version)?;
        // SAFETY: the caller keeps this function's contract.
        let blob = unsafe { slice(blob, blob_len) }?;
        let state = COORDINATORS.enter(coordinator)?.of.restore(blob)?;
        version.write(state.version);
        Ok(state.bytes)
    };
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, restore) }
}

/// Before FB_STEP_KIND_OPEN is done: takes over what a reader of a subtask had in the restored checkpoint. The metadata
/// is the payload of its FB_STEP_KIND_SNAPSHOT, the splits are the connector's, as fb_splits_encode writes them.
///
/// # Safety
/// At metadata are metadata_len readable bytes, at splits splits_len ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_restore_reader(
    coordinator: fb_coordinator_t,
    subtask: u32,
    metadata: *const u8,
    metadata_len: usize,
    splits: *const u8,
    splits_len: usize,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || {
        // SAFETY: the caller keeps this function's contract.
        let (metadata, splits) = unsafe { (slice(metadata, metadata_len)?, slice(splits, splits_len)?) };
        Ok(COORDINATORS.enter(coordinator)?.of.restore_reader(subtask, metadata, splits)?)
    })
}

/// Owner: reports how the step of a turn went, and answers the next one. The first call hands in turn 0. A failure that
/// is not NULL fails the source; readers are told its text, which is UTF-8 and needs no NUL.
///
/// The step's payload is copied into the buffer. If it does not fit, the answer is FB_ERR_BUFFER_TOO_SMALL, but the
/// step was granted and written all the same: fetch its payload with fb_coordinator_payload, and go on. After any
/// other failure the turn is still the old one.
///
/// # Safety
/// At failure are failure_len readable bytes, at buffer capacity writable ones; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_next(
    coordinator: fb_coordinator_t,
    turn: u64,
    failure: *const c_char,
    failure_len: usize,
    now_nanos: u64,
    buffer: *mut u8,
    capacity: usize,
    step: Option<&mut MaybeUninit<fb_step>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || {
        let step = place(step)?;
        // SAFETY: the caller keeps this function's contract.
        let (text, buffer) = unsafe { (slice(failure.cast(), failure_len)?, room(buffer, capacity)?) };
        let failed = || Outcome::Failed(String::from_utf8_lossy(text).into_owned());
        let outcome = if failure.is_null() { Outcome::Done } else { failed() };
        let hosted = COORDINATORS.enter(coordinator)?;
        let (granted, last) = hosted.next(turn, outcome, (), now_nanos)?;
        deliver(granted, &last, step, buffer)
    })
}

/// Owner: the payload of the step of a turn once more, for a buffer that was too small.
///
/// # Safety
/// At buffer are capacity writable bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_payload(
    coordinator: fb_coordinator_t,
    turn: u64,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, || Ok(COORDINATORS.enter(coordinator)?.payload(turn)?)) }
}

/// Owner, while it executes the step of a turn: gives a reader splits, as fb_splits_encode writes them. All or none.
///
/// # Safety
/// At splits are len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_assign(
    coordinator: fb_coordinator_t,
    turn: u64,
    subtask: u32,
    splits: *const u8,
    len: usize,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || {
        // SAFETY: the caller keeps this function's contract.
        let splits = unsafe { slice(splits, len) }?;
        Ok(COORDINATORS.enter(coordinator)?.of.assign(turn, subtask, splits)?)
    })
}

/// Owner, while it executes the step of a turn: tells a reader that no split will come any more.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_no_more_splits(
    coordinator: fb_coordinator_t,
    turn: u64,
    subtask: u32,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || Ok(COORDINATORS.enter(coordinator)?.of.no_more_splits(turn, subtask)?))
}

/// Owner, while it executes the step of a turn: whether more can be assigned without coming near the tracker's limits.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_has_assignment_capacity(
    coordinator: fb_coordinator_t,
    turn: u64,
    has: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(has, error, || Ok(COORDINATORS.enter(coordinator)?.of.has_assignment_capacity(turn)?))
}

/// Owner, while it executes FB_STEP_KIND_SNAPSHOT: the coordinator's part of the checkpoint, around the enumerator's
/// state. If the buffer is too small, call again with a larger one.
///
/// # Safety
/// At state are state_len readable bytes, at buffer capacity writable ones; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_snapshot(
    coordinator: fb_coordinator_t,
    turn: u64,
    version: u32,
    state: *const u8,
    state_len: usize,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    let snapshot = || {
        // SAFETY: the caller keeps this function's contract.
        let state = unsafe { slice(state, state_len) }?;
        Ok(COORDINATORS.enter(coordinator)?.of.snapshot(turn, version, state)?)
    };
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, snapshot) }
}

/// The coordinator in words, for a dump; UTF-8 without a NUL. Any thread; the owner does not notice.
///
/// # Safety
/// At buffer are capacity writable bytes; no memory is given twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fb_coordinator_describe(
    coordinator: fb_coordinator_t,
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    let describe = || Ok(COORDINATORS.enter(coordinator)?.of.describe().into_bytes());
    // SAFETY: the caller keeps this function's contract.
    unsafe { answer_bytes(buffer, capacity, len, error, describe) }
}

/// Ends the handle; good for one caller. Calls that are inside the coordinator end as usual.
#[unsafe(no_mangle)]
pub extern "C" fn fb_coordinator_close(
    coordinator: fb_coordinator_t,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    export(error, || closed(COORDINATORS.close(coordinator)))
}
