// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The receiving end of a channel: which sender counts, which sequence is next, which ids were taken.
//!
//! ```text
//!  word     63            62         44 43               0
//!           [ admitting ][ generation  ][ next sequence   ]
//! ```
//!
//! Invariants:
//! * One atomic word is the fence and the sequence at once. A command is admitted by moving it from `(generation, s)`
//!   over `(admitting, generation, s)` to `(generation, s + 1)`, so it can neither be admitted twice nor after the
//!   fence has changed.
//! * Of several copies of one command only the admitting one goes on to capacity: a copy cannot find the mailbox full
//!   because of the other, which would be an exhausted reserve that is none.
//! * An odd generation means that the owner is changing the fence. The fence's fields are read under the generation, so
//!   a torn or late read is noticed and never answered as stale.
//!
//! The ids of the last [`RECENT`] commands are kept so that a duplicate can be told from a conflict.

use super::answer::{Reason, Refusal, Status};
use crate::command::{Attempt, CommandId, Epoch};
use crate::sync::{AtomicU64, Ordering, fence};

const SEQUENCE_BITS: u32 = 44;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;
const ADMITTING: u64 = 1 << 63;
/// Odd, as it must be: the last one in which the owner changes the fence.
const GENERATION_MAX: u64 = (1 << 19) - 1;

/// Commands of which the id is remembered: twice the window in which a sender pipelines.
#[cfg(not(loom))]
const RECENT: usize = 128;
#[cfg(loom)]
const RECENT: usize = 2;

/// Who a command must come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) sender: Attempt,
    pub(super) epoch: Epoch,
}

/// The id of a command that was taken lately. It proves itself: `proof` binds the id to generation and sequence, so a
/// slot that another command has overwritten, or that a late thread of an earlier fence has torn, is seen to be none.
#[derive(Debug)]
struct Recent {
    low: AtomicU64,
    high: AtomicU64,
    proof: AtomicU64,
}

impl Recent {
    fn new() -> Self {
        Self { low: AtomicU64::new(0), high: AtomicU64::new(0), proof: AtomicU64::new(0) }
    }

    fn set(&self, stamp: u64, id: CommandId) {
        let (low, high) = (low(id.0), high(id.0));
        self.low.store(low, Ordering::Relaxed);
        self.high.store(high, Ordering::Relaxed);
        self.proof.store(proof(stamp, low, high), Ordering::Relaxed);
    }

    /// The id of the command with this stamp, if it is the one that stands here.
    fn get(&self, stamp: u64) -> Option<CommandId> {
        let (low, high) = (self.low.load(Ordering::Relaxed), self.high.load(Ordering::Relaxed));
        let proven = self.proof.load(Ordering::Relaxed) == proof(stamp, low, high);
        proven.then_some(CommandId(join(low, high)))
    }
}

/// Mixes so that any other stamp or id gives another number, but for one case in 2^64.
fn proof(stamp: u64, low: u64, high: u64) -> u64 {
    let mix = |a: u64, b: u64| {
        let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(u128::from(b ^ 0xd1b5_4a32_d192_ed03) | 1);
        (wide as u64) ^ ((wide >> 64) as u64)
    };
    mix(mix(stamp, low), high) | 1
}

/// The receiving end of one channel.
#[derive(Debug)]
pub(super) struct Channel {
    word: AtomicU64,
    /// Names the command in the mailbox that is to open the channel; 0 if there is none.
    opening: AtomicU64,
    sender_low: AtomicU64,
    sender_high: AtomicU64,
    epoch: AtomicU64,
    recent: [Recent; RECENT],
}

/// What has become of a command whose bytes are in the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its sequence was taken.
    Admitted,
    /// Its producer is about to take it.
    Open,
    /// The fence has changed before or since.
    Refused,
}

/// A command that may be admitted; [`Channel::begin`] decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    word: u64,
}

/// The one copy of a command that is being admitted. Dropped unfinished, it leaves the sequence to the next copy.
#[derive(Debug)]
pub(super) struct Admitting<'a> {
    channel: &'a Channel,
    word: u64,
}

