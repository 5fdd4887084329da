// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Bytes: that they come out as they went in, how many fit, what they cost.

use super::*;
use crate::command::envelope::HEADER_LEN;
use capacity::POSITION_MASK;

#[test]
fn payloads_of_any_length_come_out_as_they_went_in() {
    let mailbox = open(Limits::default());
    let lengths = [0, 1, 40, 63, 64, 65, 100, 4000, 4095, 4096, 4097, 9000, (512 << 10) - 8];
    let mut out = Vec::new();
    for (sequence, len) in (1..).zip(lengths.repeat(20)) {
        assert_eq!(mailbox.offer(&assign(sequence, len), sequence).status, Status::Accepted, "{len}");
        let taken = mailbox.take(&mut out).unwrap();
        assert_eq!(taken, Taken { header: header(Kind::AssignSplits, sequence), admitted_nanos: sequence });
        assert!(out == split(len), "{len}");
    }
}

#[test]
fn positions_wrap_without_a_trace() {
    let budget = Arc::new(WorkerBudget::new(1 << 20));
    let origin = POSITION_MASK - 37;
    let mailbox = Mailbox::starting_at(address(), limits(64, 8), 1, budget.clone(), origin);
    mailbox.open_channel(0, SENDER, EPOCH);
    let mut out = Vec::new();
    for sequence in 1..=100 {
        let len = sequence as usize * 97 % 6000;
        assert_eq!(mailbox.offer(&assign(sequence, len), 0).status, Status::Accepted);
        assert!(mailbox.bytes() < 8192);
        assert_eq!(mailbox.take(&mut out).unwrap().header.sequence, sequence);
        assert!(out == split(len));
    }
    assert_eq!((mailbox.commands(), mailbox.bytes(), budget.used()), (0, 0, 0));
}

/// What a command takes beside its payload: record header, envelope, and the length of one split.
const AROUND: usize = 16 + HEADER_LEN + 8;

#[test]
fn the_last_byte_of_capacity_can_be_used() {
    let mailbox = open(Limits { max_bytes: 20 << 10, max_payload: 8 << 10, ..limits(64, 8) });
    let fills = |mailbox: &Mailbox, bytes: usize, sequence| mailbox.offer(&assign(sequence, bytes - AROUND), 0).reason;
    assert_eq!(fills(&mailbox, 8 << 10, 1), Reason::None);
    assert_eq!(fills(&mailbox, (8 << 10) + 1, 2), Reason::Bytes, "4 KiB are for control");
    assert_eq!(fills(&mailbox, 8 << 10, 2), Reason::None);
    assert_eq!(mailbox.bytes(), 16 << 10);
    assert_eq!(fills(&mailbox, AROUND, 3), Reason::Bytes);
    // 4 KiB of reserve are 21 controls of 192 bytes.
    for sequence in 3..24 {
        assert_eq!(mailbox.offer(&control(sequence), 0).status, Status::Accepted);
    }
    let full = mailbox.offer(&control(24), 0);
    assert_eq!((full.status, full.reason), (Status::TerminalRejected, Reason::Bytes));
    assert_eq!(drain(&mailbox).len(), 23);
}

#[test]
fn an_idle_mailbox_is_small_before_and_after_a_burst() {
    let mailbox = open(Limits::default());
    assert!(mailbox.heap_bytes() < 16 << 10, "{}", mailbox.heap_bytes());
    for sequence in 1..=900 {
        assert_eq!(mailbox.offer(&assign(sequence, 3000), sequence).status, Status::Accepted);
    }
    assert!(mailbox.heap_bytes() > 2 << 20);
    assert_eq!(drain(&mailbox).len(), 900);
    let kept = mailbox.heap_bytes();
    let end_of_flow = 900 + 50_000_000;
    assert_eq!(mailbox.rest(901), Some(end_of_flow), "the next burst may come at once");
    assert_eq!(mailbox.heap_bytes(), kept);
    assert_eq!(mailbox.rest(end_of_flow), None);
    assert!(mailbox.heap_bytes() < 16 << 10, "{}", mailbox.heap_bytes());
}

#[test]
fn the_worker_budget_is_given_back_with_what_nobody_took() {
    let budget = Arc::new(WorkerBudget::new(1 << 20));
    for taken in [0, 1, 5] {
        let mailbox = Mailbox::starting_at(address(), limits(64, 8), 1, budget.clone(), 0);
        mailbox.open_channel(0, SENDER, EPOCH);
        for sequence in 1..=10 {
            assert_eq!(mailbox.offer(&assign(sequence, 500), 0).status, Status::Accepted);
        }
        for _ in 0..taken {
            mailbox.take(&mut Vec::new()).unwrap();
        }
        mailbox.open_channel(0, SENDER, Epoch(9));
        let _ = mailbox.close();
        assert!(budget.used() > 0);
        drop(mailbox);
        assert_eq!(budget.used(), 0);
    }
}

#[test]
fn a_budget_that_could_never_hold_a_command_is_refused_at_once() {
    let limits = Limits { max_payload: 10_000, ..Limits::default() };
    let with = |max| Mailbox::new(address(), limits, 1, Arc::new(WorkerBudget::new(max)));
    assert_eq!(with(10_000 + 8191).err().map(|error| error.setting), Some("worker budget"));
    let mailbox = with(10_000 + 8192).unwrap();
    mailbox.open_channel(0, SENDER, EPOCH);
    for sequence in 1..200 {
        assert_eq!(mailbox.offer(&assign(sequence, 10_000 - 8), 0).status, Status::Accepted);
        assert_eq!(drain(&mailbox), [sequence]);
    }
}

/// Several producers, each on its own channel, against an owner that drains: nothing is lost, doubled or torn.
#[test]
fn four_producers_and_an_owner() {
    const EACH: u64 = 3000;
    let address = Address { receiver: Receiver::Coordinator, ..address() };
    let mailbox = Mailbox::starting_at(address, limits(64, 8), 4, Arc::new(WorkerBudget::new(16 << 10)), 0);
    (0..4).for_each(|channel| mailbox.open_channel(channel, SENDER, EPOCH));
    let produce = |subtask: u32| {
        for sequence in 1..=EACH {
            let command = bytes(&Header { subtask, ..header(Kind::RequestSplit, sequence) }, &[]);
            while mailbox.offer(&command, sequence).status != Status::Accepted {
                std::thread::yield_now();
            }
        }
    };
    let mut next = [1; 4];
    std::thread::scope(|scope| {
        (0..4).for_each(|subtask| drop(scope.spawn(move || produce(subtask))));
        let mut out = Vec::new();
        while next != [EACH + 1; 4] {
            let Some(Taken { header, admitted_nanos }) = mailbox.take(&mut out) else { continue };
            let expected = &mut next[header.subtask as usize];
            assert_eq!((header.sequence, admitted_nanos), (*expected, *expected));
            *expected += 1;
        }
    });
    assert_eq!((mailbox.commands(), mailbox.bytes(), mailbox.budget.used()), (0, 0, 0));
}
