// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the Java classes of both loops export, and how their arguments become the core's.

use crate::env::Env;
use crate::offers::Bounded;
use crate::step;
use forebay_core::boundary::{Hosted, offer_batch, own_payload};
use forebay_core::command::Kind;
use forebay_core::command::batch::Answer;
use forebay_core::error::{Error, ErrorCode};
use forebay_core::loops::{Loop, Side};
use forebay_core::mailbox::{Admission, Limits, Reason, Status};
use forebay_core::step::AnyStep;
use forebay_core::wake::Wake;
use jni::sys::{jbyteArray, jint, jlong, jobject};

/// Exports what both loops have under the names of a class of `dev.forebay.natives`, in the file of that class: it
/// takes the objects and `get` from there. A function of one symbol cannot be generic, so it is a macro.
macro_rules! exports {
    ($class:literal, $objects:ident) => {
        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_close0"))]
        pub extern "system" fn close0(env: *mut JNIEnv, _: jclass, handle: jlong) -> jboolean {
            export(env, false, |_| Ok($objects.close(handle as u64)))
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_offerBatch0"))]
        pub extern "system" fn offerBatch0(
            env: *mut JNIEnv,
            _: jclass,
            handle: jlong,
            bytes: jbyteArray,
            now: jlong,
        ) -> jlong {
            export(env, 0, |env| $crate::loops::offer_all(env, &*get(handle)?, bytes, now))
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_offerBatchAt0"))]
        pub extern "system" fn offerBatchAt0(
            env: *mut JNIEnv,
            _: jclass,
            handle: jlong,
            address: jlong,
            len: jint,
            now: jlong,
        ) -> jlong {
            export(env, 0, |env| {
                Ok($crate::loops::offer_each(&*get(handle)?, crossing::bytes(&env, address, len), now))
            })
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_offerOwn0"))]
        pub extern "system" fn offerOwn0(
            env: *mut JNIEnv,
            _: jclass,
            handle: jlong,
            kind: jint,
            number: jlong,
            now: jlong,
        ) -> jlong {
            export(env, 0, |_| {
                let (kind, payload) = $crate::loops::own_command(kind, number)?;
                Ok($crate::loops::admission_bits(get(handle)?.of.offer_own(kind, &payload, now as u64)))
            })
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_terminate0"))]
        pub extern "system" fn terminate0(env: *mut JNIEnv, _: jclass, handle: jlong, cause: jint) -> jboolean {
            export(env, false, |_| Ok(get(handle)?.of.terminate(step::terminal(cause)?).is_needed()))
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_closeMailbox0"))]
        pub extern "system" fn closeMailbox0(env: *mut JNIEnv, _: jclass, handle: jlong) -> jboolean {
            export(env, false, |_| Ok(get(handle)?.of.close().is_needed()))
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_payload0"))]
        pub extern "system" fn payload0(env: *mut JNIEnv, _: jclass, handle: jlong, turn: jlong) -> jbyteArray {
            export(env, NO_ARRAY, |env| env.new_bytes(&get(handle)?.payload(turn as u64)?))
        }

        #[unsafe(export_name = concat!("Java_dev_forebay_natives_", $class, "_describe0"))]
        pub extern "system" fn describe0(env: *mut JNIEnv, _: jclass, handle: jlong) -> jbyteArray {
            export(env, NO_ARRAY, |env| env.new_bytes(get(handle)?.of.describe().as_bytes()))
        }
    };
}

pub(crate) use exports;

/// Offers a batch, unless it is larger than any sender's.
pub(crate) fn offer_all<S: Side>(
    env: Env,
    hosted: &Bounded<Loop<S>>,
    bytes: jbyteArray,
    now: jlong,
) -> Result<jlong, Error> {
    if hosted.refuses_batch(env.len(bytes)?) {
        return Ok(too_large());
    }
    Ok(offer_each(hosted, &env.bytes(bytes)?, now))
}

/// Offers a batch.
pub(crate) fn offer_each<S: Side>(hosted: &Hosted<Loop<S>>, batch: &[u8], now: jlong) -> jlong {
    let (answer, wake) = offer_batch(batch, |command| hosted.of.offer(command, now as u64));
    answer_bits(answer, wake)
}

/// The answer to what is refused for its size: the sender would not do better by trying again.
pub(crate) fn too_large() -> jlong {
    answer_bits(Answer { status: Status::InvalidPayload, reason: Reason::TooLarge, expected: 0 }, Wake::No)
}

/// Takes the next step, writes it into the host's buffer, and answers its number.
pub(crate) fn next<S: Side>(
    env: Env,
    hosted: &Hosted<Loop<S>>,
    (turn, outcome): (jlong, S::Outcome),
    allow: S::Allow,
    now: jlong,
    buffer: jobject,
) -> Result<jint, Error> {
    let (granted, last) = hosted.next(turn as u64, outcome, allow, now as u64)?;
    if env.with_direct(buffer, |buffer| step::write(buffer, last.turn, granted.carried(), &last.payload))? {
        Ok(granted.number().into())
    } else {
        Err(Error::new(ErrorCode::BufferTooSmall, format!("a step buffer needs at least {} bytes", step::HEADER)))
    }
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
    // What cannot be read is as good as not delivered.
    Answer::from_bits(bits as u64).unwrap_or(Answer::LOST)
}

/// The kind and the number of a command of the own process.
pub(crate) fn own_command(kind: jint, number: jlong) -> Result<(Kind, Vec<u8>), Error> {
    let invalid = || Error::new(ErrorCode::InvalidArgument, format!("there is no command kind {kind}"));
    let kind = u8::try_from(kind).ok().and_then(Kind::from_code).ok_or_else(invalid)?;
    Ok((kind, own_payload(kind, number as u64)))
}
