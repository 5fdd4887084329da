// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.Crossing`: commands and batches of the usual size, in memory that is read without a call
//! into the JVM.

#![allow(unsafe_code, non_snake_case, missing_docs)]

use crate::env::{Env, export};
use jni::sys::{JNIEnv, jclass, jint, jlong, jobject};

#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_forebay_natives_Crossing_address0(
    env: *mut JNIEnv,
    _: jclass,
    buffer: jobject,
) -> jlong {
    export(env, 0, |env| env.direct_address(buffer).map(|address| address.expose_provenance() as jlong))
}

/// What the calling thread has put there for the current call, which `_call` is of.
pub(crate) fn bytes(_call: &Env, address: jlong, len: jint) -> &[u8] {
    // SAFETY: only Java's `Crossing` makes addresses. It has copied `len` bytes there, keeps the memory, and lets
    // nobody write to it until this call has returned, which `_call` does not outlive.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), len as usize) }
}
