// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the C and the JNI boundary have in common, so that neither holds logic of its own.
//!
//! * [`catch`]: a panic stays inside the library and becomes an error;
//! * [`Objects`]: handles that are good for one kind of object;
//! * [`Hosted`]: a loop and the payload of its last step;
//! * [`offer_batch`], [`own_payload`]: what a batch and a command of the own process mean.
//!
//! Any thread.

use crate::command::{Kind, batch};
use crate::error::{Error, ErrorCode};
use crate::handle::{Inside, Table};
use crate::loops::{Denied, Granted, Loop, Side};
use crate::mailbox::{Admission, Reason, Status};
use crate::step::AnyStep;
use crate::sync::OnceLock;
use crate::turn::NotOwner;
use crate::wake::Wake;
use parking_lot::{Mutex, MutexGuard};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// Where and why this thread panicked last.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the body of an export; a panic becomes an error with its place and text, and prints nothing.
///
/// # Errors
/// What the body says, or [`ErrorCode::Panic`].
pub fn catch<T>(body: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // The default hook would write into the output of the process that has loaded the library. The hook is that of
    // this copy of the standard library, which nobody else uses.
    static HOOK: OnceLock<()> = OnceLock::new();
    HOOK.get_or_init(|| panic::set_hook(Box::new(|info| PANIC.set(info.to_string()))));
    panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let what = PANIC.take().replace('\n', " ");
        Err(Error::new(ErrorCode::Panic, format!("defect in the native library: {what}; please report it")))
    })
}

/// The kind of an object behind a handle.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// A worker's budget.
    Budget = 1,
    /// A reader.
    Reader = 2,
    /// A coordinator.
    Coordinator = 3,
}

/// Where a handle says its kind.
const MARK_SHIFT: u32 = 22;

/// All objects of one kind. A handle is a key of the table, marked with the kind; so a handle of one kind is closed to
/// the functions of another, as a stale one is.
#[derive(Debug)]
pub struct Objects<T> {
    table: Table<T>,
    mark: u64,
}

impl<T> Objects<T> {
    /// No objects of this kind.
    #[must_use]
    pub const fn new(mark: Mark) -> Self {
        // The two bits that a key leaves free, so that handles of two kinds never meet.
        const { assert!(Table::<T>::SLOTS <= 1 << MARK_SHIFT) };
        Self { table: Table::new(), mark: (mark as u64) << MARK_SHIFT }
    }

    /// Hands an object out.
    ///
    /// # Errors
    /// [`ErrorCode::Exhausted`].
    pub fn insert(&self, value: T) -> Result<u64, Error> {
        let exhausted = || Error::new(ErrorCode::Exhausted, "too many objects of this kind are open");
        self.table.insert(value).map(|key| key ^ self.mark).ok_or_else(exhausted)
    }

    /// Enters the object of a handle. Lock-free.
    ///
    /// # Errors
    /// [`ErrorCode::Closed`].
    pub fn enter(&self, handle: u64) -> Result<Inside<'_, T>, Error> {
        self.table.enter(handle ^ self.mark).ok_or_else(Error::closed)
    }

    /// Closes a handle. True for exactly one caller; the object is dropped when the last call inside has left.
    pub fn close(&self, handle: u64) -> bool {
        self.table.close(handle ^ self.mark)
    }
}

/// A loop, and its last step's payload.
#[derive(Debug)]
pub struct Hosted<L> {
    /// The loop.
    pub of: L,
    last: Mutex<Last>,
}

/// What the last step left behind.
#[derive(Debug, Default)]
pub struct Last {
    /// The step's turn.
    pub turn: u64,
    /// The step's payload.
    pub payload: Vec<u8>,
}

impl<L> Hosted<L> {
    /// A loop that has taken no step.
    pub fn new(of: L) -> Self {
        Self { of, last: Mutex::default() }
    }
}

