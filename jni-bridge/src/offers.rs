// Licensed under the Apache License, Version 2.0. See LICENSE.
//! How large an offer may be: larger ones are answered before a byte of them is copied.
//!
//! The bytes come from other processes. A copy costs memory and the offering thread's time, so its size must not be
//! theirs to choose. Any thread.

use forebay_core::boundary::Hosted;
use forebay_core::command::envelope::HEADER_LEN;
use forebay_core::mailbox::Limits;
use forebay_core::mailbox::limits::CONTROL_PAYLOAD_MAX;
use forebay_core::outbound::WINDOW_BYTES;
use std::ops::Deref;

/// Bytes in front of each envelope of a batch.
const LENGTH_PREFIX: usize = 4;

/// A loop that knows what its mailbox can take at most.
#[derive(Debug)]
pub(crate) struct Bounded<L> {
    hosted: Hosted<L>,
    max_command: usize,
}

impl<L> Bounded<L> {
    /// `limits` are those that `of` was made with.
    pub(crate) fn new(of: L, limits: Limits) -> Self {
        let max_command = HEADER_LEN + CONTROL_PAYLOAD_MAX.max(limits.max_payload as usize);
        Self { hosted: Hosted::new(of), max_command }
    }

    /// Whether no command of this size can be taken.
    pub(crate) fn refuses_command(&self, bytes: usize) -> bool {
        bytes > self.max_command
    }

    /// Whether no sender makes a batch of this size: it ends its window with the command that fills it.
    pub(crate) fn refuses_batch(&self, bytes: usize) -> bool {
        bytes > LENGTH_PREFIX + self.max_command.max(WINDOW_BYTES + HEADER_LEN)
    }
}

impl<L> Deref for Bounded<L> {
    type Target = Hosted<L>;

    fn deref(&self) -> &Hosted<L> {
        &self.hosted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(max_payload: u32) -> Bounded<()> {
        Bounded::new((), Limits { max_payload, ..Limits::default() })
    }

    #[test]
    fn the_largest_command_fits_and_one_byte_more_does_not() {
        let usual = bounded(512 << 10);
        assert!(!usual.refuses_command(HEADER_LEN + (512 << 10)));
        assert!(usual.refuses_command(HEADER_LEN + (512 << 10) + 1));
        assert!(!bounded(1).refuses_command(HEADER_LEN + CONTROL_PAYLOAD_MAX), "controls need no setting");
    }

    #[test]
    fn a_batch_takes_one_command_of_any_size_or_a_full_window() {
        let usual = bounded(512 << 10);
        assert!(!usual.refuses_batch(LENGTH_PREFIX + HEADER_LEN + (512 << 10)));
        assert!(usual.refuses_batch(LENGTH_PREFIX + HEADER_LEN + (512 << 10) + 1));
        assert!(!bounded(1).refuses_batch(WINDOW_BYTES + LENGTH_PREFIX + HEADER_LEN));
        assert!(bounded(1).refuses_batch(WINDOW_BYTES + LENGTH_PREFIX + HEADER_LEN + 1));
    }
}
