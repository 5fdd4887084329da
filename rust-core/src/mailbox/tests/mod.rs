// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What producers and the owner of a mailbox may rely on.

#[cfg(not(loom))]
mod admission;
#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod model;
#[cfg(shuttle)]
mod shuttle;
#[cfg(not(loom))]
mod storage;

use super::*;
use crate::command::envelope::{self, Header};
use crate::command::payload;
use crate::command::{CommandId, Epoch, Kind};

pub(super) const SENDER: Attempt = Attempt(2);
pub(super) const OWNER: Attempt = Attempt(3);
pub(super) const EPOCH: Epoch = Epoch(4);

pub(super) fn address() -> Address {
    Address { job: 1, runtime: RuntimeId(1), attempt: OWNER, receiver: Receiver::Reader }
}

#[cfg(not(loom))]
pub(super) fn limits(max_commands: u32, reserved_commands: u32) -> Limits {
    Limits { max_commands, max_bytes: 64 << 10, reserved_commands, reserved_bytes: 4 << 10, max_payload: 32 << 10 }
}

/// A reader's mailbox whose channel is open.
#[cfg(not(loom))]
pub(super) fn open(limits: Limits) -> Mailbox {
    let mailbox = Mailbox::starting_at(address(), limits, 1, Arc::new(WorkerBudget::new(1 << 30)), 0);
    mailbox.open_channel(0, SENDER, EPOCH);
    mailbox
}

pub(super) fn header(kind: Kind, sequence: u64) -> Header {
    Header {
        kind,
        subtask: 0,
        job: 1,
        runtime: RuntimeId(1),
        sender: SENDER,
        target: OWNER,
        epoch: EPOCH,
        sequence,
        id: CommandId(1000 + u128::from(sequence)),
        cut: 0,
    }
}

pub(super) fn bytes(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    envelope::encode(header, payload, &mut out).unwrap();
    out
}

/// A split of `len` bytes as a payload.
pub(super) fn split(len: usize) -> Vec<u8> {
    let split: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8).collect();
    let mut out = Vec::new();
    payload::encode_splits([split.as_slice()].into_iter(), &mut out).unwrap();
    out
}

/// An assignment, normal capacity.
pub(super) fn assign(sequence: u64, len: usize) -> Vec<u8> {
    bytes(&header(Kind::AssignSplits, sequence), &split(len))
}

/// No more splits, control capacity.
pub(super) fn control(sequence: u64) -> Vec<u8> {
    bytes(&header(Kind::NoMoreSplits, sequence), &1_u64.to_le_bytes())
}

/// The sequences of what is in the mailbox.
pub(super) fn drain(mailbox: &Mailbox) -> Vec<u64> {
    let mut out = Vec::new();
    std::iter::from_fn(|| mailbox.take(&mut out)).map(|taken| taken.header.sequence).collect()
}
