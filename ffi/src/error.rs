// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How failures and panics leave the library: a number, and a text in memory of the caller.
//!
//! Invariants: a number never changes its meaning and is never used twice; an `fb_error` is written exactly when the
//! call that got it returns something else than `FB_OK`. Any thread. A text of more than 511 bytes is cut.

#![allow(unsafe_code)]

use crate::memory;
use forebay_core::boundary::catch;
use forebay_core::command::PROTOCOL_VERSION;
use forebay_core::error::{Error, ErrorCode};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

/// Counts the changes of the functions and structs of this header.
pub const FB_LAYOUT: u32 = 1;

/// The protocol between coordinator and readers that this header's commands speak.
pub const FB_PROTOCOL: u32 = 1;

/// Bytes of the text in an fb_error, its final NUL among them.
pub const FB_ERROR_TEXT: usize = 512;

/// cbindgen:rename-all=None
/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum fb_code {
    /// Done.
    FB_OK = 0,
    /// The handle is closed, stale, of another kind of object, or of another copy of the library.
    FB_ERR_CLOSED = 1,
    /// The caller does not own the current turn. Nothing has changed.
    FB_ERR_NOT_OWNER = 2,
    /// An argument cannot be: NULL, negative, out of range. Nothing has changed.
    FB_ERR_INVALID_ARGUMENT = 3,
    /// A setting cannot be; the text names it.
    FB_ERR_INVALID_SETTING = 4,
    /// A checkpoint cannot be used; the text says why, and what to do.
    FB_ERR_CHECKPOINT = 5,
    /// An assignment was refused; the text says why.
    FB_ERR_ASSIGNMENT = 6,
    /// A defect of the library. Close the object; the library stays usable.
    FB_ERR_PANIC = 7,
    /// The caller's buffer is too small; the length that is needed was written.
    FB_ERR_BUFFER_TOO_SMALL = 8,
    /// No more objects can be handed out.
    FB_ERR_EXHAUSTED = 9,
}

impl From<ErrorCode> for fb_code {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::Closed => fb_code::FB_ERR_CLOSED,
            ErrorCode::NotOwner => fb_code::FB_ERR_NOT_OWNER,
            ErrorCode::InvalidArgument => fb_code::FB_ERR_INVALID_ARGUMENT,
            ErrorCode::InvalidSetting => fb_code::FB_ERR_INVALID_SETTING,
            ErrorCode::Checkpoint => fb_code::FB_ERR_CHECKPOINT,
            ErrorCode::Assignment => fb_code::FB_ERR_ASSIGNMENT,
            ErrorCode::Panic => fb_code::FB_ERR_PANIC,
            ErrorCode::BufferTooSmall => fb_code::FB_ERR_BUFFER_TOO_SMALL,
            ErrorCode::Exhausted => fb_code::FB_ERR_EXHAUSTED,
        }
    }
}

/// Why a call failed. The caller's; written only by a call that fails.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct fb_error {
    /// What the call returned.
    pub code: fb_code,
    /// For people: UTF-8, ends with a NUL.
    pub text: [c_char; FB_ERROR_TEXT],
}

impl fb_error {
    fn new(error: &Error) -> Self {
        let text = error.text.as_str();
        let end = text.floor_char_boundary(FB_ERROR_TEXT - 1);
        let mut place = [0; FB_ERROR_TEXT];
        for (to, from) in place.iter_mut().zip(text[..end].bytes()) {
            // A NUL would end the text early.
            *to = (if from == 0 { b' ' } else { from }) as c_char;
        }
        Self { code: error.code.into(), text: place }
    }
}

/// Runs the body of an export: errors and panics become a code, and their text goes where the caller wants it.
pub(crate) fn export(error: Option<&mut MaybeUninit<fb_error>>, body: impl FnOnce() -> Result<(), Error>) -> fb_code {
    let Err(failure) = catch(body) else { return fb_code::FB_OK };
    if let Some(place) = error {
        place.write(fb_error::new(&failure));
    }
    failure.code.into()
}

