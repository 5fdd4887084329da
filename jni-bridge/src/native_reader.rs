// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.NativeReader`: one reader's loop.

#![allow(unsafe_code, non_snake_case, missing_docs, clippy::too_many_arguments)]

use crate::env::{Env, NO_ARRAY, export};
use crate::offers::{Bounded, too_large};
use crate::{crossing, native_budget, step};
use forebay_core::boundary::{Mark, Objects, offer_batch, own_payload};
use forebay_core::command::batch::Answer;
use forebay_core::command::{Attempt, Kind, RuntimeId};
use forebay_core::error::{Error, ErrorCode};
use forebay_core::handle::Inside;
use forebay_core::mailbox::{Admission, Limits, Reason, Status};
use forebay_core::reader::{Allow, Outcome, PollBudget, PollStatus, Reader, ReaderConfig, Step};
use forebay_core::wake::Wake;
use jni::sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jobject};

static READERS: Objects<Bounded<Reader>> = Objects::new(Mark::Reader);

fn get(handle: jlong) -> Result<Inside<'static, Bounded<Reader>>, Error> {
    READERS.enter(handle as u64)
}

/// Two Java longs as one id.
pub(crate) fn wide(high: jlong, low: jlong) -> u128 {
    u128::from(high as u64) << 64 | u128::from(low as u64)
}

/// Settings in the order of the Java method.
pub(crate) fn limits(settings: [jint; 5]) -> Result<Limits, Error> {
    let mut numbers = [0; 5];
    for (number, setting) in numbers.iter_mut().zip(settings) {
        *number = u32::try_from(setting)
            .map_err(|_| Error::new(ErrorCode::InvalidSetting, format!("a mailbox limit is {setting}")))?;
    }
    let [max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload] = numbers;
    Ok(Limits { max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload })
}

/// An admission as one long: expected sequence (44 bits), status (4), reason (8), wake (1).
pub(crate) fn admission_bits(admission: Admission) -> jlong {
    let Admission { status, reason, expected, wake } = admission;
    answer_bits(Answer { status, reason, expected }, wake)
}

/// An answer as one long, with the wake bit above it.
pub(crate) fn answer_bits(answer: Answer, wake: Wake) -> jlong {
    (answer.to_bits() | u64::from(wake.is_needed()) << 56) as jlong
}

/// Reads an answer that came over the wire.
pub(crate) fn answer(bits: jlong) -> Answer {
    // What cannot be read says nothing about the commands: as good as not delivered.
    let lost = Answer { status: Status::RetryLater, reason: Reason::Transport, expected: 0 };
    Answer::from_bits(bits as u64).unwrap_or(lost)
}

