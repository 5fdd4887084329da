// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.NativeCoordinator`: one coordinator's loop.

#![allow(unsafe_code, non_snake_case, missing_docs, clippy::too_many_arguments)]

use crate::env::{NO_ARRAY, export};
use crate::native_reader::{admission_bits, answer, answer_bits, deliver, limits, own_command, wide};
use crate::offers::{Bounded, too_large};
use crate::{native_budget, step};
use forebay_core::boundary::{Mark, Objects, offer_batch};
use forebay_core::command::{Attempt, Epoch, RuntimeId};
use forebay_core::coordinator::{Coordinator, CoordinatorConfig, Outcome, Step, TrackerLimits};
use forebay_core::error::Error;
use forebay_core::handle::Inside;
use jni::sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jobject};

static COORDINATORS: Objects<Bounded<Coordinator>> = Objects::new(Mark::Coordinator);

fn get(handle: jlong) -> Result<Inside<'static, Bounded<Coordinator>>, Error> {
    COORDINATORS.enter(handle as u64)
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_create0(
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

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_close0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jboolean {
    export(env, false, |_| Ok(COORDINATORS.close(handle as u64)))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_offerBatch0(
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
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_offerOwn0(
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
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_post0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    token: jlong,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.post(token as u64).is_needed()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_answer0(
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

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_terminate0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    cause: jint,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.terminate(step::terminal(cause)?).is_needed()))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_closeMailbox0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.close().is_needed()))
}

/// Answers the enumerator's state: u32 version, little-endian, then its bytes.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_restore0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    blob: jbyteArray,
) -> jbyteArray {
    export(env, NO_ARRAY, |env| {
        let state = get(handle)?.of.restore(&env.bytes(blob)?)?;
        let mut bytes = state.version.to_le_bytes().to_vec();
        bytes.extend_from_slice(&state.bytes);
        env.new_bytes(&bytes)
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_restoreReader0(
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

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_next0(
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
        let mut last = hosted.last(turn as u64)?;
        let outcome = if failure.is_null() {
            Outcome::Done
        } else {
            Outcome::Failed(String::from_utf8_lossy(&env.bytes(failure)?).into_owned())
        };
        let granted = hosted.of.next(turn as u64, outcome, now as u64, &mut last.payload)?;
        last.turn = granted.turn;
        let mut numbers = step::Numbers { turn: granted.turn, ..Default::default() };
        let (code, with_payload) = describe_step(granted.step, &mut numbers);
        let bytes: &[u8] = if with_payload { &last.payload } else { &[] };
        deliver(env, buffer, &numbers, bytes)?;
        Ok(code)
    })
}

/// The code of a step in Java, and whether it has a payload.
fn describe_step(step: Step, numbers: &mut step::Numbers) -> (jint, bool) {
    let mut with = |value: u64, subtask: u32, flight: u8| {
        numbers.value = value;
        numbers.subtask = subtask;
        numbers.flight = flight;
    };
    match step {
        Step::Open => (1, false),
        Step::AddSplitsBack(subtask) => {
            with(0, subtask, 0);
            (2, true)
        }
        Step::Connect(subtask) => {
            with(0, subtask, 0);
            (3, true)
        }
        Step::RegisterReader(subtask) => {
            with(0, subtask, 0);
            (4, false)
        }
        Step::Run => (5, false),
        Step::RequestSplit(subtask) => {
            with(0, subtask, 0);
            (6, false)
        }
        Step::Snapshot(checkpoint) => {
            with(checkpoint, 0, 0);
            (7, false)
        }
        Step::CheckpointComplete(checkpoint) => {
            with(checkpoint, 0, 0);
            (8, false)
        }
        Step::CheckpointAborted(checkpoint) => {
            with(checkpoint, 0, 0);
            (9, false)
        }
        Step::Mail(token) => {
            with(token, 0, 0);
            (10, false)
        }
        Step::Send(subtask, flight) => {
            with(0, subtask, flight);
            (11, true)
        }
        Step::Park(time) => {
            with(step::until(time), 0, 0);
            (12, false)
        }
        Step::Failed => (13, true),
        Step::Terminal(terminal) => {
            with(step::terminal_code(terminal), 0, 0);
            (14, false)
        }
        Step::Closed => (15, false),
    }
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_payload0(
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
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_assign0(
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

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_noMoreSplits0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
    subtask: jint,
) {
    export(env, (), |_| Ok(get(handle)?.of.no_more_splits(turn as u64, step::subtask(subtask)?)?));
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_hasAssignmentCapacity0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
    turn: jlong,
) -> jboolean {
    export(env, false, |_| Ok(get(handle)?.of.has_assignment_capacity(turn as u64)?))
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_snapshot0(
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

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_NativeCoordinator_describe0(
    env: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) -> jbyteArray {
    export(env, NO_ARRAY, |env| env.new_bytes(get(handle)?.of.describe().as_bytes()))
}
