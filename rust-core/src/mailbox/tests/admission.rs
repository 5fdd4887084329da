// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Statuses, reasons and the order of the checks.

use super::*;
use crate::command::envelope::HEADER_LEN;

fn verdict(mailbox: &Mailbox, bytes: &[u8]) -> (Status, Reason, u64) {
    let Admission { status, reason, expected, .. } = mailbox.offer(bytes, 0);
    (status, reason, expected)
}

#[test]
fn a_sequence_is_taken_once_and_in_order_and_control_has_a_reserve() {
    let mailbox = open(limits(3, 1));
    assert_eq!(verdict(&mailbox, &assign(1, 10)), (Status::Accepted, Reason::None, 2));
    assert_eq!(verdict(&mailbox, &assign(1, 10)), (Status::Duplicate, Reason::None, 2));
    assert_eq!(verdict(&mailbox, &assign(3, 10)), (Status::RetryLater, Reason::Gap, 2));
    assert_eq!(verdict(&mailbox, &assign(2, 10)), (Status::Accepted, Reason::None, 3));
    assert_eq!(verdict(&mailbox, &assign(3, 10)), (Status::RetryLater, Reason::Commands, 3));
    assert_eq!(mailbox.offer_own(Kind::Barrier, &7_u64.to_le_bytes(), 0).status, Status::Accepted, "uses the reserve");

    // The owner waits while the reserve runs out: it is told, because no command will tell it.
    mailbox.wake_word().begin_look();
    assert!(mailbox.wake_word().try_park());
    let admission = mailbox.offer(&control(3), 0);
    assert_eq!((admission.status, admission.reason), (Status::TerminalRejected, Reason::Commands));
    assert_eq!(admission.wake, Wake::Unpark);
    assert_eq!(mailbox.terminal(), Some(Terminal::ReserveExhausted));
    assert_eq!(verdict(&mailbox, &control(3)).1, Reason::Terminal);
    assert_eq!(drain(&mailbox), [1, 2, 0], "nothing that was accepted is lost");
}

#[test]
fn a_full_mailbox_still_knows_what_it_has() {
    let mailbox = open(limits(2, 0));
    let _ = (mailbox.offer(&control(1), 0), mailbox.offer(&control(2), 0));
    assert_eq!(verdict(&mailbox, &control(2)).0, Status::Duplicate);
    let _ = mailbox.offer(&bytes(&Header { id: CommandId(5), ..header(Kind::NoMoreSplits, 1) }, &[1; 8]), 0);
    assert_eq!(mailbox.terminal(), None, "neither a duplicate nor a conflict needs room");
}

/// Every reason that a mailbox gives, each from the smallest command that has it.
#[test]
fn every_refusal_has_its_status_and_its_reason() {
    let good = header(Kind::AssignSplits, 2);
    let payload = split(10);
    let with = |change: fn(&mut Header)| {
        let mut header = good;
        change(&mut header);
        bytes(&header, &split(10))
    };
    let flip = |at: usize| {
        let mut bytes = bytes(&good, &payload);
        bytes[at] ^= 1;
        bytes
    };
    let cases: [(&str, Vec<u8>, Status, Reason); 22] = [
        ("empty", Vec::new(), Status::InvalidPayload, Reason::Header),
        ("truncated", bytes(&good, &payload)[..HEADER_LEN + 3].to_vec(), Status::InvalidPayload, Reason::Header),
        ("not a command", flip(0), Status::InvalidPayload, Reason::Header),
        ("a later protocol", flip(8), Status::UnsupportedProtocol, Reason::Header),
        ("a later payload layout", flip(12), Status::UnsupportedProtocol, Reason::Header),
        ("damaged payload", flip(HEADER_LEN + 5), Status::InvalidPayload, Reason::Checksum),
        ("damaged id", flip(88), Status::InvalidPayload, Reason::Checksum),
        ("another job", with(|it| it.job = 9), Status::StaleTarget, Reason::Runtime),
        ("another source", with(|it| it.runtime.0 = 9), Status::StaleTarget, Reason::Runtime),
        ("another reader", with(|it| it.target.0 = 9), Status::StaleTarget, Reason::Attempt),
        ("another coordinator", with(|it| it.sender.0 = 9), Status::StaleTarget, Reason::Attempt),
        ("an earlier epoch", with(|it| it.epoch.0 = 3), Status::StaleTarget, Reason::Epoch),
        ("a later epoch", with(|it| it.epoch.0 = 5), Status::RetryLater, Reason::NotReady),
        ("not for readers", bytes(&header(Kind::RequestSplit, 2), &[]), Status::InvalidPayload, Reason::Direction),
        ("of the own process", bytes(&header(Kind::Barrier, 0), &[0; 8]), Status::InvalidPayload, Reason::Direction),
        ("no sequence", with(|it| it.sequence = 0), Status::InvalidPayload, Reason::Header),
        ("a huge sequence", with(|it| it.sequence = u64::MAX), Status::InvalidPayload, Reason::Header),
        ("too large", assign(2, 32 << 10), Status::InvalidPayload, Reason::TooLarge),
        ("not splits", bytes(&good, &[1, 2, 3]), Status::InvalidPayload, Reason::Payload),
        ("a gap", with(|it| it.sequence = 3), Status::RetryLater, Reason::Gap),
        ("another id", with(|it| it.sequence = 1), Status::InvalidPayload, Reason::Conflict),
        ("behind a cut", with(|it| it.cut = 7), Status::RetryLater, Reason::Cut),
    ];
    let mailbox = open(limits(8, 1));
    assert_eq!(mailbox.offer(&assign(1, 10), 0).status, Status::Accepted);
    for (name, bytes, status, reason) in cases {
        let admission = mailbox.offer(&bytes, 0);
        assert_eq!((admission.status, admission.reason), (status, reason), "{name}");
        assert_eq!(admission.wake, Wake::No, "{name}");
    }
    mailbox.pass_cut(7);
    assert_eq!(mailbox.offer(&with(|it| it.cut = 7), 0).status, Status::Accepted);
    assert_eq!(drain(&mailbox), [1, 2], "what was refused is not there, what was accepted is");
}