impl<S: Side> Hosted<Loop<S>> {
    fn last(&self, turn: u64) -> Result<MutexGuard<'_, Last>, NotOwner> {
        // First, and without the lock: a caller with an old turn must not be in the owner's way.
        if self.of.turn() != turn {
            return Err(NotOwner);
        }
        self.last.try_lock().ok_or(NotOwner)
    }

    /// Owner: as [`Loop::next`]. The step's turn and payload stay behind, to be read and fetched again.
    ///
    /// # Errors
    /// As [`Loop::next`]; or another call of the turn's owner is here. Nobody waits.
    pub fn next(
        &self,
        turn: u64,
        outcome: S::Outcome,
        allow: S::Allow,
        now: u64,
    ) -> Result<(S::Step, MutexGuard<'_, Last>), Denied> {
        let mut last = self.last(turn)?;
        let Granted { step, turn } = self.of.next(turn, outcome, allow, now, &mut last.payload)?;
        last.turn = turn;
        if !step.carried().payload {
            last.payload.clear();
        }
        Ok((step, last))
    }

    /// The payload of the step of `turn`.
    ///
    /// # Errors
    /// `turn` is not the last step's.
    pub fn payload(&self, turn: u64) -> Result<Vec<u8>, NotOwner> {
        let last = self.last(turn)?;
        if last.turn == turn { Ok(last.payload.clone()) } else { Err(NotOwner) }
    }
}

/// Offers the commands of a batch in order until one is not taken; tells how that one fared, or the last one.
pub fn offer_batch(batch: &[u8], mut offer: impl FnMut(&[u8]) -> Admission) -> (batch::Answer, Wake) {
    let mut answer = batch::Answer { status: Status::Accepted, reason: Reason::None, expected: 0 };
    let (mut wake, mut rest) = (Wake::No, batch);
    loop {
        let admission = match batch::next(&mut rest) {
            Ok(Some(envelope)) => offer(envelope),
            Ok(None) => return (answer, wake),
            Err(_) => {
                (answer.status, answer.reason) = (Status::InvalidPayload, Reason::Header);
                return (answer, wake);
            }
        };
        if admission.wake == Wake::Unpark {
            wake = Wake::Unpark;
        }
        let Admission { status, reason, expected, .. } = admission;
        answer = batch::Answer { status, reason, expected };
        if !matches!(status, Status::Accepted | Status::Duplicate) {
            return (answer, wake);
        }
    }
}

/// The payload of a command of the own process that says `number`.
#[must_use]
pub fn own_payload(kind: Kind, number: u64) -> Vec<u8> {
    match kind {
        Kind::OpenEnumerator | Kind::RunEnumerator => Vec::new(),
        _ => number.to_le_bytes().to_vec(),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_good_for_its_own_kind_until_it_is_closed() {
        let (readers, coordinators) = (Objects::new(Mark::Reader), Objects::new(Mark::Coordinator));
        let (reader, _coordinator) = (readers.insert(1).unwrap(), coordinators.insert(2).unwrap());
        assert_eq!(*readers.enter(reader).unwrap(), 1);
        assert_eq!(coordinators.enter(reader).err(), Some(Error::closed()));
        assert!(!coordinators.close(reader));
        assert_eq!((readers.close(reader), readers.close(reader)), (true, false));
    }

    #[test]
    fn a_panic_becomes_an_error_that_says_where() {
        let error = catch(|| -> Result<(), Error> { panic!("asked for by {}", "a test") }).unwrap_err();
        assert_eq!(error.code, ErrorCode::Panic);
        assert!(error.text.contains("asked for by a test") && error.text.contains("boundary.rs"), "{error}");
        assert_eq!(catch(|| Ok(1)), Ok(1));
    }

    #[test]
    fn a_batch_ends_at_the_first_command_that_is_not_taken() {
        let mut bytes = Vec::new();
        for text in [&b"a"[..], b"b", b"c"] {
            batch::append(&mut bytes, |out| {
                out.extend_from_slice(text);
                Ok(())
            })
            .unwrap();
        }
        let mut seen = Vec::new();
        let (answer, wake) = offer_batch(&bytes, |command| {
            seen.push(command.to_vec());
            let status = if command == b"b" { Status::RetryLater } else { Status::Accepted };
            Admission { status, reason: Reason::Gap, expected: seen.len() as u64, wake: Wake::Unpark }
        });
        assert_eq!(seen, [b"a", b"b"]);
        assert_eq!((answer.status, answer.expected, wake), (Status::RetryLater, 2, Wake::Unpark));
        let (damaged, _) = offer_batch(&bytes[..3], |_| unreachable!("there is no whole command"));
        assert_eq!(damaged.status, Status::InvalidPayload);
    }
}