/// The kind and the number of a command of the own process.
pub(crate) fn own_command(kind: jint, number: jlong) -> Result<(Kind, Vec<u8>), Error> {
    let invalid = || Error::new(ErrorCode::InvalidArgument, format!("there is no command kind {kind}"));
    let kind = u8::try_from(kind).ok().and_then(Kind::from_code).ok_or_else(invalid)?;
    Ok((kind, own_payload(kind, number as u64)))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_create0(
    env: *mut JNIEnv,
    _: jclass,
    budget: jlong,
    job: jlong,
    runtime_high: jlong,
    runtime_low: jlong,
    attempt_high: jlong,
    attempt_low: jlong,
    subtask: jint,
    digest: jbyteArray,
    created_millis: jlong,
    address: jbyteArray,
    seed: jlong,
    max_commands: jint,
    max_bytes: jint,
    reserved_commands: jint,
    reserved_bytes: jint,
    max_payload: jint,
) -> jlong {
    export(env, 0, |env| {
        let limits = limits([max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload])?;
        let config = ReaderConfig {
            job: job as u64,
            runtime: RuntimeId(wide(runtime_high, runtime_low)),
            attempt: Attempt(wide(attempt_high, attempt_low)),
            subtask: step::subtask(subtask)?,
            digest: env.array(digest)?,
            created_millis: created_millis as u64,
            address: env.at_most(address, usize::from(u16::MAX))?,
            limits,
            poll: PollBudget::DEFAULT,
            seed: seed as u64,
        };
        let reader = Reader::new(config, native_budget::get(budget)?)?;
        READERS.insert(Bounded::new(reader, limits)).map(|handle| handle as jlong)
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_close0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jboolean {
    export(env, false, |_| Ok(READERS.close(handle as u64)))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_offer0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    bytes: jbyteArray,
    offset: jint,
    len: jint,
    now: jlong,
) -> jlong {
    export(env, 0, |env| {
        let hosted = get(handle)?;
        let range = env.range(bytes, offset, len)?;
        if hosted.refuses_command(range.len()) {
            let (answer, wake) = too_large();
            return Ok(answer_bits(answer, wake));
        }
        Ok(admission_bits(hosted.of.offer(&env.copied(range)?, now as u64)))
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_offerAt0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    address: jlong,
    len: jint,
    now: jlong,
) -> jlong {
    export(env, 0, |env| {
        let hosted = get(handle)?;
        Ok(admission_bits(hosted.of.offer(crossing::command(&env, address, len), now as u64)))
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_offerBatch0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    bytes: jbyteArray,
    now: jlong,
) -> jlong {
    export(env, 0, |env| {
        let hosted = get(handle)?;
        let (answer, wake) = if hosted.refuses_batch(env.len(bytes)?) {
            too_large()
        } else {
            offer_batch(&env.bytes(bytes)?, |bytes| hosted.of.offer(bytes, now as u64))
        };
        Ok(answer_bits(answer, wake))
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_offerOwn0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    kind: jint,
    number: jlong,
    now: jlong,
) -> jlong {
    export(env, 0, |_| {
        let (kind, payload) = own_command(kind, number)?;
        Ok(admission_bits(get(handle)?.of.offer_own(kind, &payload, now as u64)))
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_answer0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    flight: jint,
    bits: jlong,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.answer(step::flight(flight)?, answer(bits)).is_needed()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_available0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.available(turn as u64).is_needed()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_terminate0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    cause: jint,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.terminate(step::terminal(cause)?).is_needed()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_closeMailbox0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.close().is_needed()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_next0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
    outcome: jint,
    poll: jboolean,
    now: jlong,
    buffer: jobject,
) -> jint {
    export(env, 0, |env| {
        let hosted = get(handle)?;
        let mut last = hosted.last(turn as u64)?;
        let outcome = match outcome {
            0 => Outcome::Done,
            1 => Outcome::Failed,
            2 => Outcome::Polled(PollStatus::MoreAvailable),
            3 => Outcome::Polled(PollStatus::NothingAvailable),
            4 => Outcome::Polled(PollStatus::EndOfInput),
            _ => return Err(Error::new(ErrorCode::InvalidArgument, format!("there is no outcome {outcome}"))),
        };
        let allow = if poll { Allow::Everything } else { Allow::NoPoll };
        let granted = hosted.of.next(turn as u64, outcome, allow, now as u64, &mut last.payload)?;
        last.turn = granted.turn;
        let mut numbers = step::Numbers { turn: granted.turn, ..Default::default() };
        let (code, with_payload) = describe_step(granted.step, &mut numbers);
        let bytes: &[u8] = if with_payload { &last.payload } else { &[] };
        deliver(env, buffer, &numbers, bytes)?;
        Ok(code)
    })
}

/// Writes a step into the host's buffer.
pub(crate) fn deliver(env: Env, buffer: jobject, numbers: &step::Numbers, payload: &[u8]) -> Result<(), Error> {
    if env.with_direct(buffer, |buffer| step::write(buffer, numbers, payload))? {
        Ok(())
    } else {
        Err(Error::new(ErrorCode::BufferTooSmall, format!("a step buffer needs at least {} bytes", step::HEADER)))
    }
}

/// The code of a step in Java, and whether it has a payload.
fn describe_step(step: Step, numbers: &mut step::Numbers) -> (jint, bool) {
    match step {
        Step::AddSplits => (1, true),
        Step::NoMoreSplits => (2, false),
        Step::CheckpointComplete(checkpoint) => {
            numbers.value = checkpoint;
            (3, false)
        }
        Step::CheckpointAborted(checkpoint) => {
            numbers.value = checkpoint;
            (4, false)
        }
        Step::Snapshot(checkpoint) => {
            numbers.value = checkpoint;
            (5, true)
        }
        Step::Poll(PollBudget { records, bytes, nanos }) => {
            (numbers.value, numbers.subtask, numbers.bytes) = (nanos, records, bytes);
            (6, false)
        }
        Step::Send(flight) => {
            numbers.flight = flight;
            (7, true)
        }
        Step::Register(flight) => {
            numbers.flight = flight;
            (8, true)
        }
        Step::Finish => (9, false),
        Step::Park(time) => {
            numbers.value = step::until(time);
            (10, false)
        }
        Step::Terminal(terminal) => {
            numbers.value = step::terminal_code(terminal);
            (11, false)
        }
        Step::Closed => (12, false),
    }
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_payload0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
) -> jbyteArray {
    export(env, NO_ARRAY, |env| {
        let payload = get(handle)?.payload(turn as u64)?;
        env.new_bytes(&payload)
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_requestSplit0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
) {
    export(env, (), |_| Ok(get(handle)?.of.request_split(turn as u64)?));
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_describe0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jbyteArray {
    export(env, NO_ARRAY, |env| env.new_bytes(get(handle)?.of.describe().as_bytes()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeReader_failure0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jbyteArray {
    export(env, NO_ARRAY, |env| env.new_bytes(get(handle)?.of.failure().unwrap_or_default().as_bytes()))
}
