// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The shipped library: joins the C ABI and the JNI exports, and holds nothing of its own.

pub use forebay_ffi as ffi;
pub use forebay_jni as jni;
