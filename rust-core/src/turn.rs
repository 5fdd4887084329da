// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Ownership of a loop as a *turn*, not as a thread.
//!
//! Invariant: at most one thread is inside [`Owned::enter`]'s guard at a time. Entering acquires what the last owner
//! released, so a loop may move between threads from turn to turn. A caller that comes while another one is inside is
//! refused and changes nothing; it never waits.

#![allow(unsafe_code)]

use crate::sync::{AtomicBool, AtomicU64, Ordering, UnsafeCell};
use std::marker::PhantomData;
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
            Ok(_) => Ok(Guard { owned: self, exclusive: PhantomData }),
            Err(_) => Err(NotOwner),
        }
    }
}

/// Exclusive access to the state of a loop; given back on drop.
#[derive(Debug)]
pub struct Guard<'a, T> {
    owned: &'a Owned<T>,
    /// Shared between threads, a guard shares the state: it is `Sync` only if `T` is.
    exclusive: PhantomData<&'a mut T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one until it is dropped, and `&self` keeps `deref_mut` away.
        self.owned.state.with(|state| unsafe { &*state })
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one until it is dropped, and `&mut self` makes this its only reference.
        self.owned.state.with_mut(|state| unsafe { &mut *state })
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.owned.busy.store(false, Ordering::Release);
    }
}

/// The last turn that was granted and the step in it, for those who may look but not touch.
#[derive(Debug, Default)]
pub(crate) struct LastStep(AtomicU64);

impl LastStep {
    const STEP_BITS: u32 = u8::BITS;

    /// Owner, before it gives the turn away.
    pub(crate) fn set(&self, turn: u64, step: u8) {
        self.0.store(turn << Self::STEP_BITS | u64::from(step), Ordering::Release);
    }

    pub(crate) fn turn(&self) -> u64 {
        self.get().0
    }

    /// Any thread: the turn, and the number of its step.
    pub(crate) fn get(&self) -> (u64, u8) {
        let bits = self.0.load(Ordering::Acquire);
        (bits >> Self::STEP_BITS, bits as u8)
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

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::sync::Arc;
    use loom::thread;

    /// Two threads that want the same turn: each is let in alone or refused, and what the first wrote the second sees.
    #[test]
    fn a_turn_is_handed_over_whole() {
        loom::model(|| {
            let owned = Arc::new(Owned::new(0));
            let enter = |owned: &Owned<u32>| owned.enter().map(|mut state| *state += 1).is_ok();
            let other = {
                let owned = owned.clone();
                thread::spawn(move || enter(&owned))
            };
            let mine = enter(&owned);
            let entered = u32::from(other.join().unwrap()) + u32::from(mine);
            assert!(entered >= 1);
            assert_eq!(*owned.enter().unwrap(), entered);
        });
    }
}
