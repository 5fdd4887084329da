// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.NativeCoordinator`: one coordinator's loop.

#![allow(unsafe_code, non_snake_case, missing_docs, clippy::too_many_arguments)]

use crate::env::{NO_ARRAY, export};
use crate::loops::{answer, exports, limits, next, wide};
use crate::offers::Bounded;
use crate::{crossing, native_budget, step};
use forebay_core::boundary::{Mark, Objects};
use forebay_core::command::{Attempt, Epoch, RuntimeId};
use forebay_core::coordinator::{Coordinator, CoordinatorConfig, Outcome, TrackerLimits};
use forebay_core::error::Error;
use forebay_core::handle::Inside;
use jni::sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jobject};

static COORDINATORS: Objects<Bounded<Coordinator>> = Objects::new(Mark::Coordinator);

fn get(handle: jlong) -> Result<Inside<'static, Bounded<Coordinator>>, Error> {
    COORDINATORS.enter(handle as u64)
}

exports!("NativeCoordinator", COORDINATORS);

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_create0")]
pub extern "system" fn create0(
    env: *mut JNIEnv,
    _: jclass,
    budget: jlong,
    job: jlong,
    runtime_high: jlong,
    runtime_low: jlong,
    attempt_high: jlong,
    attempt_low: jlong,
    epoch: jlong,
    parallelism: jint,
    digest: jbyteArray,
    seed: jlong,
    max_commands: jint,
    max_bytes: jint,
    reserved_commands: jint,
    reserved_bytes: jint,
    max_payload: jint,
) -> jlong {
    export(env, 0, |env| {
        let limits = limits([max_commands, max_bytes, reserved_commands, reserved_bytes, max_payload])?;
        let config = CoordinatorConfig {
            job: job as u64,
            runtime: RuntimeId(wide(runtime_high, runtime_low)),
            attempt: Attempt(wide(attempt_high, attempt_low)),
            epoch: Epoch(epoch as u64),
            parallelism: step::parallelism(parallelism)?,
            digest: env.array(digest)?,
            limits,
            tracker: TrackerLimits::default(),
            seed: seed as u64,
        };
        let coordinator = Coordinator::new(config, native_budget::get(budget)?)?;
        COORDINATORS.insert(Bounded::new(coordinator, limits)).map(|handle| handle as jlong)
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_post0")]
pub extern "system" fn post0(env: *mut JNIEnv, _: jclass, handle: jlong, token: jlong) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.post(token as u64).is_needed()))
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_answer0")]
pub extern "system" fn answer0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    subtask: jint,
    flight: jint,
    bits: jlong,
) -> jboolean {
    export(env, false, |_| {
        let (subtask, flight) = (step::subtask(subtask)?, step::flight(flight)?);
        Ok(get(handle)?.of.answer(subtask, flight, answer(bits)).is_needed())
    })
}

/// Answers the enumerator's state: u32 version, little-endian, then its bytes.
#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_restore0")]
pub extern "system" fn restore0(env: *mut JNIEnv, _: jclass, handle: jlong, blob: jbyteArray) -> jbyteArray {
    export(env, NO_ARRAY, |env| {
        let state = get(handle)?.of.restore(&env.bytes(blob)?)?;
        let mut bytes = state.version.to_le_bytes().to_vec();
        bytes.extend_from_slice(&state.bytes);
        env.new_bytes(&bytes)
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_restoreReader0")]
pub extern "system" fn restoreReader0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    subtask: jint,
    metadata: jbyteArray,
    splits: jbyteArray,
) {
    export(env, (), |env| {
        let (metadata, splits) = (env.bytes(metadata)?, env.bytes(splits)?);
        Ok(get(handle)?.of.restore_reader(step::subtask(subtask)?, &metadata, &splits)?)
    });
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_next0")]
pub extern "system" fn next0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
    failure: jbyteArray,
    now: jlong,
    buffer: jobject,
) -> jint {
    export(env, 0, |env| {
        let hosted = get(handle)?;
        let outcome = if failure.is_null() {
            Outcome::Done
        } else {
            Outcome::Failed(String::from_utf8_lossy(&env.bytes(failure)?).into_owned())
        };
        next(env, &hosted, (turn, outcome), (), now, buffer)
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_assign0")]
pub extern "system" fn assign0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
    subtask: jint,
    splits: jbyteArray,
) {
    export(env, (), |env| {
        let splits = env.bytes(splits)?;
        Ok(get(handle)?.of.assign(turn as u64, step::subtask(subtask)?, &splits)?)
    });
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_noMoreSplits0")]
pub extern "system" fn noMoreSplits0(env: *mut JNIEnv, _: jclass, handle: jlong, turn: jlong, subtask: jint) {
    export(env, (), |_| Ok(get(handle)?.of.no_more_splits(turn as u64, step::subtask(subtask)?)?));
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_hasAssignmentCapacity0")]
pub extern "system" fn hasAssignmentCapacity0(env: *mut JNIEnv, _: jclass, handle: jlong, turn: jlong) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.has_assignment_capacity(turn as u64)?))
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeCoordinator_snapshot0")]
pub extern "system" fn snapshot0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
    version: jint,
    state: jbyteArray,
) -> jbyteArray {
    export(env, NO_ARRAY, |env| {
        let state = env.bytes(state)?;
        env.new_bytes(&get(handle)?.of.snapshot(turn as u64, version as u32, &state)?)
    })
}