/// Runs the body of an export that answers a value. A missing place is found before the body runs.
pub(crate) fn answer<T>(
    place: Option<&mut MaybeUninit<T>>,
    error: Option<&mut MaybeUninit<fb_error>>,
    body: impl FnOnce() -> Result<T, Error>,
) -> fb_code {
    export(error, || {
        let place = memory::place(place)?;
        place.write(body()?);
        Ok(())
    })
}

/// Runs the body of an export that answers bytes. A missing place is found before the body runs.
///
/// # Safety
/// As for [`memory::room`].
pub(crate) unsafe fn answer_bytes(
    buffer: *mut u8,
    capacity: usize,
    len: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<fb_error>>,
    body: impl FnOnce() -> Result<Vec<u8>, Error>,
) -> fb_code {
    export(error, || {
        let len = memory::place(len)?;
        // SAFETY: the caller keeps this function's contract.
        let buffer = unsafe { memory::room(buffer, capacity) }?;
        memory::fill(buffer, len, &body()?)
    })
}

/// What the end of a handle answers: good for exactly one caller.
pub(crate) fn closed(by_this_call: bool) -> Result<(), Error> {
    if by_this_call { Ok(()) } else { Err(Error::closed()) }
}

/// What the loaded library is: its FB_LAYOUT in the upper 32 bits, its FB_PROTOCOL in the lower ones.
///
/// A program that was built with a header of another layout must not call anything else.
#[unsafe(no_mangle)]
pub extern "C" fn fb_version() -> u64 {
    u64::from(FB_LAYOUT) << 32 | u64::from(PROTOCOL_VERSION)
}

/// The name of a code, as it stands in logs: "CLOSED". "UNKNOWN" for a number that is none. The text is the library's
/// and stays.
#[unsafe(no_mangle)]
pub extern "C" fn fb_error_name(code: i32) -> *const c_char {
    name(code).as_ptr()
}

fn name(code: i32) -> &'static CStr {
    match code {
        0 => c"OK",
        1 => c"CLOSED",
        2 => c"NOT_OWNER",
        3 => c"INVALID_ARGUMENT",
        4 => c"INVALID_SETTING",
        5 => c"CHECKPOINT",
        6 => c"ASSIGNMENT",
        7 => c"PANIC",
        8 => c"BUFFER_TOO_SMALL",
        9 => c"EXHAUSTED",
        _ => c"UNKNOWN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: &fb_error) -> String {
        let bytes: Vec<u8> = error.text.iter().map(|byte| *byte as u8).collect();
        CStr::from_bytes_until_nul(&bytes).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn codes_names_and_versions_are_those_of_the_core() {
        for code in ErrorCode::ALL {
            assert_eq!(fb_code::from(*code) as i32, *code as i32);
            assert_eq!(name(*code as i32).to_str().unwrap(), code.name());
        }
        assert_eq!(name(ErrorCode::ALL.len() as i32 + 1), c"UNKNOWN");
        assert_eq!(FB_PROTOCOL, u32::from(PROTOCOL_VERSION));
    }

    #[test]
    fn a_panic_becomes_a_code_with_its_text() {
        let mut error = MaybeUninit::uninit();
        assert_eq!(export(Some(&mut error), || panic!("asked for by {}", "a test")), fb_code::FB_ERR_PANIC);
        // SAFETY: the call failed, so it was written.
        let error = unsafe { error.assume_init() };
        assert_eq!(error.code, fb_code::FB_ERR_PANIC);
        let text = text(&error);
        assert!(text.starts_with("defect in the native library: ") && text.contains("asked for by a test"), "{text}");
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_a_nul_does_not_end_it() {
        let long = fb_error::new(&Error::new(ErrorCode::Closed, "a\0".to_owned() + &"é".repeat(400)));
        assert_eq!(text(&long), "a ".to_owned() + &"é".repeat(254));
    }

    #[test]
    fn success_leaves_the_error_alone_and_a_missing_one_is_no_failure() {
        assert_eq!(export(None, || Ok(())), fb_code::FB_OK);
        assert_eq!(export(None, || Err(Error::closed())), fb_code::FB_ERR_CLOSED);
    }
}
