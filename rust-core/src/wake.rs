// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Park and wake without a lost wake-up.
//!
//! Invariant: a signal sets `SIGNALLED` after what it announces was published; the owner clears the word *before* it
//! looks, and parks only if the word is still clear after it looked. So whatever is published is either seen by the
//! look, or its signal makes the park fail, or its signal finds `PARKED` and tells the caller to unpark the owner.
//! A signal too many costs one look. The parking itself is the host's: this word only decides.

use crate::sync::{AtomicU32, Ordering, total_order};

const SIGNALLED: u32 = 1;
const PARKED: u32 = 2;

/// Whether the host must wake the thread that owns the loop.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The owner is awake and will look by itself.
    No,
    /// The owner was told to park: unpark it.
    Unpark,
}

impl Wake {
    /// As a bool, for boundaries.
    #[must_use]
    pub fn is_needed(self) -> bool {
        self == Wake::Unpark
    }
}

/// The word that producers and the owner of one loop share.
#[derive(Debug)]
pub struct WakeWord(AtomicU32);

impl WakeWord {
    /// A loop whose owner has not parked.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Announces something that was published before. Any thread; never waits.
    pub fn signal(&self) -> Wake {
        // The release half publishes what is announced, also when another signal stands already, because the owner
        // clears the word with an acquire before it looks. PARKED may go: whoever took it away unparks.
        let before = self.0.swap(SIGNALLED, Ordering::AcqRel);
        if before == PARKED { Wake::Unpark } else { Wake::No }
    }

    /// As [`signal`](Self::signal), for a caller that has published by a sequentially consistent operation which the
    /// owner's look reads, sequentially consistent as well. A signal that stands already is left alone: that the owner
    /// has not cleared it yet means that its look comes later. So in a flow the producers only read this word.
    pub(crate) fn signal_published(&self) -> Wake {
        total_order();
        if self.0.load(Ordering::SeqCst) == SIGNALLED { Wake::No } else { self.signal() }
    }

    /// The owner is about to look. Clears the signal and the park.
    pub(crate) fn begin_look(&self) {
        // A clear word needs no clearing: a signal that this load does not see yet makes the park fail.
        if self.0.load(Ordering::Relaxed) != 0 {
            self.0.swap(0, Ordering::SeqCst);
            total_order();
        }
    }

    /// The owner looked and found nothing. True: park. False: look again.
    pub(crate) fn try_park(&self) -> bool {
        self.0.compare_exchange(0, PARKED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

impl Default for WakeWord {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::sync::{Arc, AtomicBool};
    use loom::thread;

    /// Whatever order publish, signal, look and park come in, the owner does not sleep on published work.
    #[test]
    fn no_published_work_is_slept_on() {
        loom::model(|| {
            let word = Arc::new(WakeWord::new());
            let work = Arc::new(AtomicBool::new(false));
            let producer = {
                let (word, work) = (word.clone(), work.clone());
                thread::spawn(move || {
                    work.store(true, Ordering::Release);
                    word.signal()
                })
            };
            let mut parked = false;
            for _ in 0..2 {
                word.begin_look();
                if work.load(Ordering::Acquire) {
                    break;
                }
                if word.try_park() {
                    parked = true;
                    break;
                }
            }
            let wake = producer.join().unwrap();
            assert!(!parked || wake == Wake::Unpark, "parked on published work");
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_signal_after_a_park_unparks() {
        let word = WakeWord::new();
        assert_eq!(word.signal(), Wake::No);
        assert!(!word.try_park(), "a signal before the park is not lost");
        word.begin_look();
        assert!(word.try_park());
        assert_eq!(word.signal(), Wake::Unpark);
        assert_eq!(word.signal(), Wake::No);
        word.begin_look();
        assert!(word.try_park());
    }
}
