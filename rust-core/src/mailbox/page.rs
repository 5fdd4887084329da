// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The mailbox's storage: a ring of granules in pages that exist only while something is in them.
//!
//! ```text
//!  position (granules, grows for ever)      head ──────────────> tail
//!  pages    [ - ][ - ][ p3 ][ p4 ][ p5 ][ - ][ - ]     "-" = not allocated
//!  page     64 commit words │ 64 granules of 64 bytes
//!  record   header 16 bytes │ bytes, over as many granules as needed, also across pages
//! ```
//!
//! Invariants:
//! * A range of positions belongs to the one producer that claimed it (by moving the tail) until it commits, then to
//!   the owner until the owner moves the head past it.
//! * The commit word of a record's first granule is 0 from claim to commit. The owner sets it back to 0 before the
//!   head passes it.
//! * A page that holds a claimed position is neither freed nor used for another lap: the tail never comes within a
//!   page of the head of the lap before ([`Ring::capacity`]), and the owner frees a page, by making its pointer null,
//!   before it publishes the head that lies behind it.
//! * A page that is out of use is clear (all commit words are 0) and is kept for the next producer, up to [`SPARES`]:
//!   a flow allocates nothing. An owner that has rested for a while gives them back.

#![allow(unsafe_code)]

use crate::sync::{AtomicPtr, AtomicU32, Ordering, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr;

/// Bytes of a granule: a cache line, so that two producers do not write into the same one.
pub(super) const GRANULE: usize = 64;

/// Granules of a page. 64 make 4 KiB, the smallest piece that the system hands out; loom wants few.
#[cfg(not(loom))]
const PAGE_GRANULES: u64 = 64;
#[cfg(loom)]
const PAGE_GRANULES: u64 = 2;

const COMMITTED: u32 = 1;
const VOID: u32 = 2;
const STATE_BITS: u32 = 2;

/// What the owner finds at the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing that is committed.
    Nothing,
    /// A record of this many granules.
    Record(u64),
    /// A claim of this many granules that its producer gave up.
    Void(u64),
}

/// Bytes of a page's granules.
pub(super) const PAGE_BYTES: usize = GRANULE * PAGE_GRANULES as usize;

/// Pages whose first granule is one of the `granules` at `position`.
pub(super) fn begun(position: u64, granules: u64) -> u64 {
    (position + granules).div_ceil(PAGE_GRANULES) - position.div_ceil(PAGE_GRANULES)
}

/// Bytes that one access may touch: the page, or a single granule under loom, which watches each of them.
const SPAN: usize = if cfg!(loom) { GRANULE } else { PAGE_BYTES };

/// Pages out of use that are kept while commands flow: those of a batch of 64 commands with 4 KiB each.
const SPARES: usize = if cfg!(loom) { 1 } else { 64 };

#[derive(Debug)]
struct Page {
    commits: [AtomicU32; PAGE_GRANULES as usize],
    /// Not filled when the page is made: what is read was written before.
    granules: [UnsafeCell<MaybeUninit<[u8; GRANULE]>>; PAGE_GRANULES as usize],
}

impl Page {
    fn new() -> Box<Page> {
        Box::new(Page {
            commits: std::array::from_fn(|_| AtomicU32::new(0)),
            granules: std::array::from_fn(|_| UnsafeCell::new(MaybeUninit::uninit())),
        })
    }

    /// Copies `from` to byte `at`; both ends lie in one span.
    ///
    /// # Safety
    /// The granules belong to the caller: claimed by it and not committed yet.
    unsafe fn write(&self, at: usize, from: &[u8]) {
        debug_assert!(at / SPAN == (at + from.len() - 1) / SPAN && at + from.len() <= PAGE_BYTES);
        #[cfg(not(loom))]
        // SAFETY: the granules lie side by side, may be written through a shared reference, and the range is in them;
        // that nobody else touches it is the caller's promise.
        unsafe {
            let start = self.granules.as_ptr().cast::<u8>().cast_mut();
            ptr::copy_nonoverlapping(from.as_ptr(), start.add(at), from.len());
        }
        #[cfg(loom)]
        self.granules[at / GRANULE].with_mut(|granule| {
            // SAFETY: as above, within one granule.
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), granule.cast::<u8>().add(at % GRANULE), from.len()) };
        });
    }

    /// Shows the `len` bytes from byte `at`; both ends lie in one span.
    ///
    /// # Safety
    /// The granules belong to the caller: it is the owner, and they are committed and not behind the head.
    unsafe fn read(&self, at: usize, len: usize, show: impl FnOnce(&[u8])) {
        debug_assert!(at / SPAN == (at + len - 1) / SPAN && at + len <= PAGE_BYTES);
        #[cfg(not(loom))]
        // SAFETY: as in `write`; the record's bytes were written before its commit, and nobody writes before the owner
        // moves the head past it.
        unsafe {
            show(std::slice::from_raw_parts(self.granules.as_ptr().cast::<u8>().add(at), len));
        }
        #[cfg(loom)]
        self.granules[at / GRANULE].with(|granule| {
            // SAFETY: as above, within one granule.
            show(unsafe { std::slice::from_raw_parts(granule.cast::<u8>().add(at % GRANULE), len) });
        });
    }
}

