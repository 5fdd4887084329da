// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How much a mailbox holds, and whether it is closed: one atomic word, and the head beside it.
//!
//! ```text
//!  state    63        62      43 42                 0
//!           [ closed ][ commands ][ tail in granules ]      head: granules, 43 bits
//! ```
//!
//! Invariants:
//! * Closed, the number of commands and the tail change together, so a close is ordered against every claim: what was
//!   claimed before is drained or discarded, what comes after is refused.
//! * Normal commands may use the maximum less the reserve, control commands the maximum, in commands and in bytes.
//! * Positions grow for ever and wrap at 43 bits, a multiple of every ring; only their differences mean something.

use super::Limits;
use super::answer::{Reason, Refusal, Status};
use super::page::GRANULE;
use crate::command::Class;
use crate::sync::{AtomicU64, Ordering};
use crossbeam_utils::CachePadded;

const CLOSED: u64 = 1 << 63;
const COUNT_SHIFT: u32 = 43;
const COUNT_ONE: u64 = 1 << COUNT_SHIFT;
const COUNT_MASK: u64 = (1 << 20) - 1;
/// The bits of a position.
pub(super) const POSITION_MASK: u64 = COUNT_ONE - 1;

/// What commands of one class may use.
#[derive(Clone, Copy, Debug)]
struct Share {
    commands: u64,
    granules: u64,
}

/// The fill level of one mailbox.
#[derive(Debug)]
pub(super) struct Capacity {
    state: CachePadded<AtomicU64>,
    /// Written by the owner only.
    head: CachePadded<AtomicU64>,
    normal: Share,
    control: Share,
}

impl Capacity {
    /// An empty mailbox over a ring of `ring_granules`, which begins at position `origin`.
    pub(super) fn new(limits: &Limits, ring_granules: u64, origin: u64) -> Self {
        let granules = (u64::from(limits.max_bytes) / GRANULE as u64).min(ring_granules);
        let reserved = u64::from(limits.reserved_bytes) / GRANULE as u64;
        let origin = origin & POSITION_MASK;
        Self {
            state: CachePadded::new(AtomicU64::new(origin)),
            head: CachePadded::new(AtomicU64::new(origin)),
            normal: Share {
                commands: u64::from(limits.max_commands.saturating_sub(limits.reserved_commands)),
                granules: granules.saturating_sub(reserved),
            },
            control: Share { commands: u64::from(limits.max_commands), granules },
        }
    }

    /// Any thread: takes a place for one command at the tail; `pay` is asked what the place costs, once there is room.
    pub(super) fn claim<T>(
        &self,
        class: Class,
        granules: u64,
        pay: impl Fn(u64) -> Result<T, Refusal>,
    ) -> Result<(u64, T), Refusal> {
        loop {
            let state = self.room(class, granules)?;
            if state & CLOSED != 0 {
                return Err((Status::TerminalRejected, Reason::Closed));
            }
            let position = state & POSITION_MASK;
            let paid = pay(position)?;
            let tail = (position + granules) & POSITION_MASK;
            let claimed = ((state & !POSITION_MASK) + COUNT_ONE) | tail;
            let (order, failure) = (Ordering::AcqRel, Ordering::Relaxed);
            if self.state.compare_exchange_weak(state, claimed, order, failure).is_ok() {
                return Ok((position, paid));
            }
        }
    }

    /// Whether there is room, by a state word that may be claimed from.
    fn room(&self, class: Class, granules: u64) -> Result<u64, Refusal> {
        let (share, status) = match class {
            Class::Normal => (self.normal, Status::RetryLater),
            Class::Control => (self.control, Status::TerminalRejected),
        };
        loop {
            // The head first: an older head makes more look used, never less, so a yes is always right. A no counts
            // only if the head has not moved meanwhile; if it has, the owner got on, and so does this loop.
            let head = self.head.load(Ordering::Acquire);
            let state = self.state.load(Ordering::Acquire);
            let used = (state & POSITION_MASK).wrapping_sub(head) & POSITION_MASK;
            let reason = if (state >> COUNT_SHIFT & COUNT_MASK) >= share.commands {
                Reason::Commands
            } else if used + granules > share.granules {
                Reason::Bytes
            } else {
                return Ok(state);
            };
            if self.head.load(Ordering::Acquire) == head {
                // A closed mailbox says so, however full it is: its owner does not come back for a retry.
                let closed = state & CLOSED != 0;
                return Err(if closed { (Status::TerminalRejected, Reason::Closed) } else { (status, reason) });
            }
        }
    }

    /// Any thread, more than once: refuses every later claim.
    pub(super) fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.load(Ordering::Acquire) & CLOSED != 0
    }

    /// Commands that were claimed and not taken yet.
    pub(super) fn commands(&self) -> u32 {
        (self.state.load(Ordering::Relaxed) >> COUNT_SHIFT & COUNT_MASK) as u32
    }

    /// Bytes that were claimed and not taken yet.
    pub(super) fn bytes(&self) -> u64 {
        // The head first, as in `room`.
        let head = self.head.load(Ordering::Acquire);
        let tail = self.state.load(Ordering::Relaxed) & POSITION_MASK;
        (tail.wrapping_sub(head) & POSITION_MASK) * GRANULE as u64
    }

    /// Owner: the position of the oldest claim.
    pub(super) fn head(&self) -> u64 {
        self.head.load(Ordering::Relaxed)
    }

    /// Owner: the oldest claim, of `granules`, is over, and its place in the ring is clear.
    pub(super) fn release(&self, granules: u64) {
        let head = self.head.load(Ordering::Relaxed);
        self.head.store((head + granules) & POSITION_MASK, Ordering::Release);
        self.state.fetch_sub(COUNT_ONE, Ordering::AcqRel);
    }
}
