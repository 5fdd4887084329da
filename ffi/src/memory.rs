// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The only place that dereferences what C hands in with a length.
//!
//! Invariant: what comes out of here is a slice that lies in one object, or an error; nothing was read or written
//! before its pointer and length were checked. Any thread. Lengths: 0 to `isize::MAX` bytes, which also finds negative
//! numbers that C has turned into a `size_t`.

#![allow(unsafe_code)]

use forebay_core::error::{Error, ErrorCode};
use std::mem::MaybeUninit;

fn invalid(text: String) -> Error {
    Error::new(ErrorCode::InvalidArgument, text)
}

fn check<T>(data: *const T, len: usize) -> Result<(), Error> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| isize::try_from(*bytes).is_ok());
    if bytes.is_none() {
        return Err(invalid(format!("a length of {len} is more than memory can hold; was it negative?")));
    }
    if data.is_null() && len > 0 {
        return Err(invalid(format!("a pointer is NULL, but its length is {len}")));
    }
    if !data.is_aligned() {
        return Err(invalid(format!("the pointer {data:p} is not aligned to {} bytes", align_of::<T>())));
    }
    Ok(())
}

/// `len` values that C handed in. NULL is good for none.
///
/// # Safety
/// If `data` is not NULL, `len` initialised values lie there, and nobody writes to them during `'a`.
pub(crate) unsafe fn slice<'a, T: Copy>(data: *const T, len: usize) -> Result<&'a [T], Error> {
    check(data, len)?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned and not too long, as just checked; the rest is this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

/// Room for `capacity` values that C lends. NULL is good for none.
///
/// # Safety
/// If `data` is not NULL, there is room for `capacity` values there, and nobody else touches it during `'a`.
pub(crate) unsafe fn room<'a, T: Copy>(data: *mut T, capacity: usize) -> Result<&'a mut [MaybeUninit<T>], Error> {
    check(data, capacity)?;
    if capacity == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not null, aligned and not too long, as just checked; the rest is this function's contract. What lies
    // there need not be initialised.
    Ok(unsafe { std::slice::from_raw_parts_mut(data.cast(), capacity) })
}

/// A configuration whose first field says how many bytes the caller's header gave it.
///
/// # Safety
/// If `config` is not NULL, a `u32` lies there, and as many initialised bytes from there on as it says; nobody writes
/// to them during the call. `T` begins with that `u32`, and is good whatever its bytes are.
pub(crate) unsafe fn sized<T: Copy>(config: *const T) -> Result<T, Error> {
    if config.is_null() {
        return Err(invalid("config is NULL".to_owned()));
    }
    check(config, 1)?;
    // SAFETY: not null and aligned, as just checked; the rest is this function's contract.
    let size = unsafe { config.cast::<u32>().read() } as usize;
    if size != size_of::<T>() {
        let known = size_of::<T>();
        let advice = "set it to the struct's sizeof, and build with the header of this library";
        let text = format!("the configuration's size is {size}, this library knows {known}: {advice}");
        return Err(invalid(text));
    }
    // SAFETY: as many bytes as `T` has lie there, says the caller; any bytes make a `T`.
    Ok(unsafe { config.read() })
}

/// A place for a result, which must not be missing.
pub(crate) fn place<T>(place: Option<&mut MaybeUninit<T>>) -> Result<&mut MaybeUninit<T>, Error> {
    place.ok_or_else(|| invalid("the place for the result is NULL".to_owned()))
}

/// Copies `values` into the caller's room and their number into `len`; nothing but `len` is written if they do not fit.
pub(crate) fn fill<T: Copy>(
    room: &mut [MaybeUninit<T>],
    len: &mut MaybeUninit<usize>,
    values: &[T],
) -> Result<(), Error> {
    len.write(values.len());
    let have = room.len();
    let Some(place) = room.get_mut(..values.len()) else {
        let text = format!("{} values are needed, the buffer has room for {have}", values.len());
        return Err(Error::new(ErrorCode::BufferTooSmall, text));
    };
    place.write_copy_of_slice(values);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_negative_and_huge_are_refused_before_anything_is_read() {
        let null = std::ptr::null::<u64>();
        for (data, len) in [(null, 1), (null, usize::MAX), (std::ptr::dangling(), usize::MAX / 8)] {
            // SAFETY: refused before it is read.
            let error = unsafe { slice::<u64>(data, len) }.unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
        }
        let odd = std::ptr::without_provenance_mut::<u64>(1);
        // SAFETY: refused before it is touched.
        assert!(unsafe { room::<u64>(odd, 1) }.is_err());
    }

    #[test]
    fn null_is_good_for_nothing_at_all() {
        // SAFETY: no value is read.
        assert_eq!(unsafe { slice::<u8>(std::ptr::null(), 0) }.unwrap(), &[] as &[u8]);
    }

    #[test]
    fn what_does_not_fit_tells_what_is_needed_and_writes_nothing() {
        let (mut room, mut len) = ([MaybeUninit::new(9_u8); 2], MaybeUninit::uninit());
        let error = fill(&mut room, &mut len, b"abc").unwrap_err();
        assert_eq!(error.code, ErrorCode::BufferTooSmall);
        // SAFETY: both were written.
        assert_eq!(unsafe { (len.assume_init(), room[0].assume_init()) }, (3, 9));
    }
}
