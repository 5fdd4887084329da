// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Keys for objects that another language holds: 64 bits instead of a pointer.
//!
//! ```text
//!  63        48 47            24 23  22 21       0
//!  [ instance ] [ generation   ] [ 0  ] [ index   ]
//! ```
//!
//! The two bits that are 0 are for whoever marks the keys of several tables.
//!
//! Invariants:
//! * A key is good from `insert` to `close` and never again: closing moves the slot to the next generation, and a slot
//!   whose generations are used up is not used again. A key of another copy of the library has another instance, but
//!   for one pair of copies in 32,768.
//! * One word per slot holds generation, closed and the number of calls inside; an object is dropped by the last one
//!   who leaves after the close, or by the close itself if nobody is inside. So a stale key is an answer, never a
//!   crash, from any thread at any time.
//!
//! Inserting and closing take a lock; entering does not.

#![allow(unsafe_code)]

use crate::sync::{AtomicU64, OnceLock, Ordering, UnsafeCell};
use parking_lot::Mutex;
use std::ops::Deref;

const INDEX_BITS: u32 = 24;
/// Of the index, without what is left free for marks.
const SLOT_BITS: u32 = 22;
const GENERATION_BITS: u32 = 24;
const GENERATION_MAX: u64 = (1 << GENERATION_BITS) - 1;

/// In a slot's word: calls inside (32 bits), closed (1 bit), generation (24 bits).
const CLOSED: u64 = 1 << 32;
const GENERATION_SHIFT: u32 = 33;

/// Slots of the first chunk; each further chunk has twice as many as the one before.
const FIRST_CHUNK: u64 = 64;
const CHUNKS: usize = (SLOT_BITS - 6) as usize;

#[derive(Debug)]
struct Slot<T> {
    word: AtomicU64,
    value: UnsafeCell<Option<T>>,
}

#[derive(Debug, Default)]
struct Free {
    indexes: Vec<u32>,
    /// Slots that were handed out at least once.
    used: u32,
}

/// All objects of one type that were handed out. Any thread.
#[derive(Debug)]
pub struct Table<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    free: Mutex<Free>,
}

// SAFETY: a value is shared (`&T`) between threads that are inside, and dropped on any of them.
unsafe impl<T: Send + Sync> Sync for Table<T> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send + Sync> Send for Table<T> {}

/// Tells this copy of the library from others in the process: where its own data lies.
fn instance() -> u64 {
    static HERE: u8 = 0;
    let address = std::ptr::from_ref(&HERE).addr() as u64 >> 12;
    // The lowest bit is set so that no key is 0.
    ((address ^ address >> 16 ^ address >> 32) & 0xffff) | 1
}

fn chunk_of(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + FIRST_CHUNK;
    let chunk = shifted.ilog2() - FIRST_CHUNK.ilog2();
    (chunk as usize, (shifted - (FIRST_CHUNK << chunk)) as usize)
}

impl<T> Table<T> {
    /// Objects that can be out at once.
    pub const SLOTS: u64 = (FIRST_CHUNK << CHUNKS) - FIRST_CHUNK;

    /// An empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNKS], free: Mutex::new(Free { indexes: Vec::new(), used: 0 }) }
    }

    /// Hands an object out. `None` when four million are out already.
    pub fn insert(&self, value: T) -> Option<u64> {
        let mut free = self.free.lock();
        let index = match free.indexes.pop() {
            Some(index) => index,
            None => {
                let index = free.used;
                (chunk_of(index).0 < CHUNKS).then_some(())?;
                free.used += 1;
                index
            }
        };
        let slot = self.slot_or_new(index);
        let generation = slot.word.load(Ordering::Relaxed) >> GENERATION_SHIFT;
        slot.value.with_mut(|place| {
            // SAFETY: the slot is free and `free` is locked, so nobody else is in it: its word says closed.
            unsafe { *place = Some(value) };
        });
        slot.word.store(generation << GENERATION_SHIFT, Ordering::Release);
        Some(instance() << 48 | generation << INDEX_BITS | u64::from(index))
    }

    fn slot_or_new(&self, index: u32) -> &Slot<T> {
        let (chunk, offset) = chunk_of(index);
        let slots = self.chunks[chunk].get_or_init(|| {
            let empty = || Slot { word: AtomicU64::new(1 << GENERATION_SHIFT | CLOSED), value: UnsafeCell::new(None) };
            (0..FIRST_CHUNK << chunk).map(|_| empty()).collect()
        });
        &slots[offset]
    }

    fn slot(&self, key: u64) -> Option<(&Slot<T>, u64)> {
        (key >> 48 == instance()).then_some(())?;
        let (chunk, offset) = chunk_of((key & ((1 << INDEX_BITS) - 1)) as u32);
        let slot = self.chunks.get(chunk)?.get()?.get(offset)?;
        Some((slot, key >> INDEX_BITS & GENERATION_MAX))
    }

    /// Enters the object of a key; `None` if it is closed, stale or foreign. Lock-free.
    pub fn enter(&self, key: u64) -> Option<Inside<'_, T>> {
        let (slot, generation) = self.slot(key)?;
        let mut word = slot.word.load(Ordering::Acquire);
        loop {
            if word >> GENERATION_SHIFT != generation || word & CLOSED != 0 {
                return None;
            }
            match slot.word.compare_exchange_weak(word, word + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(Inside { table: self, slot, key }),
                Err(now) => word = now,
            }
        }
    }

    /// Closes a key. True for exactly one caller; the object is dropped when the last call inside has left.
    pub fn close(&self, key: u64) -> bool {
        let Some((slot, generation)) = self.slot(key) else { return false };
        let mut word = slot.word.load(Ordering::Acquire);
        loop {
            if word >> GENERATION_SHIFT != generation || word & CLOSED != 0 {
                return false;
            }
            match slot.word.compare_exchange_weak(word, word | CLOSED, Ordering::AcqRel, Ordering::Acquire) {
                Ok(before) => {
                    if before & (CLOSED - 1) == 0 {
                        self.drop_value(slot, key);
                    }
                    return true;
                }
                Err(now) => word = now,
            }
        }
    }

    fn drop_value(&self, slot: &Slot<T>, key: u64) {
        let value = slot.value.with_mut(|place| {
            // SAFETY: closed and nobody inside: whoever saw the count reach 0 after the close is the only one here.
            unsafe { (*place).take() }
        });
        drop(value);
        let generation = (key >> INDEX_BITS & GENERATION_MAX) + 1;
        if generation <= GENERATION_MAX {
            slot.word.store(generation << GENERATION_SHIFT | CLOSED, Ordering::Release);
            self.free.lock().indexes.push((key & ((1 << INDEX_BITS) - 1)) as u32);
        }
    }

    /// Objects that are handed out and not dropped yet, for tests.
    pub fn live(&self) -> usize {
        let free = self.free.lock();
        free.used as usize - free.indexes.len()
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A call inside an object.
#[derive(Debug)]
pub struct Inside<'a, T> {
    table: &'a Table<T>,
    slot: &'a Slot<T>,
    key: u64,
}

