// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The bounded, sequenced queue in front of one loop: many producers, one owner.
//!
//! * [`answer`]: how an offer may end; [`limits`]: what a mailbox may hold;
//! * `admission`: what an offer goes through, on the producer's thread; `drain`: what the owner takes out;
//! * `capacity`, `budget`: what is counted; `channel`: fence, sequence, duplicates; `page`: where the bytes lie;
//! * `terminal`: the word that ends the loop whatever the queue holds.
//!
//! Invariants:
//! * Offering is lock-free, never waits and never runs anything of the host.
//! * Everything that is claimed is committed, as a record or as void, by the thread that claimed it. A record of a
//!   channel counts from the moment at which its sequence is taken. Until then it hides later ones from the owner; the
//!   producer signals afterwards.
//! * A record gives back its capacity and its share of the worker budget exactly once: when the owner takes it, or
//!   when the mailbox is dropped.
//!
//! Bytes are counted as they are stored: header and payload, rounded up to granules of 64 bytes.

mod admission;
pub mod answer;
mod budget;
mod capacity;
mod channel;
mod drain;
pub mod limits;
mod page;
mod terminal;
#[cfg(test)]
mod tests;

use crate::command::{Attempt, Receiver, RuntimeId};
use crate::sync::{Arc, AtomicU64, Ordering};
use crate::wake::{Wake, WakeWord};
pub use answer::{Admission, Reason, Status};
pub use budget::WorkerBudget;
use capacity::Capacity;
use channel::Channel;
use crossbeam_utils::CachePadded;
pub(crate) use drain::Taken;
pub use limits::{Limits, LimitsError};
use page::{GRANULE, PAGE_BYTES, Ring};
use std::fmt::Write;
pub use terminal::Terminal;
use terminal::TerminalWord;

/// Who a mailbox belongs to; commands for anybody else are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The engine's number of the job.
    pub job: u64,
    /// The source.
    pub runtime: RuntimeId,
    /// The loop's attempt.
    pub attempt: Attempt,
    /// The side.
    pub receiver: Receiver,
}

/// Bytes in front of the envelope in a record: u32 payload length, u32 bytes charged to the worker budget, u64
/// admission time.
const RECORD_HEADER: usize = 16;

/// The mailbox of one loop.
#[derive(Debug)]
pub struct Mailbox {
    address: Address,
    max_payload: usize,
    budget: Arc<WorkerBudget>,
    ring: Ring,
    capacity: Capacity,
    channels: Box<[Channel]>,
    wake: CachePadded<WakeWord>,
    terminal: TerminalWord,
    /// The last checkpoint that the owner has snapshotted or skipped.
    passed_cut: AtomicU64,
    /// The highest checkpoint of which a barrier is said to be on its way.
    barrier_coming: AtomicU64,
    /// Offers by status; the index is the code less one. Whatever gets into the queue is counted there as accepted, so
    /// that number is less by those, and below zero (it wraps) where some were refused after all.
    admissions: [AtomicU64; Status::ALL.len()],
    /// Commands that the owner has taken; only it writes.
    taken: AtomicU64,
    /// When the last one of them was admitted; only the owner uses it.
    last_admitted: AtomicU64,
}

impl Mailbox {
    /// An empty mailbox with `channels` closed channels.
    ///
    /// # Errors
    /// Limits that cannot be, by themselves or beside the budget.
    pub fn new(
        address: Address,
        limits: Limits,
        channels: usize,
        budget: Arc<WorkerBudget>,
    ) -> Result<Self, LimitsError> {
        limits.check()?;
        // Else a command could wait for ever for a budget that is never large enough.
        let needed = u64::from(limits.max_payload) + 2 * PAGE_BYTES as u64;
        if budget.max() < needed {
            let rule = "at least max_payload and 8 KiB";
            return Err(LimitsError { setting: "worker budget", value: budget.max(), rule });
        }
        Ok(Self::starting_at(address, limits, channels, budget, 0))
    }

    /// A mailbox whose positions start at `origin`; the limits are taken as they are.
    fn starting_at(address: Address, limits: Limits, channels: usize, budget: Arc<WorkerBudget>, origin: u64) -> Self {
        let ring = Ring::new(u64::from(limits.max_bytes) / GRANULE as u64);
        Self {
            address,
            max_payload: limits.max_payload as usize,
            budget,
            capacity: Capacity::new(&limits, ring.capacity(), origin),
            ring,
            channels: (0..channels).map(|_| Channel::new()).collect(),
            wake: CachePadded::new(WakeWord::new()),
            terminal: TerminalWord::new(),
            passed_cut: AtomicU64::new(0),
            barrier_coming: AtomicU64::new(0),
            admissions: std::array::from_fn(|_| AtomicU64::new(0)),
            taken: AtomicU64::new(0),
            last_admitted: AtomicU64::new(0),
        }
    }

