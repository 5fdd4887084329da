// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The word that ends a loop: beside the queue, not in it, so it needs no room and waits for nothing.
//!
//! Invariant: the first cause stays, and so does the first text.

use crate::sync::{AtomicU32, OnceLock, Ordering};

/// Why a loop does nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// Cancelled by the host.
    Cancelled,
    /// Failed by the host or by the other side.
    Failed,
    /// A control command found no room: the reserve is not enough for what the engine sends.
    ReserveExhausted,
}

const NONE: u32 = 0;

impl Terminal {
    fn code(self) -> u32 {
        match self {
            Terminal::Cancelled => 1,
            Terminal::Failed => 2,
            Terminal::ReserveExhausted => 3,
        }
    }

    fn from_code(code: u32) -> Option<Terminal> {
        [Terminal::Cancelled, Terminal::Failed, Terminal::ReserveExhausted].into_iter().find(|it| it.code() == code)
    }
}

/// Any thread.
#[derive(Debug)]
pub(super) struct TerminalWord {
    cause: AtomicU32,
    text: OnceLock<Box<str>>,
}

impl TerminalWord {
    pub(super) fn new() -> Self {
        Self { cause: AtomicU32::new(NONE), text: OnceLock::new() }
    }

    pub(super) fn set(&self, terminal: Terminal) {
        let _ = self.cause.compare_exchange(NONE, terminal.code(), Ordering::AcqRel, Ordering::Acquire);
    }

    /// Says why, for people; before the word is set, so that whoever sees the word finds the text.
    pub(super) fn explain(&self, text: &str) {
        let _ = self.text.set(text.into());
    }

    pub(super) fn get(&self) -> Option<Terminal> {
        Terminal::from_code(self.cause.load(Ordering::Acquire))
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.text.get().map(|text| &**text)
    }
}
