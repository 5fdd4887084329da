// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How long to wait before something that failed is tried again, and when to stop.
//!
//! 10 ms, doubled with each failure up to 1 s, of which a random half; 30 s after the first failure without progress it
//! is over (the values of STIP-31). An answer that only says "not now" comes from somebody who is there: the deadline
//! starts anew with it. Belongs to one loop. Time comes in; the randomness replays from the seed.

use crate::mailbox::Reason;

const FIRST_NANOS: u64 = 10_000_000;
const MAX_NANOS: u64 = 1_000_000_000;
const DEADLINE_NANOS: u64 = 30_000_000_000;

/// The state of one thing that is tried.
#[derive(Debug)]
pub(crate) struct Backoff {
    tries: u32,
    failing_since: Option<u64>,
    not_before: u64,
    jitter: u64,
}

impl Backoff {
    pub(crate) fn new(seed: u64) -> Self {
        // Neighbours have neighbouring seeds: spread them. The generator stands still at 0.
        let jitter = (seed ^ seed >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { tries: 0, failing_since: None, not_before: 0, jitter }
    }

    /// It worked: the next failure is the first one.
    pub(crate) fn progress(&mut self) {
        self.tries = 0;
        self.failing_since = None;
        self.not_before = 0;
    }

    /// It failed at `now`. False: the deadline has passed, give up.
    fn fail(&mut self, now: u64) -> bool {
        let since = *self.failing_since.get_or_insert(now);
        self.tries = self.tries.saturating_add(1);
        let ceiling = (FIRST_NANOS << (self.tries - 1).min(10)).min(MAX_NANOS);
        self.not_before = now.saturating_add(ceiling / 2 + self.draw() % (ceiling / 2 + 1));
        now.saturating_sub(since) < DEADLINE_NANOS
    }

    /// It was answered at `now` that it must be tried again, because of `reason`. False: give up.
    pub(crate) fn again(&mut self, reason: Reason, now: u64) -> bool {
        use Reason::{Budget, Bytes, Commands, Cut, InProgress};
        let only_busy = matches!(reason, Commands | Bytes | Budget | Cut | InProgress);
        if only_busy {
            self.failing_since = None;
        }
        self.fail(now)
    }

    /// Not to be tried before this time.
    pub(crate) fn not_before(&self) -> u64 {
        self.not_before
    }

    /// Failures since the last progress.
    pub(crate) fn tries(&self) -> u32 {
        self.tries
    }

    /// Xorshift: jitter needs spread, not secrecy.
    fn draw(&mut self) -> u64 {
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        self.jitter
    }
}
