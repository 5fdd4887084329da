// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The only place that touches what the JVM hands in.
//!
//! Raw environment calls, because the wrapper of the `jni` crate costs more than a whole admission (34 ns of 43 around
//! an empty body). After a call that may leave an exception pending, nothing but the return to Java follows.

#![allow(unsafe_code)]

use forebay_core::boundary::catch;
use forebay_core::error::{Error, ErrorCode};
use jni::sys::{JNIEnv, jbyteArray, jint, jobject, jsize};
use std::ptr;

/// The environment of the current call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env(*mut JNIEnv);

/// A part of a byte array that is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    array: jbyteArray,
    offset: jint,
    len: jint,
}

impl Range {
    pub(crate) fn len(self) -> usize {
        usize::try_from(self.len).unwrap_or(0)
    }
}

/// Calls a function of the JNI table.
macro_rules! jni_call {
    ($env:expr, $version:ident, $name:ident $(, $arg:expr)*) => {
        // SAFETY: the environment came with this very call from the JVM, and the table of a JVM of version 8 or later
        // has every function of the named version; the arguments are as the caller of this macro says.
        unsafe { ((**$env.0).$version.$name)($env.0 $(, $arg)*) }
    };
}

/// Runs the body of an export: errors and panics become a `NativeException`, and `failed` is returned to the JVM.
pub(crate) fn export<T>(env: *mut JNIEnv, failed: T, body: impl FnOnce(Env) -> Result<T, Error>) -> T {
    let env = Env(env);
    catch(|| body(env)).unwrap_or_else(|error| {
        env.throw(&error);
        failed
    })
}

impl Env {
    fn throw(self, error: &Error) {
        if jni_call!(self, v1_2, ExceptionCheck) {
            return;
        }
        let class = jni_call!(self, v1_1, FindClass, c"dev/forebay/natives/NativeException".as_ptr());
        if class.is_null() {
            return;
        }
        // NUL would end the text early; everything else outside ASCII may be read as another letter, which the
        // modified UTF-8 of JNI does beyond the basic plane.
        let text = format!("FB{}: {error}", error.code as i32).replace('\0', " ");
        if let Ok(text) = std::ffi::CString::new(text) {
            jni_call!(self, v1_1, ThrowNew, class, text.as_ptr());
        }
    }

    /// Bytes `offset` to `offset + len` of a byte array that may be shorter.
    pub(crate) fn range(self, array: jbyteArray, offset: jint, len: jint) -> Result<Range, Error> {
        let have = self.array_length(array)?;
        if offset < 0 || len < 0 || i64::from(offset) + i64::from(len) > i64::from(have) {
            let text = format!("bytes {offset} to {offset} + {len} of an array of {have} bytes");
            return Err(Error::new(ErrorCode::InvalidArgument, text));
        }
        Ok(Range { array, offset, len })
    }

    /// How many bytes an array has. To be asked before what comes from another process is copied.
    pub(crate) fn len(self, array: jbyteArray) -> Result<usize, Error> {
        self.array_length(array).map(|len| usize::try_from(len).unwrap_or(0))
    }

    fn array_length(self, array: jbyteArray) -> Result<jsize, Error> {
        if array.is_null() {
            return Err(Error::new(ErrorCode::InvalidArgument, "the byte array is null"));
        }
        Ok(jni_call!(self, v1_1, GetArrayLength, array))
    }

    /// Too little memory is an error of this call: an allocation that may not fail would end the process with all jobs
    /// in it.
    pub(crate) fn copied(self, range: Range) -> Result<Vec<u8>, Error> {
        let size = range.len();
        let mut bytes = Vec::<u8>::new();
        bytes.try_reserve_exact(size).map_err(|_| {
            let text = format!("there is no memory for a copy of {size} bytes; give the process more, or send less");
            Error::new(ErrorCode::Exhausted, text)
        })?;
        let Range { array, offset, len } = range;
        jni_call!(self, v1_1, GetByteArrayRegion, array, offset, len, bytes.as_mut_ptr().cast());
        // SAFETY: the capacity is at least `size`, and the range was checked, so the JVM has written all of it.
        unsafe { bytes.set_len(size) };
        Ok(bytes)
    }

    /// All bytes of an array.
    pub(crate) fn bytes(self, array: jbyteArray) -> Result<Vec<u8>, Error> {
        let len = self.array_length(array)?;
        self.copied(Range { array, offset: 0, len })
    }

    /// All bytes of an array that has at most so many.
    pub(crate) fn at_most(self, array: jbyteArray, max: usize) -> Result<Vec<u8>, Error> {
        let have = self.len(array)?;
        if have > max {
            return Err(Error::new(ErrorCode::InvalidArgument, format!("{max} bytes are allowed, not {have}")));
        }
        self.bytes(array)
    }

    /// All bytes of an array that must have a certain length.
    pub(crate) fn array<const N: usize>(self, array: jbyteArray) -> Result<[u8; N], Error> {
        let have = self.len(array)?;
        let wrong = || Error::new(ErrorCode::InvalidArgument, format!("{N} bytes needed, not {have}"));
        if have != N {
            return Err(wrong());
        }
        self.bytes(array)?.try_into().map_err(|_| wrong())
    }

    /// A new Java array with these bytes; null with an exception pending if the JVM has no memory.
    pub(crate) fn new_bytes(self, bytes: &[u8]) -> Result<jbyteArray, Error> {
        let len = jsize::try_from(bytes.len()).map_err(|_| {
            Error::new(ErrorCode::InvalidArgument, format!("{} bytes do not fit a Java array", bytes.len()))
        })?;
        let array = jni_call!(self, v1_1, NewByteArray, len);
        if !array.is_null() {
            jni_call!(self, v1_1, SetByteArrayRegion, array, 0, len, bytes.as_ptr().cast());
        }
        Ok(array)
    }

    /// The memory of a direct buffer, for the time of `body`.
    pub(crate) fn with_direct<T>(self, buffer: jobject, body: impl FnOnce(&mut [u8]) -> T) -> Result<T, Error> {
        let address = self.direct_address(buffer)?;
        let capacity = usize::try_from(jni_call!(self, v1_4, GetDirectBufferCapacity, buffer)).unwrap_or(0);
        // SAFETY: the buffer is an argument of the current call, so it is not collected before the call returns; its
        // owner uses one buffer per loop, and the loop's turn admits one call at a time.
        Ok(body(unsafe { std::slice::from_raw_parts_mut(address, capacity) }))
    }

    /// Where the memory of a direct buffer begins.
    pub(crate) fn direct_address(self, buffer: jobject) -> Result<*mut u8, Error> {
        let wrong = || Error::new(ErrorCode::InvalidArgument, "a direct byte buffer is needed");
        if buffer.is_null() {
            return Err(wrong());
        }
        let address = jni_call!(self, v1_4, GetDirectBufferAddress, buffer);
        if address.is_null() { Err(wrong()) } else { Ok(address.cast()) }
    }
}

/// What an export returns when it has thrown.
pub(crate) const NO_ARRAY: jbyteArray = ptr::null_mut();