#[test]
fn a_mailbox_that_ends_says_so_before_anything_else() {
    let closed = open(limits(8, 1));
    let _ = closed.close();
    assert_eq!(verdict(&closed, &[]), (Status::TerminalRejected, Reason::Closed, 0));
    assert_eq!(closed.offer_own(Kind::Barrier, &[0; 8], 0).reason, Reason::Closed);
    let cancelled = open(limits(8, 1));
    let _ = cancelled.terminate(Terminal::Cancelled);
    let _ = cancelled.terminate(Terminal::Failed);
    assert_eq!(verdict(&cancelled, &[]), (Status::TerminalRejected, Reason::Terminal, 0));
    assert_eq!(cancelled.terminal(), Some(Terminal::Cancelled), "the first cause stays");
}

#[test]
fn what_is_wrong_in_two_ways_is_answered_by_the_earlier_check() {
    let full = open(limits(2, 1));
    assert_eq!(full.offer(&assign(1, 10), 0).status, Status::Accepted);
    let stale = Header { epoch: Epoch(1), ..header(Kind::AssignSplits, 9) };
    let mut damaged = bytes(&stale, &split(10));
    damaged[HEADER_LEN] ^= 1;
    assert_eq!(verdict(&full, &damaged).0, Status::StaleTarget, "fence before checksum");
    let mut damaged = assign(1, 10);
    damaged[HEADER_LEN] ^= 1;
    assert_eq!(verdict(&full, &damaged).1, Reason::Checksum, "checksum before duplicate");
    assert_eq!(verdict(&full, &assign(3, 10)).1, Reason::Gap, "gap before capacity");
    let cut = Header { cut: 5, ..header(Kind::AssignSplits, 2) };
    assert_eq!(verdict(&full, &bytes(&cut, &split(10))).1, Reason::Cut, "cut before capacity");
    let poor = Mailbox::starting_at(address(), limits(2, 1), 1, Arc::new(WorkerBudget::new(0)), 1);
    poor.open_channel(0, SENDER, EPOCH);
    assert_eq!(verdict(&poor, &assign(1, 100)).1, Reason::None);
    assert_eq!(verdict(&poor, &assign(2, 100)).1, Reason::Commands, "capacity before budget");
}

#[test]
fn a_dump_says_how_offers_ended() {
    let mailbox = open(limits(8, 2));
    let _ = (mailbox.offer(&assign(1, 1), 0), mailbox.offer(&assign(1, 1), 0), mailbox.offer(&assign(9, 1), 0));
    let text = mailbox.describe();
    assert!(text.starts_with("1 commands") && text.ends_with("1 ACCEPTED, 1 DUPLICATE, 1 RETRY_LATER"), "{text}");
}

/// Its owner does not come back for a retry.
#[test]
fn a_closed_mailbox_says_so_however_full_it_is() {
    let mailbox = open(limits(2, 0));
    let _ = (mailbox.offer(&assign(1, 1), 0), mailbox.offer(&assign(2, 1), 0));
    assert_eq!(verdict(&mailbox, &assign(3, 1)).1, Reason::Commands);
    let _ = mailbox.close();
    let class = crate::command::Class::Normal;
    assert_eq!(mailbox.capacity.claim(class, 1, |_| Ok(())).err(), Some((Status::TerminalRejected, Reason::Closed)));
}

