// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.NativeReader`: one reader's loop.

#![allow(unsafe_code, non_snake_case, missing_docs, clippy::too_many_arguments)]

use crate::env::{NO_ARRAY, export};
use crate::loops::{admission_bits, answer, exports, limits, next, too_large, wide};
use crate::offers::Bounded;
use crate::{crossing, native_budget, step};
use forebay_core::boundary::{Mark, Objects};
use forebay_core::command::{Attempt, RuntimeId};
use forebay_core::error::{Error, ErrorCode};
use forebay_core::handle::Inside;
use forebay_core::mailbox::limits::ADDRESS_MAX;
use forebay_core::reader::{Allow, Outcome, PollBudget, Reader, ReaderConfig};
use jni::sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jobject};

static READERS: Objects<Bounded<Reader>> = Objects::new(Mark::Reader);

fn get(handle: jlong) -> Result<Inside<'static, Bounded<Reader>>, Error> {
    READERS.enter(handle as u64)
}

exports!("NativeReader", READERS);

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_create0")]
pub extern "system" fn create0(
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
            address: env.at_most(address, ADDRESS_MAX)?,
            limits,
            poll: PollBudget::DEFAULT,
            seed: seed as u64,
        };
        let reader = Reader::new(config, native_budget::get(budget)?)?;
        READERS.insert(Bounded::new(reader, limits)).map(|handle| handle as jlong)
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_offer0")]
pub extern "system" fn offer0(
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
            return Ok(too_large());
        }
        Ok(admission_bits(hosted.of.offer(&env.copied(range)?, now as u64)))
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_offerAt0")]
pub extern "system" fn offerAt0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    address: jlong,
    len: jint,
    now: jlong,
) -> jlong {
    export(env, 0, |env| {
        let hosted = get(handle)?;
        Ok(admission_bits(hosted.of.offer(crossing::bytes(&env, address, len), now as u64)))
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_answer0")]
pub extern "system" fn answer0(env: *mut JNIEnv, _: jclass, handle: jlong, flight: jint, bits: jlong) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.answer(step::flight(flight)?, answer(bits)).is_needed()))
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_available0")]
pub extern "system" fn available0(env: *mut JNIEnv, _: jclass, handle: jlong, turn: jlong) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.available(turn as u64).is_needed()))
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_next0")]
pub extern "system" fn next0(
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
        let invalid = || Error::new(ErrorCode::InvalidArgument, format!("there is no outcome {outcome}"));
        let outcome = Outcome::from_number(outcome).ok_or_else(invalid)?;
        let allow = if poll { Allow::Everything } else { Allow::NoPoll };
        next(env, &hosted, (turn, outcome), allow, now, buffer)
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_requestSplit0")]
pub extern "system" fn requestSplit0(env: *mut JNIEnv, _: jclass, handle: jlong, turn: jlong) {
    export(env, (), |_| Ok(get(handle)?.of.request_split(turn as u64)?));
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeReader_failure0")]
pub extern "system" fn failure0(env: *mut JNIEnv, _: jclass, handle: jlong) -> jbyteArray {
    export(env, NO_ARRAY, |env| env.new_bytes(get(handle)?.of.failure().unwrap_or_default().as_bytes()))
}