impl<T> Deref for Inside<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.slot.value.with(|place| {
            // SAFETY: the object is dropped only when nobody is inside, and this guard is.
            match unsafe { &*place } {
                Some(value) => value,
                None => unreachable!("a slot that can be entered holds a value"),
            }
        })
    }
}

impl<T> Drop for Inside<'_, T> {
    fn drop(&mut self) {
        let before = self.slot.word.fetch_sub(1, Ordering::AcqRel);
        if before & CLOSED != 0 && before & (CLOSED - 1) == 1 {
            self.table.drop_value(self.slot, self.key);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_key_is_good_until_it_is_closed_and_never_again() {
        let table = Table::new();
        let key = table.insert(7).unwrap();
        assert_eq!(*table.enter(key).unwrap(), 7);
        assert!(table.close(key) && !table.close(key));
        assert!(table.enter(key).is_none());
        let next = table.insert(8).unwrap();
        assert_ne!(next, key, "the slot is used again, the key is not");
        assert!(table.enter(key).is_none());
        assert_eq!(*table.enter(next).unwrap(), 8);
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_not_used_again() {
        let table = Table::new();
        let first = table.insert(7).unwrap();
        table.close(first);
        let slot = &table.chunks[0].get().unwrap()[0];
        slot.word.store(GENERATION_MAX << GENERATION_SHIFT | CLOSED, Ordering::Relaxed);
        let last = table.insert(8).unwrap();
        assert!(table.close(last));
        let other = table.insert(9).unwrap();
        assert_ne!(other & ((1 << INDEX_BITS) - 1), last & ((1 << INDEX_BITS) - 1));
        assert!(table.enter(last).is_none() && table.enter(first).is_none());
    }

    #[test]
    fn foreign_and_invented_keys_are_refused() {
        let table = Table::new();
        let key = table.insert(7).unwrap();
        for bad in [0, 1, u64::MAX, key ^ 1 << 60, key ^ 1 << 30, key ^ 1 << 10, key + 1] {
            assert!(table.enter(bad).is_none(), "{bad:#x}");
            assert!(!table.close(bad), "{bad:#x}");
        }
    }

    #[test]
    fn the_last_one_inside_drops() {
        let table = Table::new();
        let value = Arc::new(());
        let key = table.insert(value.clone()).unwrap();
        let inside = table.enter(key).unwrap();
        assert!(table.close(key));
        assert_eq!(Arc::strong_count(&value), 2);
        drop(inside);
        assert_eq!((Arc::strong_count(&value), table.live()), (1, 0));
    }

    #[test]
    fn chunks_cover_every_index_once() {
        let mut expected = (0, 0);
        for index in 0..5000 {
            assert_eq!(chunk_of(index), expected);
            expected.1 += 1;
            if expected.1 == (FIRST_CHUNK << expected.0) as usize {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    #[test]
    fn eight_threads_race_close_and_enter() {
        let table = Table::new();
        for _ in 0..200 {
            let key = table.insert(Box::new(5)).unwrap();
            let closed = std::thread::scope(|scope| {
                let race = |_| {
                    scope.spawn(|| {
                        if let Some(inside) = table.enter(key) {
                            assert_eq!(**inside, 5);
                        }
                        table.close(key)
                    })
                };
                let threads: Vec<_> = (0..8).map(race).collect();
                threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
            });
            assert_eq!((closed, table.live()), (1, 0));
        }
    }
}
