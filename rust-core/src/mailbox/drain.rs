// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the owner takes out of a mailbox.

use super::channel::{Channel, Fence};
use super::page::Found;
use super::{Mailbox, RECORD_HEADER};
use crate::command::envelope::{self, HEADER_LEN, Header};
use crate::command::{Fields, Order};
use crate::sync::Ordering;

/// A command that the owner took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) header: Header,
    /// When it was admitted, on the host's clock.
    pub(crate) admitted_nanos: u64,
}

impl Mailbox {
    /// Owner: takes the oldest command, its payload into `payload`. Commands of a fence that no longer stands are
    /// dropped here: they were admitted before it changed.
    pub(crate) fn take(&self, payload: &mut Vec<u8>) -> Option<Taken> {
        loop {
            let head = self.capacity.head();
            match self.ring.look(head) {
                Found::Nothing => return None,
                Found::Void(granules) => self.release(head, granules, 0),
                Found::Record(granules) => {
                    let (taken, charged) = self.read(head, payload);
                    self.taken.store(self.taken.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    self.release(head, granules, charged);
                    if let Some(taken) = taken.filter(|taken| self.still_stands(&taken.header)) {
                        return Some(taken);
                    }
                }
            }
        }
    }

    /// The command at the head, and what it was charged to the worker budget.
    fn read(&self, head: u64, payload: &mut Vec<u8>) -> (Option<Taken>, u32) {
        let mut fixed = [0; RECORD_HEADER + HEADER_LEN];
        self.ring.read(head, 0, &mut fixed);
        let mut fields = Fields(&fixed);
        let (Ok(len), Ok(charged), Ok(admitted_nanos)) = (fields.u32(), fields.u32(), fields.u64()) else {
            return (None, 0);
        };
        payload.clear();
        self.ring.append(head, fixed.len(), (len as usize).saturating_sub(HEADER_LEN), payload);
        let header = fields.array().and_then(|fixed| envelope::decode_header(&fixed));
        (header.ok().map(|(header, _)| Taken { header, admitted_nanos }), charged)
    }

    fn still_stands(&self, header: &Header) -> bool {
        let from = Fence { sender: header.sender, epoch: header.epoch };
        header.kind.order() != Order::Sequenced
            || self.channel(header).and_then(Channel::fence).is_some_and(|(fence, _)| fence == from)
    }

    fn release(&self, head: u64, granules: u64, charged: u32) {
        self.ring.clear(head, granules);
        self.capacity.release(granules);
        if charged > 0 {
            self.budget.give_back(u64::from(charged));
        }
    }

    /// Owner: nothing is there to take for now, so the memory that only a flow needs is given back.
    pub(crate) fn rest(&self) {
        self.ring.trim();
    }
}

impl Drop for Mailbox {
    /// Gives back what undrained records hold of the worker's budget.
    fn drop(&mut self) {
        let mut scratch = Vec::new();
        while self.take(&mut scratch).is_some() {}
    }
}
