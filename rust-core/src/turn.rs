// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Ownership of a loop as a *turn*, not as a thread.
//!
//! Invariant: at most one thread is inside [`Owned::enter`]'s guard at a time. Entering acquires what the last owner
//! released, so a loop may move between threads from turn to turn. A caller that comes while another one is inside is
//! refused and changes nothing; it never waits.

#![allow(unsafe_code)]

use crate::sync::{AtomicBool, Ordering, UnsafeCell};
use std::ops::{Deref, DerefMut};

/// Another thread is inside the loop right now, or the caller's turn number is not the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the caller does not own the current turn of this loop")]
pub struct NotOwner;

/// State that only the owner of the current turn may touch.
#[derive(Debug)]
pub struct Owned<T> {
    busy: AtomicBool,
    state: UnsafeCell<T>,
}

// SAFETY: `state` is reached only through the guard of `enter`, and `busy` admits one guard at a time, with
// acquire/release between consecutive ones; so sharing `Owned<T>` moves `T` between threads, which needs `T: Send`.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T> Owned<T> {
    /// Wraps the state of a loop that nobody owns yet.
    pub fn new(state: T) -> Self {
        Self { busy: AtomicBool::new(false), state: UnsafeCell::new(state) }
    }

    /// Takes the state for one call. Never waits.
    pub fn enter(&self) -> Result<Guard<'_, T>, NotOwner> {
        match self.busy.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed) {
            // SAFETY: `busy` was false and is now ours, so no other guard exists until this one is dropped.
            Ok(_) => Ok(Guard { owned: self, state: self.state.with_mut(|state| unsafe { &mut *state }) }),
            Err(_) => Err(NotOwner),
        }
    }
}

/// Exclusive access to the state of a loop; given back on drop.
#[derive(Debug)]
pub struct Guard<'a, T> {
    owned: &'a Owned<T>,
    state: &'a mut T,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.state
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.state
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.owned.busy.store(false, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_second_caller_is_refused_and_changes_nothing() {
        let owned = Owned::new(1);
        let mut first = owned.enter().unwrap();
        assert_eq!(owned.enter().err(), Some(NotOwner));
        *first = 2;
        drop(first);
        assert_eq!(*owned.enter().unwrap(), 2);
    }
}