    /// Ends the loop from any thread, at once and whatever the mailbox holds. The first cause stays.
    pub fn terminate(&self, terminal: Terminal) -> Wake {
        self.terminal.set(terminal);
        self.wake.signal()
    }

    /// Fails the loop from any thread, and says why. The first cause stays.
    pub(crate) fn fail(&self, text: &str) -> Wake {
        self.terminal.explain(text);
        self.terminate(Terminal::Failed)
    }

    /// Why the loop does nothing any more, if so.
    #[must_use]
    pub fn terminal(&self) -> Option<Terminal> {
        self.terminal.get()
    }

    /// Why the source has failed, if this side was told or found out itself.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.terminal.text()
    }

    /// Refuses every later offer. Any thread, more than once.
    pub fn close(&self) -> Wake {
        self.capacity.close();
        self.wake.signal()
    }

    /// Whether the mailbox was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.capacity.is_closed()
    }

    /// Whether nothing will come out of the mailbox any more: closed, and everything that was claimed was taken.
    pub(crate) fn is_exhausted(&self) -> bool {
        // In this order: after the close nothing is claimed any more, so a zero stays.
        self.capacity.is_closed() && self.capacity.commands() == 0
    }

    /// Commands that were claimed and not taken yet.
    #[must_use]
    pub fn commands(&self) -> u32 {
        self.capacity.commands()
    }

    /// Bytes that were claimed and not taken yet.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.capacity.bytes()
    }

    /// Offers that ended with `status`. One that is under way may count already.
    #[must_use]
    pub fn admissions(&self, status: Status) -> u64 {
        let counted = self.admissions[status as usize - 1].load(Ordering::Relaxed);
        match status {
            // Not counted on the way in, where each atomic operation delays every producer.
            Status::Accepted => {
                let queued = self.taken.load(Ordering::Relaxed) + u64::from(self.commands());
                counted.wrapping_add(queued)
            }
            _ => counted,
        }
    }

    fn count(&self, status: Status) {
        self.admissions[status as usize - 1].fetch_add(1, Ordering::Relaxed);
    }

    /// A command whose bytes are in the queue was refused after all.
    fn uncount_accepted(&self) {
        self.admissions[Status::Accepted as usize - 1].fetch_sub(1, Ordering::Relaxed);
    }

    /// Bytes that the mailbox holds on the heap, for measurements.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.ring.heap_bytes() + self.channels.len() * size_of::<Channel>()
    }

    /// In words, for a dump.
    pub(crate) fn describe(&self) -> String {
        let (closed, terminal) = (self.is_closed(), self.terminal());
        let (commands, bytes) = (self.commands(), self.bytes());
        let mut text = format!("{commands} commands and {bytes} bytes waiting, closed {closed}, terminal {terminal:?}");
        for (status, count) in Status::ALL.iter().map(|status| (status, self.admissions(*status))) {
            if count > 0 {
                // Writing to a text cannot fail.
                let _ = write!(text, ", {count} {}", status.text());
            }
        }
        text
    }

    /// The word that producers and the owner share.
    pub(crate) fn wake_word(&self) -> &WakeWord {
        &self.wake
    }

    /// The checkpoint of which a barrier is said to come and that the owner has not passed yet.
    pub(crate) fn barrier_coming(&self) -> Option<u64> {
        let coming = self.barrier_coming.load(Ordering::Acquire);
        (coming > self.passed_cut.load(Ordering::Relaxed)).then_some(coming)
    }

    /// Owner: from now on commands of `sender` in `epoch` count on a channel, from sequence 1.
    pub(crate) fn open_channel(&self, channel: usize, sender: Attempt, epoch: crate::command::Epoch) {
        if let Some(channel) = self.channels.get(channel) {
            channel.open(channel::Fence { sender, epoch });
        }
    }

    /// Owner: commands that belong behind `checkpoint` may come.
    pub(crate) fn pass_cut(&self, checkpoint: u64) {
        self.passed_cut.fetch_max(checkpoint, Ordering::AcqRel);
    }
}
