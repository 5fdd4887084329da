// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The one seam to atomics and interior mutability: the standard library, or what explores schedules: `loom`, which
//! tries all of two or three threads, and `shuttle`, which draws from those of more.
//!
//! No other file of this crate imports them from elsewhere (the tidy test fails on it).

#[cfg(loom)]
pub use loom::sync::{
    Arc,
    atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};
#[cfg(shuttle)]
pub use shuttle::sync::{
    Arc,
    atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};
#[cfg(not(any(loom, shuttle)))]
pub use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};

/// Stands between two sequentially consistent accesses of different words, whose order somebody relies on. Nothing but
/// for loom, which takes such accesses for acquire and release ones and knows the total order of fences only.
#[inline]
pub(crate) fn total_order() {
    #[cfg(loom)]
    fence(Ordering::SeqCst);
}

#[cfg(loom)]
pub(crate) use loom::cell::UnsafeCell;

/// Interior mutability with closures, so that loom sees each access.
#[cfg(not(loom))]
#[repr(transparent)]
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

/// Written once, on cold paths only; not modelled.
pub use std::sync::OnceLock;