#[test]
fn the_worker_budget_is_charged_by_the_page_and_refuses_no_control() {
    let budget = Arc::new(WorkerBudget::new(8 << 10));
    let mailbox = Mailbox::starting_at(address(), limits(80, 30), 1, budget.clone(), 0);
    mailbox.open_channel(0, SENDER, EPOCH);
    assert_eq!(verdict(&mailbox, &assign(1, 3000)).0, Status::Accepted);
    assert_eq!(budget.used(), 4 << 10, "it begins the first page");
    assert_eq!(verdict(&mailbox, &assign(2, 300)).0, Status::Accepted);
    assert_eq!(budget.used(), 4 << 10, "it begins none");
    assert_eq!(verdict(&mailbox, &assign(3, 9000)), (Status::RetryLater, Reason::Budget, 3));
    assert_eq!(verdict(&mailbox, &assign(3, 4000)).0, Status::Accepted);
    assert_eq!(budget.used(), 8 << 10);
    for sequence in 4..30 {
        assert_eq!(verdict(&mailbox, &control(sequence)).0, Status::Accepted);
    }
    assert_eq!(budget.used(), 16 << 10, "a control command pays too, but need not ask");
    assert_eq!(verdict(&mailbox, &assign(30, 4000)).1, Reason::Budget);
    assert_eq!(drain(&mailbox).len(), 29);
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_channel_is_not_ready_before_it_is_open_and_stale_after_it_was_handed_on() {
    let mailbox = Mailbox::starting_at(address(), limits(8, 2), 1, Arc::new(WorkerBudget::new(1 << 20)), 0);
    assert_eq!(verdict(&mailbox, &assign(1, 1)), (Status::RetryLater, Reason::NotReady, 0));
    let start = bytes(&header(Kind::ReaderEpochStart, 0), &[]);
    assert_eq!(verdict(&mailbox, &start).0, Status::Accepted);
    assert_eq!(drain(&mailbox), [0]);
    mailbox.open_channel(0, SENDER, EPOCH);
    assert_eq!(verdict(&mailbox, &start).0, Status::Duplicate);
    assert_eq!(verdict(&mailbox, &assign(1, 1)).0, Status::Accepted);
    mailbox.open_channel(0, Attempt(9), Epoch(5));
    // The other sender's sequence is nothing to this one.
    assert_eq!(verdict(&mailbox, &assign(2, 1)), (Status::StaleTarget, Reason::Epoch, 0));
    assert_eq!(verdict(&mailbox, &start), (Status::StaleTarget, Reason::Epoch, 0));
    assert_eq!(drain(&mailbox), [], "what the earlier fence let in is not applied after it has fallen");
    assert_eq!((mailbox.commands(), mailbox.bytes(), mailbox.budget.used()), (0, 0, 0));
}

#[test]
fn hints_and_failures_take_effect_without_room() {
    let mailbox = open(limits(2, 0));
    let _ = (mailbox.offer(&control(1), 0), mailbox.offer(&control(2), 0));
    let hint = bytes(&header(Kind::BarrierComing, 0), &9_u64.to_le_bytes());
    assert_eq!(verdict(&mailbox, &hint).0, Status::Accepted);
    assert_eq!(mailbox.barrier_coming(), Some(9));
    mailbox.pass_cut(9);
    assert_eq!(mailbox.barrier_coming(), None);
    let failed = bytes(&header(Kind::SourceFailed, 0), b"no such table");
    assert_eq!(verdict(&mailbox, &failed).0, Status::Accepted);
    assert_eq!((mailbox.terminal(), mailbox.failure()), (Some(Terminal::Failed), Some("no such table")));
}

#[test]
fn a_coordinator_takes_what_lies_behind_a_cut_and_knows_its_subtasks() {
    let address = Address { receiver: Receiver::Coordinator, ..address() };
    let mailbox = Mailbox::starting_at(address, limits(8, 2), 2, Arc::new(WorkerBudget::new(1 << 20)), 0);
    mailbox.open_channel(1, SENDER, EPOCH);
    let report = Header { subtask: 1, cut: 5, ..header(Kind::ReaderCheckpointReport, 1) };
    assert_eq!(verdict(&mailbox, &bytes(&report, &[0; 16])).0, Status::Accepted);
    let nobody = Header { subtask: 2, ..report };
    assert_eq!(verdict(&mailbox, &bytes(&nobody, &[0; 16])), (Status::InvalidPayload, Reason::Header, 0));
}

/// Splits may be as small as one likes; what the runtime itself has to say gets through.
#[test]
fn control_is_not_bound_by_the_size_of_splits() {
    let mailbox = open(Limits { max_payload: 20, ..limits(8, 2) });
    assert_eq!(verdict(&mailbox, &assign(1, 12)).0, Status::Accepted);
    assert_eq!(verdict(&mailbox, &assign(2, 13)).1, Reason::TooLarge);
    let failed = |len| bytes(&header(Kind::SourceFailed, 0), &vec![b'x'; len]);
    assert_eq!(verdict(&mailbox, &failed(4097)).1, Reason::TooLarge);
    assert_eq!(verdict(&mailbox, &failed(4096)).0, Status::Accepted);
}

#[test]
fn sequences_end_before_they_overflow() {
    let mailbox = open(limits(8, 2));
    let last = channel::LAST_SEQUENCE;
    mailbox.channels[0].jump(2, last - 1);
    assert_eq!(verdict(&mailbox, &assign(last - 1, 1)), (Status::Accepted, Reason::None, last));
    assert_eq!(verdict(&mailbox, &assign(last, 1)), (Status::Accepted, Reason::None, last + 1));
    assert_eq!(verdict(&mailbox, &assign(last + 1, 1)), (Status::InvalidPayload, Reason::Header, last + 1));
    assert_eq!(verdict(&mailbox, &assign(last, 1)).0, Status::Duplicate);
    assert_eq!(drain(&mailbox), [last - 1, last]);
}

#[test]
fn generations_start_again_without_remembering_the_ids_of_the_first_lap() {
    let mailbox = open(limits(8, 2));
    let _ = mailbox.offer(&assign(1, 1), 0);
    mailbox.channels[0].jump((1 << 19) - 2, 5);
    mailbox.open_channel(0, SENDER, Epoch(5));
    let again = Header { epoch: Epoch(5), id: CommandId(77), ..header(Kind::AssignSplits, 1) };
    assert_eq!(verdict(&mailbox, &bytes(&again, &split(1))).0, Status::Accepted);
    assert_eq!(verdict(&mailbox, &bytes(&again, &split(1))).0, Status::Duplicate, "not a conflict with the first lap");
}

#[test]
fn ids_are_compared_within_twice_the_window() {
    let mailbox = open(Limits::default());
    for sequence in 1..=300 {
        assert_eq!(mailbox.offer(&control(sequence), 0).status, Status::Accepted);
    }
    let other = |sequence| bytes(&Header { id: CommandId(1), ..header(Kind::NoMoreSplits, sequence) }, &[1; 8]);
    assert_eq!(verdict(&mailbox, &other(300 - 127)).1, Reason::Conflict);
    assert_eq!(verdict(&mailbox, &other(300 - 128)).0, Status::Duplicate);
}

#[test]
fn every_offer_is_counted_once() {
    let mailbox = open(limits(8, 2));
    let _ = (mailbox.offer(&assign(1, 1), 0), mailbox.offer(&assign(1, 1), 0), mailbox.offer(&[], 0));
    let hint = bytes(&header(Kind::BarrierComing, 0), &9_u64.to_le_bytes());
    let _ = (mailbox.offer(&hint, 0), mailbox.offer_own(Kind::Barrier, &[1; 8], 0));
    for _ in 0..2 {
        let counts: Vec<_> = Status::ALL.iter().map(|status| mailbox.admissions(*status)).collect();
        assert_eq!(counts, [3, 1, 0, 0, 0, 0, 1]);
        // Taking changes nothing.
        drain(&mailbox);
    }
}

/// A cut of 0 is none, and the enumerator's orders are nothing to a reader.
#[test]
fn own_commands_that_mean_nothing_here_are_refused() {
    let mailbox = open(limits(8, 2));
    let offer = |kind, payload: &[u8]| {
        let Admission { status, reason, .. } = mailbox.offer_own(kind, payload, 0);
        (status, reason)
    };
    assert_eq!(offer(Kind::OpenEnumerator, &[]), (Status::InvalidPayload, Reason::Direction));
    assert_eq!(offer(Kind::RunEnumerator, &[]), (Status::InvalidPayload, Reason::Direction));
    for kind in [Kind::Barrier, Kind::CheckpointComplete, Kind::CheckpointAborted] {
        assert_eq!(offer(kind, &[0; 8]), (Status::InvalidPayload, Reason::Payload), "{kind:?}");
    }
    assert_eq!(offer(Kind::Barrier, &[1; 8]), (Status::Accepted, Reason::None));
}
