// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The bytes that all mailboxes of a worker share.
//!
//! Charged is what is taken from the system: a command that begins a page of its mailbox's storage pays for the page,
//! and gives it back when the owner takes it. So the shared word is touched once for a page, not once for a command,
//! and what is held beyond the charge is one page per mailbox and what flows.
//!
//! Invariant: `used` is the sum of what all live grants hold. A grant is a value that gives its bytes back when it is
//! dropped, so no path leaks. A control command is charged, but never refused: each mailbox bounds its controls by its
//! own reserve, and a barrier must not depend on how full a neighbour is.

use crate::command::Class;
use crate::sync::{AtomicU64, Ordering};

/// The shared budget of one worker. Any thread; never waits.
#[derive(Debug)]
pub struct WorkerBudget {
    used: AtomicU64,
    max: u64,
}

impl WorkerBudget {
    /// A budget of `max` bytes, charged in pages of 4 KiB.
    #[must_use]
    pub fn new(max: u64) -> Self {
        Self { used: AtomicU64::new(0), max }
    }

    /// Bytes in use.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that normal commands may use.
    pub(super) fn max(&self) -> u64 {
        self.max
    }

    /// Takes `bytes`, or nothing.
    pub(super) fn grant(&self, class: Class, bytes: u64) -> Option<Grant<'_>> {
        match class {
            _ if bytes == 0 => {}
            Class::Control => drop(self.used.fetch_add(bytes, Ordering::Relaxed)),
            Class::Normal => self.take(bytes)?,
        }
        Some(Grant { budget: self, bytes })
    }

    fn take(&self, bytes: u64) -> Option<()> {
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let more = used.checked_add(bytes).filter(|more| *more <= self.max)?;
            match self.used.compare_exchange_weak(used, more, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(()),
                Err(now) => used = now,
            }
        }
    }

    /// Gives back what a kept grant took.
    pub(super) fn give_back(&self, bytes: u64) {
        let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(before >= bytes, "worker budget underflow");
    }
}

/// Bytes taken from the budget; given back on drop unless kept.
#[derive(Debug)]
pub(super) struct Grant<'a> {
    budget: &'a WorkerBudget,
    bytes: u64,
}

impl Grant<'_> {
    /// What was taken.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Hands the bytes over to a record, which gives them back when it is consumed.
    pub(super) fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Grant<'_> {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.give_back(self.bytes);
        }
    }
}
