// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the owner takes out of a mailbox.

use super::channel::{Fate, Fence};
use super::page::Found;
use super::{Mailbox, RECORD_HEADER};
use crate::command::envelope::{self, HEADER_LEN, Header};
use crate::command::{Fields, Order, Receiver};
use crate::sync::Ordering;

/// How long after its last command a flow may go on: longer than what lies between the batches of one sender, short
/// for a person.
const FLOW_NANOS: u64 = 50_000_000;

/// A command that the owner took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) header: Header,
    /// When it was admitted, on the host's clock.
    pub(crate) admitted_nanos: u64,
}

impl Mailbox {
    /// Owner: takes the oldest command, its payload into `payload`. Commands of a fence that no longer stands are
    /// dropped here: they were admitted before it changed, or refused because it has.
    pub(crate) fn take(&self, payload: &mut Vec<u8>) -> Option<Taken> {
        self.channels.first().inspect(|channel| channel.sync());
        loop {
            let head = self.capacity.head();
            match self.ring.look(head) {
                Found::Nothing => return None,
                Found::Void(granules) => self.release(head, granules, 0),
                Found::Record(granules) => {
                    let (taken, charged) = self.read(head, payload);
                    let fate = taken.map_or(Fate::Refused, |taken| self.fate(&taken.header));
                    if fate == Fate::Open {
                        return None;
                    }
                    self.taken.store(self.taken.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    self.last_admitted.store(taken.map_or(0, |taken| taken.admitted_nanos), Ordering::Relaxed);
                    self.release(head, granules, charged);
                    if fate == Fate::Admitted {
                        return taken;
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

    fn fate(&self, header: &Header) -> Fate {
        let from = Fence { sender: header.sender, epoch: header.epoch };
        match header.kind.order() {
            Order::Sequenced => self.channel(header).map_or(Fate::Refused, |it| it.fate(from, header.sequence)),
            Order::Unsequenced => {
                if header.kind.receiver() != Receiver::Own
                    && let Some(channel) = self.channel(header)
                {
                    channel.end_opening();
                }
                Fate::Admitted
            }
            Order::Immediate => Fate::Admitted,
        }
    }

    fn release(&self, head: u64, granules: u64, charged: u32) {
        self.ring.clear(head, granules);
        self.capacity.release(granules);
        if charged > 0 {
            self.budget.give_back(u64::from(charged));
        }
    }

    /// Owner: nothing is there to take for now. The memory that only a flow needs is kept for [`FLOW_NANOS`] and then
    /// given back; the answer is when the owner should rest again for that.
    pub(crate) fn rest(&self, now_nanos: u64) -> Option<u64> {
        if !self.ring.has_spares() {
            return None;
        }
        let flows_until = self.last_admitted.load(Ordering::Relaxed).saturating_add(FLOW_NANOS);
        if now_nanos < flows_until {
            return Some(flows_until);
        }
        self.ring.trim();
        None
    }
}

impl Drop for Mailbox {
    /// Gives back what undrained records hold of the worker's budget.
    fn drop(&mut self) {
        let mut scratch = Vec::new();
        while self.take(&mut scratch).is_some() {}
    }
}