impl Channel {
    /// A channel that nobody has opened.
    pub(super) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            word: zero(),
            opening: zero(),
            sender_low: zero(),
            sender_high: zero(),
            epoch: zero(),
            recent: std::array::from_fn(|_| Recent::new()),
        }
    }

    /// Owner: from now on `fence_to` counts, starting at sequence 1. The fence that stands already stays as it is: what
    /// it has admitted would come again.
    pub(super) fn open(&self, fence_to: Fence) {
        if self.fence().is_some_and(|(fence, _)| fence == fence_to) {
            return;
        }
        let generation = generation(self.word.load(Ordering::Relaxed));
        self.word.swap((generation | 1) << SEQUENCE_BITS, Ordering::Relaxed);
        fence(Ordering::Release);
        self.sender_low.store(low(fence_to.sender.0), Ordering::Relaxed);
        self.sender_high.store(high(fence_to.sender.0), Ordering::Relaxed);
        self.epoch.store(fence_to.epoch.0, Ordering::Relaxed);
        self.word.store(self.next_generation(generation) << SEQUENCE_BITS | 1, Ordering::Release);
    }

    /// The even generation after one; 0 means "never opened", so after the last one the count goes on at 2.
    fn next_generation(&self, generation: u64) -> u64 {
        if generation | 1 < GENERATION_MAX {
            return (generation | 1) + 1;
        }
        // The stamps of the first lap come again: what stands here must not prove itself any more.
        self.recent.iter().for_each(|recent| recent.proof.store(0, Ordering::Relaxed));
        2
    }

    /// The fence, and the sequence expected next; `None` if nobody has opened the channel or it is being changed.
    pub(super) fn fence(&self) -> Option<(Fence, u64)> {
        let word = self.word.load(Ordering::Acquire);
        self.fence_under(word).map(|fence| (fence, word & SEQUENCE_MASK))
    }

    /// Lets a command in that is to open the channel, unless it is there already: its sender may repeat it for as long
    /// as the owner does not look, and each copy would take a place of the reserve.
    pub(super) fn begin_opening(&self, from: Fence) -> Result<(), Refusal> {
        let name = opening_name(from);
        match self.opening.compare_exchange(0, name, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            Err(there) if there == name => Err((Status::Duplicate, Reason::None)),
            // Another life's: the owner will have taken it when this one comes again.
            Err(_) => Err((Status::RetryLater, Reason::NotReady)),
        }
    }

    /// Owner: has taken the command that was let in.
    pub(super) fn end_opening(&self) {
        self.opening.store(0, Ordering::Release);
    }

    /// Owner: what has become of a command whose bytes are in the mailbox.
    pub(super) fn fate(&self, from: Fence, sequence: u64) -> Fate {
        let word = self.word.load(Ordering::Acquire);
        match self.fence_under(word) {
            Some(fence) if fence == from && sequence < word & SEQUENCE_MASK => Fate::Admitted,
            Some(fence) if fence == from => Fate::Open,
            // Only the owner changes the fence.
            _ => Fate::Refused,
        }
    }

    /// Owner, before it looks into the mailbox: sees what was admitted before the last signal was cleared.
    pub(super) fn sync(&self) {
        self.word.load(Ordering::SeqCst);
    }

    /// The fence that stood when the word was `word`; `None` if it stands no more.
    fn fence_under(&self, word: u64) -> Option<Fence> {
        let generation_read = generation(word);
        if generation_read == 0 || generation_read & 1 == 1 {
            return None;
        }
        let sender = join(self.sender_low.load(Ordering::Relaxed), self.sender_high.load(Ordering::Relaxed));
        let epoch = self.epoch.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let same = generation(self.word.load(Ordering::Relaxed)) == generation_read;
        same.then_some(Fence { sender: Attempt(sender), epoch: Epoch(epoch) })
    }

    /// Whether a command comes from whom the fence wants.
    pub(super) fn check_fence(&self, from: Fence) -> Result<(), Refusal> {
        self.check_fence_under(self.word.load(Ordering::Acquire), from)
    }

    fn check_fence_under(&self, word: u64, from: Fence) -> Result<(), Refusal> {
        match self.fence_under(word) {
            Some(fence) if fence == from => Ok(()),
            // The command that opens the channel for a higher epoch may be on its way to the owner.
            Some(fence) if fence.epoch < from.epoch => Err((Status::RetryLater, Reason::NotReady)),
            Some(fence) if fence.epoch > from.epoch => Err((Status::StaleTarget, Reason::Epoch)),
            Some(_) => Err((Status::StaleTarget, Reason::Attempt)),
            None => Err((Status::RetryLater, Reason::NotReady)),
        }
    }

    /// Looks at the fence, the sequence and the id of a command.
    pub(super) fn check(&self, from: Fence, sequence: u64, id: CommandId) -> Result<Ticket, Refusal> {
        let word = self.word.load(Ordering::Acquire);
        self.check_fence_under(word, from)?;
        // The last sequence is never taken: the one after it would not fit beside the generation.
        if sequence == 0 || sequence >= SEQUENCE_MASK {
            return Err((Status::InvalidPayload, Reason::Header));
        }
        let next = word & SEQUENCE_MASK;
        if sequence < next {
            return Err(self.duplicate(word & !(SEQUENCE_MASK | ADMITTING) | sequence, id));
        }
        if sequence > next {
            return Err((Status::RetryLater, Reason::Gap));
        }
        Ok(Ticket { word })
    }

    /// A command below the expected sequence: taken before, or another command in its place?
    fn duplicate(&self, stamp: u64, id: CommandId) -> Refusal {
        match self.recent(stamp).get(stamp) {
            Some(taken) if taken != id => (Status::InvalidPayload, Reason::Conflict),
            // Or its place was needed since: then it is older than any that a correct sender repeats, and was taken.
            _ => (Status::Duplicate, Reason::None),
        }
    }

    fn recent(&self, stamp: u64) -> &Recent {
        &self.recent[(stamp & SEQUENCE_MASK) as usize % RECENT]
    }

    /// Makes the caller the one copy of its command that is being admitted.
    pub(super) fn begin(&self, ticket: Ticket) -> Result<Admitting<'_>, Refusal> {
        let word = ticket.word;
        let (order, failure) = (Ordering::AcqRel, Ordering::Relaxed);
        let begun = word & ADMITTING == 0 && self.word.compare_exchange(word, word | ADMITTING, order, failure).is_ok();
        // Else another copy was faster, or the fence has changed: the next attempt tells which.
        if begun { Ok(Admitting { channel: self, word }) } else { Err((Status::RetryLater, Reason::InProgress)) }
    }

    /// For tests near the end of the numbers.
    #[cfg(all(test, not(loom)))]
    pub(super) fn jump(&self, generation: u64, sequence: u64) {
        self.word.store(generation << SEQUENCE_BITS | sequence, Ordering::Release);
    }
}