/// The pages. Who may do what is told per method; positions are taken modulo the ring.
#[derive(Debug)]
pub(super) struct Ring {
    pages: Box<[AtomicPtr<Page>]>,
    /// Pages that the owner took out of use, for the next producers that need one.
    spares: [AtomicPtr<Page>; SPARES],
}

// SAFETY: pages are reached only through the protocol above, which gives each granule one user at a time.
unsafe impl Send for Ring {}
// SAFETY: as for `Send`; the pointers themselves are atomic.
unsafe impl Sync for Ring {}

impl Ring {
    /// A ring that can hold at least `granules`, rounded up to a power of two of pages.
    pub(super) fn new(granules: u64) -> Self {
        let pages = granules.div_ceil(PAGE_GRANULES).next_power_of_two().max(2);
        let pages = (0..pages).map(|_| AtomicPtr::new(ptr::null_mut())).collect();
        Self { pages, spares: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())) }
    }

    /// Granules that may be in use at once: all but one page, see the invariants.
    pub(super) fn capacity(&self) -> u64 {
        (self.pages.len() as u64 - 1) * PAGE_GRANULES
    }

    fn slot(&self, position: u64) -> &AtomicPtr<Page> {
        &self.pages[(position / PAGE_GRANULES) as usize & (self.pages.len() - 1)]
    }

    /// The page of a position that the caller has claimed; allocated if it is the first to come.
    fn page_of_claimed(&self, position: u64) -> &Page {
        let slot = self.slot(position);
        let mut page = slot.load(Ordering::Acquire);
        if page.is_null() {
            page = self.install_page(slot);
        }
        // SAFETY: the page stays in use as long as a position in it is claimed, which the caller's is.
        unsafe { &*page }
    }

    #[cold]
    fn install_page(&self, slot: &AtomicPtr<Page>) -> *mut Page {
        let fresh = self.take_spare().unwrap_or_else(|| Box::into_raw(Page::new()));
        match slot.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => fresh,
            Err(other) => {
                self.retire(fresh);
                other
            }
        }
    }

    fn take_spare(&self) -> Option<*mut Page> {
        let taken = |spare: &AtomicPtr<Page>| {
            let page = spare.load(Ordering::Relaxed);
            // Only who takes it out of its place may use it, and sees it as clear as its last user left it.
            let (order, failure) = (Ordering::Acquire, Ordering::Relaxed);
            let mine = !page.is_null() && spare.compare_exchange(page, ptr::null_mut(), order, failure).is_ok();
            mine.then_some(page)
        };
        self.spares.iter().find_map(taken)
    }

    /// Keeps a page that nobody uses as a spare one, or frees it.
    fn retire(&self, page: *mut Page) {
        let kept = |spare: &AtomicPtr<Page>| {
            let (order, failure) = (Ordering::Release, Ordering::Relaxed);
            spare.load(Ordering::Relaxed).is_null()
                && spare.compare_exchange(ptr::null_mut(), page, order, failure).is_ok()
        };
        if !self.spares.iter().any(kept) {
            free(page);
        }
    }

    /// Whether there are spare pages.
    pub(super) fn has_spares(&self) -> bool {
        self.spares.iter().any(|spare| !spare.load(Ordering::Relaxed).is_null())
    }

    /// Any thread: frees the spare pages.
    pub(super) fn trim(&self) {
        for spare in &self.spares {
            if !spare.load(Ordering::Relaxed).is_null() {
                free(spare.swap(ptr::null_mut(), Ordering::AcqRel));
            }
        }
    }

    /// Producer, on its own claim: writes `bytes` from byte `offset` of the record at `position`.
    pub(super) fn write(&self, position: u64, offset: usize, bytes: &[u8]) {
        self.pieces(position, offset, bytes.len(), |page, at, done, len| {
            // SAFETY: the granules belong to this producer from its claim to its commit.
            unsafe { page.write(at, &bytes[done..done + len]) };
        });
    }

    /// Owner, on a committed record: copies the bytes from byte `offset` of the record at `position`.
    pub(super) fn read(&self, position: u64, offset: usize, out: &mut [u8]) {
        self.pieces(position, offset, out.len(), |page, at, done, len| {
            // SAFETY: the record is committed and the owner has not moved the head past it.
            unsafe { page.read(at, len, |piece| out[done..done + len].copy_from_slice(piece)) };
        });
    }

    /// Owner, on a committed record: appends `len` bytes from byte `offset` of the record at `position` to `out`.
    pub(super) fn append(&self, position: u64, offset: usize, len: usize, out: &mut Vec<u8>) {
        out.reserve(len);
        self.pieces(position, offset, len, |page, at, _, len| {
            // SAFETY: as in `read`.
            unsafe { page.read(at, len, |piece| out.extend_from_slice(piece)) };
        });
    }

    /// Calls `f(page, offset in page, offset in the whole, length)` for each span that a range touches.
    fn pieces(&self, position: u64, offset: usize, len: usize, mut f: impl FnMut(&Page, usize, usize, usize)) {
        let first = position % PAGE_GRANULES;
        let start = first as usize * GRANULE + offset;
        let mut done = 0;
        while done < len {
            let at = start + done;
            let piece = (len - done).min(SPAN - at % SPAN);
            let page = self.page_of_claimed(position - first + (at / PAGE_BYTES) as u64 * PAGE_GRANULES);
            f(page, at % PAGE_BYTES, done, piece);
            done += piece;
        }
    }

    /// Producer: makes its claim of `granules` at `position` visible, as a record or as void.
    pub(super) fn commit(&self, position: u64, granules: u64, record: bool) {
        let state = if record { COMMITTED } else { VOID };
        let word = u32::try_from(granules).unwrap_or(u32::MAX >> STATE_BITS) << STATE_BITS | state;
        let page = self.page_of_claimed(position);
        page.commits[(position % PAGE_GRANULES) as usize].store(word, Ordering::Release);
    }

    /// Owner: what is at the head.
    pub(super) fn look(&self, head: u64) -> Found {
        let page = self.slot(head).load(Ordering::Acquire);
        if page.is_null() {
            return Found::Nothing;
        }
        // SAFETY: only the owner frees pages, and it frees none that lies at or behind its head.
        let page = unsafe { &*page };
        let word = page.commits[(head % PAGE_GRANULES) as usize].load(Ordering::Acquire);
        let granules = u64::from(word >> STATE_BITS);
        match word & ((1 << STATE_BITS) - 1) {
            COMMITTED => Found::Record(granules),
            VOID => Found::Void(granules),
            _ => Found::Nothing,
        }
    }

    /// Owner: takes `granules` at `head` out of use, before it publishes the new head.
    pub(super) fn clear(&self, head: u64, granules: u64) {
        let page = self.page_of_claimed(head);
        page.commits[(head % PAGE_GRANULES) as usize].store(0, Ordering::Relaxed);
        let end = head + granules;
        for number in head / PAGE_GRANULES..end / PAGE_GRANULES {
            let page = self.slot(number * PAGE_GRANULES).swap(ptr::null_mut(), Ordering::AcqRel);
            // A void claim of many pages has touched only the one of its commit word.
            if !page.is_null() {
                self.retire(page);
            }
        }
    }

    /// Bytes that the ring holds on the heap, for measurements; exact while nobody else uses it.
    pub(super) fn heap_bytes(&self) -> usize {
        let in_use = self.pages.iter().chain(&self.spares).filter(|page| !page.load(Ordering::Relaxed).is_null());
        self.pages.len() * size_of::<AtomicPtr<Page>>() + in_use.count() * size_of::<Page>()
    }
}

/// Frees a page that nobody uses.
fn free(page: *mut Page) {
    if !page.is_null() {
        // SAFETY: the page came out of `Box::into_raw`, and the caller took its pointer out of its one place.
        drop(unsafe { Box::from_raw(page) });
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        for slot in self.pages.iter().chain(&self.spares) {
            free(slot.swap(ptr::null_mut(), Ordering::AcqRel));
        }
    }
}
