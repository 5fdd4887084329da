// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.NativeLibrary`: which library this is.

#![allow(unsafe_code, non_snake_case, missing_docs)]

use crate::env::export;
use forebay_core::command::PROTOCOL_VERSION;
use jni::sys::{JNIEnv, jclass, jlong};

/// Counts changes of the exports and of the step buffer; the Java side has the same number.
const NATIVE_LAYOUT: i64 = 1;

#[unsafe(export_name = "Java_dev_forebay_natives_NativeLibrary_version0")]
pub extern "system" fn version0(env: *mut JNIEnv, _: jclass) -> jlong {
    export(env, 0, |_| Ok(NATIVE_LAYOUT << 32 | i64::from(PROTOCOL_VERSION)))
}

/// For a test that a panic does not reach the JVM.
#[unsafe(export_name = "Java_dev_forebay_natives_NativeLibrary_panic0")]
pub extern "system" fn panic0(env: *mut JNIEnv, _: jclass) {
    #[allow(clippy::panic)]
    export(env, (), |_| panic!("asked for by a test"));
}