impl Admitting<'_> {
    /// Takes the sequence: `Ok` means that exactly this call has taken it, under the fence that was checked.
    pub(super) fn finish(self, id: CommandId) -> Result<(), Refusal> {
        // Before the sequence is taken: whoever sees it taken finds the id.
        self.channel.recent(self.word).set(self.word, id);
        let finished = self.leave(self.word + 1);
        std::mem::forget(self);
        // The fence has changed meanwhile: the next attempt tells how.
        if finished { Ok(()) } else { Err((Status::RetryLater, Reason::NotReady)) }
    }

    fn leave(&self, to: u64) -> bool {
        // Sequentially consistent for `WakeWord::signal_published`.
        let (order, failure) = (Ordering::SeqCst, Ordering::Relaxed);
        self.channel.word.compare_exchange(self.word | ADMITTING, to, order, failure).is_ok()
    }
}

impl Drop for Admitting<'_> {
    fn drop(&mut self) {
        self.leave(self.word);
    }
}

/// Attempts are drawn at random and epochs grow, so two openings of one channel do not share it.
fn opening_name(from: Fence) -> u64 {
    (low(from.sender.0) ^ high(from.sender.0).rotate_left(32) ^ from.epoch.0.rotate_left(16)) | 1
}

fn generation(word: u64) -> u64 {
    (word & !ADMITTING) >> SEQUENCE_BITS
}

fn low(value: u128) -> u64 {
    value as u64
}

fn high(value: u128) -> u64 {
    (value >> 64) as u64
}

fn join(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Sequences of the last lap, for tests.
#[cfg(all(test, not(loom)))]
pub(super) const LAST_SEQUENCE: u64 = SEQUENCE_MASK - 1;
