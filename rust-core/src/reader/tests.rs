// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the host of a reader may rely on.

use super::*;
use crate::command::batch;
use crate::command::envelope::{self, Header};
use crate::command::payload;
use crate::command::{CommandId, Epoch, Kind};
use crate::loops::Denied;
use crate::mailbox::{Admission, Reason, Status};
use crate::metadata::ReaderMetadata;
use crate::outbound::FLIGHT_NANOS;

const READER: Attempt = Attempt(100);
const COORDINATOR: Attempt = Attempt(200);
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1000 * MILLI;

struct Host {
    reader: Reader,
    turn: u64,
    now: u64,
    sequence: u64,
    out: Vec<u8>,
}

/// Nothing to do until a flight of time 0 is lost.
const IN_THE_AIR: Step = Step::Park(Some(FLIGHT_NANOS));

const POLL: Step = Step::Poll(PollBudget::DEFAULT);

impl Host {
    fn new() -> Self {
        let limits = Limits { max_commands: 512, ..Limits::default() };
        let config = ReaderConfig {
            job: 1,
            runtime: RuntimeId(1),
            attempt: READER,
            subtask: 0,
            digest: [7; 32],
            created_millis: 1,
            address: b"here".to_vec(),
            limits,
            poll: PollBudget::DEFAULT,
            seed: 1,
        };
        let reader = Reader::new(config, Arc::new(WorkerBudget::new(1 << 30))).unwrap();
        Self { reader, turn: 0, now: 0, sequence: 0, out: Vec::new() }
    }

    /// A reader that is registered, open, and has polled once in vain.
    fn idle() -> Self {
        let mut host = Self::new();
        let Step::Register(flight) = host.done() else { panic!() };
        host.accept(flight, 0);
        host.open(1);
        let Step::Send(flight) = host.done() else { panic!() };
        host.accept(flight, 2);
        assert_eq!(host.done(), POLL);
        assert_eq!(host.polled(PollStatus::NothingAvailable), Step::Park(None));
        host
    }

    fn step(&mut self, outcome: Outcome, allow: Allow) -> Step {
        let granted = self.reader.next(self.turn, outcome, allow, self.now, &mut self.out).unwrap();
        self.turn = granted.turn;
        granted.step
    }

    fn done(&mut self) -> Step {
        self.step(Outcome::Done, Allow::Everything)
    }

    fn polled(&mut self, status: PollStatus) -> Step {
        self.step(Outcome::Polled(status), Allow::Everything)
    }

    fn accept(&self, flight: u8, expected: u64) {
        let _ = self.reader.answer(flight, Answer { status: Status::Accepted, reason: Reason::None, expected });
    }

    fn offer(&self, kind: Kind, sequence: u64, epoch: u64, payload: &[u8]) -> Admission {
        let (id, cut) = (CommandId(u128::from(sequence) + 1), 0);
        let (runtime, sender, target) = (RuntimeId(1), COORDINATOR, READER);
        let epoch = Epoch(epoch);
        let header = Header { kind, subtask: 0, job: 1, runtime, sender, target, epoch, sequence, id, cut };
        let mut bytes = Vec::new();
        envelope::encode(&header, payload, &mut bytes).unwrap();
        self.reader.offer(&bytes, self.now)
    }

    fn open(&self, epoch: u64) {
        assert_eq!(self.offer(Kind::ReaderEpochStart, 0, epoch, &[]).status, Status::Accepted);
    }

    /// The coordinator assigns one split.
    fn assign(&mut self) {
        let mut bytes = Vec::new();
        payload::encode_splits([&b"split"[..]].into_iter(), &mut bytes).unwrap();
        self.sequence += 1;
        assert_eq!(self.offer(Kind::AssignSplits, self.sequence, 1, &bytes).status, Status::Accepted);
    }

    /// The coordinator says that no split will come any more, hears that it was applied, and the connector polls.
    fn last_poll(&mut self) {
        self.sequence += 1;
        assert_eq!(self.offer(Kind::NoMoreSplits, self.sequence, 1, &1_u64.to_le_bytes()).status, Status::Accepted);
        assert_eq!(self.done(), Step::NoMoreSplits);
        let Step::Send(flight) = self.done() else { panic!() };
        self.accept(flight, 100);
        assert_eq!(self.done(), POLL);
    }

    fn own(&self, kind: Kind, number: u64) {
        assert_eq!(self.reader.offer_own(kind, &number.to_le_bytes(), self.now).status, Status::Accepted);
    }

    /// The commands in the batch of the last step.
    fn sent(&self) -> Vec<(Kind, Vec<u8>)> {
        let mut rest = self.out.as_slice();
        std::iter::from_fn(|| batch::next(&mut rest).unwrap())
            .map(|bytes| envelope::decode(bytes).unwrap())
            .map(|envelope| (envelope.header.kind, envelope.payload.to_vec()))
            .collect()
    }
}

#[test]
fn a_reader_registers_opens_tells_so_and_polls() {
    let mut host = Host::new();
    let Step::Register(flight) = host.done() else { panic!() };
    assert_eq!(host.sent()[0].0, Kind::RegisterReader);
    assert_eq!(host.done(), IN_THE_AIR, "the answer wakes");
    host.accept(flight, 0);
    let Step::Park(Some(deadline)) = host.done() else { panic!() };
    assert_eq!(deadline, 30 * SECOND, "until the coordinator must have opened the channel");
    host.open(1);
    let Step::Send(_) = host.done() else { panic!() };
    assert_eq!(host.sent(), [(Kind::CommandApplied, 0_u64.to_le_bytes().to_vec())]);
    assert_eq!(host.done(), POLL);
}

/// The channel is opened by a command that has no step of its own: the poll that it arms is not slept over, though
/// nothing can be sent while the registration's answer is out.
#[test]
fn a_channel_that_opens_before_the_registration_is_answered_is_polled() {
    let mut host = Host::new();
    let Step::Register(_) = host.done() else { panic!() };
    host.open(1);
    assert_eq!(host.done(), POLL);
}

#[test]
fn a_coordinator_that_never_opens_the_channel_fails_the_reader_by_name() {
    let mut host = Host::new();
    let Step::Register(flight) = host.done() else { panic!() };
    host.accept(flight, 0);
    host.done();
    host.now = 30 * SECOND;
    assert_eq!(host.done(), Step::Terminal(Terminal::Failed));
    assert!(host.reader.failure().unwrap().contains("has not opened its channel"));
}

/// A second copy of the opening, admitted before the first was applied, changes nothing.
#[test]
fn a_repeated_opening_does_not_start_the_sequences_anew() {
    let mut host = Host::new();
    let Step::Register(flight) = host.done() else { panic!() };
    host.accept(flight, 0);
    host.open(1);
    assert_eq!(host.offer(Kind::ReaderEpochStart, 0, 1, &[]).status, Status::Duplicate, "it is there already");
    let Step::Send(_) = host.done() else { panic!() };
    assert_eq!(host.offer(Kind::ReaderEpochStart, 0, 1, &[]).status, Status::Duplicate, "it has been there");
    host.assign();
    assert_eq!(host.done(), Step::AddSplits);
    host.assign();
    host.own(Kind::Barrier, 3);
    assert_eq!(host.done(), Step::AddSplits);
    assert_eq!(host.done(), Step::Snapshot(3));
    assert_eq!(ReaderMetadata::decode(&host.out).unwrap().applied, 2);
}

/// Whoever repeats the opening for as long as the owner does not look takes no more than one place of the reserve.
#[test]
fn copies_of_an_opening_do_not_exhaust_the_reserve() {
    let mut host = Host::new();
    host.open(1);
    for _ in 0..2000 {
        assert_eq!(host.offer(Kind::ReaderEpochStart, 0, 1, &[]).status, Status::Duplicate);
    }
    assert_eq!(host.reader.mailbox().commands(), 1);
    assert!(matches!(host.done(), Step::Send(_)));
}

/// Splits may be on their way, or with the enumerator: whoever ends before the end of the splits would lose them.
#[test]
fn an_end_of_the_input_before_the_end_of_the_splits_fails_the_reader() {
    let mut host = Host::idle();
    let _ = host.reader.available(host.turn);
    assert_eq!(host.done(), POLL);
    assert_eq!(host.polled(PollStatus::EndOfInput), Step::Terminal(Terminal::Failed));
    assert!(host.reader.failure().unwrap().contains("before it was told that no split will come"));
}

/// Splits that nobody would ever read are a failure, not a loss.
#[test]
fn splits_after_the_end_of_the_input_fail_the_reader() {
    let mut host = Host::idle();
    host.last_poll();
    assert!(matches!(host.polled(PollStatus::EndOfInput), Step::Send(_)));
    host.assign();
    assert_eq!(host.done(), Step::Terminal(Terminal::Failed));
    assert!(host.reader.failure().unwrap().contains("end of its input"));
}

#[test]
fn whoever_has_an_old_turn_is_not_in_the_owners_way() {
    let host = Host::idle();
    let owner = host.reader.owner.enter().unwrap();
    assert_eq!(host.reader.request_split(host.turn - 1), Err(NotOwner));
    drop(owner);
    assert_eq!(host.reader.request_split(host.turn), Ok(()));
}

#[test]
fn control_goes_before_sending_and_sending_before_polling() {
    let mut host = Host::idle();
    host.reader.request_split(host.turn).unwrap();
    host.assign();
    assert_eq!(host.done(), Step::AddSplits);
    assert_eq!(&host.out[8..], b"split");
    let Step::Send(_) = host.done() else { panic!() };
    let kinds: Vec<_> = host.sent().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [Kind::RequestSplit, Kind::CommandApplied]);
    assert_eq!(host.done(), POLL, "new splits are worth a poll by themselves");
}

#[test]
fn a_poll_waits_for_64_controls_at_most_and_a_control_for_one_poll() {
    let mut host = Host::idle();
    (0..200).for_each(|_| host.assign());
    let mut controls = 0;
    while host.done() == Step::AddSplits {
        controls += 1;
    }
    // After 64 in a row what is to be sent and polled gets its turn.
    assert_eq!(controls, 64);
    assert_eq!(host.done(), POLL);
    assert_eq!(host.polled(PollStatus::MoreAvailable), Step::AddSplits);
}

#[test]
fn everything_admitted_before_a_barrier_is_applied_before_its_snapshot() {
    let mut host = Host::idle();
    (0..100).for_each(|_| host.assign());
    host.own(Kind::Barrier, 5);
    host.assign();
    let mut applied = 0;
    loop {
        // The engine's barrier thread wants nothing emitted.
        match host.step(Outcome::Done, Allow::NoPoll) {
            Step::AddSplits => applied += 1,
            Step::Send(_) => {}
            step => break assert_eq!(step, Step::Snapshot(5)),
        }
    }
    assert_eq!(applied, 100);
    let metadata = ReaderMetadata::decode(&host.out).unwrap();
    assert_eq!((metadata.checkpoint, metadata.applied), (5, 100));
    assert_eq!(host.step(Outcome::Done, Allow::NoPoll), Step::AddSplits);
}

#[test]
fn no_more_splits_arms_a_poll_by_itself() {
    let mut host = Host::idle();
    let _ = host.offer(Kind::NoMoreSplits, 1, 1, &1_u64.to_le_bytes());
    assert_eq!(host.done(), Step::NoMoreSplits);
    while let Step::Send(_) = host.done() {}
    assert_eq!(host.polled(PollStatus::NothingAvailable), IN_THE_AIR);
    let _ = host.offer(Kind::NoMoreSplits, 2, 1, &1_u64.to_le_bytes());
    assert_ne!(host.done(), Step::NoMoreSplits, "the same generation says nothing new");
}

#[test]
fn availability_counts_for_its_own_turn_however_early_it_comes() {
    let mut host = Host::idle();
    let turn_of_poll = host.turn - 1;
    assert_eq!(host.reader.available(turn_of_poll - 1), Wake::Unpark);
    assert_eq!(host.done(), Step::Park(None), "an old completion wakes, and is no reason to poll");
    let _ = host.reader.available(u64::MAX);
    assert_eq!(host.done(), Step::Park(None), "a turn that was never granted says nothing");
    assert_eq!(host.reader.available(turn_of_poll), Wake::Unpark);
    assert_eq!(host.done(), POLL);
    let _ = host.reader.available(host.turn);
    assert_eq!(host.polled(PollStatus::NothingAvailable), POLL, "a completion before the outcome is not lost");
    assert_eq!(host.polled(PollStatus::NothingAvailable), Step::Park(None));
}

#[test]
fn a_foreign_turn_number_changes_nothing() {
    let mut host = Host::idle();
    host.assign();
    for turn in [0, host.turn - 1, host.turn + 1, u64::MAX] {
        let refused = host.reader.next(turn, Outcome::Failed, Allow::Everything, 0, &mut Vec::new());
        assert_eq!(refused, Err(Denied::NotOwner(NotOwner)));
        assert_eq!(host.reader.request_split(turn), Err(NotOwner));
    }
    assert_eq!(host.done(), Step::AddSplits);
}

#[test]
fn whoever_only_looks_does_not_disturb_the_owner() {
    let host = Host::idle();
    let state = host.reader.owner.enter().unwrap();
    let text = host.reader.describe();
    assert!(text.contains("step park"), "{text}");
    assert_eq!(host.reader.failure(), None);
    drop(state);
}

#[test]
fn nobody_polls_when_the_caller_does_not_want_it() {
    let mut host = Host::idle();
    let _ = host.reader.available(host.turn);
    assert_eq!(host.step(Outcome::Done, Allow::NoPoll), Step::Park(None));
    assert_eq!(host.done(), POLL);
}

#[test]
fn the_end_of_the_input_is_told_to_both_sides_once() {
    let mut host = Host::idle();
    host.last_poll();
    let Step::Send(flight) = host.polled(PollStatus::EndOfInput) else { panic!() };
    assert_eq!(host.sent()[0].0, Kind::ReaderFinished);
    host.accept(flight, 100);
    assert_eq!(host.step(Outcome::Done, Allow::NoPoll), Step::Park(None), "only the task's own thread may wait");
    assert_eq!(host.done(), Step::Finish);
    assert_eq!(host.done(), Step::Park(None));
    host.own(Kind::Barrier, 9);
    assert_eq!(host.done(), Step::Snapshot(9), "controls are still served");
    assert!(matches!(host.done(), Step::Send(_)));
    assert_eq!(host.done(), IN_THE_AIR);
}

#[test]
fn a_terminal_word_goes_before_a_queued_barrier() {
    let mut host = Host::idle();
    host.own(Kind::Barrier, 5);
    let _ = host.reader.terminate(Terminal::Cancelled);
    assert_eq!(host.done(), Step::Terminal(Terminal::Cancelled));
    assert_eq!(host.done(), Step::Terminal(Terminal::Cancelled), "and stays");
}

#[test]
fn a_failed_step_ends_the_reader() {
    let mut host = Host::idle();
    host.assign();
    assert_eq!(host.done(), Step::AddSplits);
    host.own(Kind::Barrier, 5);
    assert_eq!(host.step(Outcome::Failed, Allow::Everything), Step::Terminal(Terminal::Failed));
}

#[test]
fn a_gap_for_a_coming_barrier_lasts_5_ms_at_most_and_holds_no_control_back() {
    let mut host = Host::idle();
    let _ = host.reader.available(host.turn);
    let hint = |host: &Host, checkpoint: u64| {
        assert_eq!(host.offer(Kind::BarrierComing, 0, 1, &checkpoint.to_le_bytes()).status, Status::Accepted);
    };
    hint(&host, 7);
    host.now = SECOND;
    assert_eq!(host.done(), Step::Park(Some(SECOND + 5 * MILLI)));
    host.now += 4 * MILLI;
    (0..70).for_each(|_| host.assign());
    for _ in 0..70 {
        assert_eq!(host.done(), Step::AddSplits, "more than 64, because no poll is ready");
    }
    let Step::Send(_) = host.done() else { panic!() };
    assert_eq!(host.done(), Step::Park(Some(SECOND + 5 * MILLI)));
    host.now += MILLI;
    assert_eq!(host.done(), POLL);
    let again = Step::Park(Some(host.now + 5 * MILLI));
    assert_eq!(host.polled(PollStatus::MoreAvailable), again, "a gap after each turn until the barrier comes");
    host.own(Kind::Barrier, 7);
    assert_eq!(host.done(), Step::Snapshot(7));
    assert_eq!(host.done(), POLL);
    hint(&host, 8);
    let Step::Park(Some(_)) = host.polled(PollStatus::MoreAvailable) else { panic!() };
    host.own(Kind::CheckpointAborted, 8);
    assert_eq!(host.done(), Step::CheckpointAborted(8));
    assert_eq!(host.done(), POLL, "nothing is waited for any more");
}

#[test]
fn a_barrier_that_never_comes_slows_a_reader_for_a_second_only() {
    let mut host = Host::idle();
    let _ = host.reader.available(host.turn);
    let _ = host.offer(Kind::BarrierComing, 0, 1, &7_u64.to_le_bytes());
    host.now = SECOND;
    let mut step = host.done();
    let mut polls = 0;
    while let Step::Park(Some(until)) = step {
        host.now = until;
        assert_eq!(host.done(), POLL);
        polls += 1;
        step = host.polled(PollStatus::MoreAvailable);
    }
    assert_eq!((step, polls, host.now), (POLL, 200, 2 * SECOND));
}

/// A barrier that is said to come does not keep a reader awake that has nothing to poll.
#[test]
fn an_idle_reader_sleeps_on_though_a_barrier_is_coming() {
    let mut host = Host::idle();
    let _ = host.offer(Kind::BarrierComing, 0, 1, &7_u64.to_le_bytes());
    host.now = SECOND;
    assert_eq!(host.done(), Step::Park(None));
    let _ = host.reader.available(host.turn);
    assert_eq!(host.step(Outcome::Done, Allow::NoPoll), Step::Park(None));
}

/// The assignment can overtake the answer to the request: the next request is not the same one.
#[test]
fn a_request_after_the_last_one_has_left_is_sent() {
    let mut host = Host::idle();
    host.reader.request_split(host.turn).unwrap();
    host.reader.request_split(host.turn).unwrap();
    let Step::Send(flight) = host.done() else { panic!() };
    assert_eq!(host.sent().len(), 1, "two before it has left are one");
    host.assign();
    assert_eq!(host.done(), Step::AddSplits);
    host.reader.request_split(host.turn).unwrap();
    assert_eq!(host.done(), POLL);
    host.accept(flight, 3);
    let Step::Send(_) = host.polled(PollStatus::NothingAvailable) else { panic!() };
    assert!(host.sent().iter().any(|(kind, _)| *kind == Kind::RequestSplit));
}

/// The answer to a flight that is over cannot take the place of the one that is waited for.
#[test]
fn a_repeated_answer_displaces_nothing() {
    let mut host = Host::idle();
    host.reader.request_split(host.turn).unwrap();
    let Step::Send(first) = host.done() else { panic!() };
    host.accept(first, 3);
    host.reader.request_split(host.turn).unwrap();
    let Step::Send(second) = host.done() else { panic!() };
    host.accept(second, 4);
    let _ = host.reader.answer(first, Answer::LOST);
    host.reader.request_split(host.turn).unwrap();
    assert!(matches!(host.done(), Step::Send(_)), "the second answer has come");
}

#[test]
fn a_flight_that_is_never_answered_is_lost_at_last() {
    let mut host = Host::idle();
    host.reader.request_split(host.turn).unwrap();
    let Step::Send(flight) = host.done() else { panic!() };
    host.now += FLIGHT_NANOS;
    let Step::Park(Some(again)) = host.done() else { panic!() };
    host.now = again;
    assert!(matches!(host.done(), Step::Send(later) if later != flight));
}

/// Taken for done, the step's effect would be lost; the turn stays with its owner, who can say what is true.
#[test]
fn only_a_poll_ends_with_what_it_found() {
    let mut host = Host::idle();
    host.own(Kind::Barrier, 5);
    assert_eq!(host.done(), Step::Snapshot(5));
    let outcome = Outcome::Polled(PollStatus::NothingAvailable);
    let denied = host.reader.next(host.turn, outcome, Allow::Everything, host.now, &mut host.out);
    assert_eq!(denied, Err(Denied::Outcome("snapshot")));
    assert!(matches!(host.done(), Step::Send(_)), "the report of the snapshot");
    let failed = Host::new().reader.next(0, Outcome::Failed, Allow::Everything, 0, &mut Vec::new());
    assert_eq!(failed, Err(Denied::Outcome("none")));
}

#[test]
fn a_host_that_says_no_more_than_done_gets_another_poll() {
    let mut host = Host::idle();
    let _ = host.reader.available(host.turn);
    assert_eq!(host.done(), POLL);
    assert_eq!(host.done(), POLL);
}

#[test]
fn a_closed_reader_serves_what_it_has_and_ends() {
    let mut host = Host::idle();
    let _ = host.reader.available(host.turn);
    host.own(Kind::CheckpointComplete, 3);
    let _ = host.reader.close();
    assert_eq!(host.done(), Step::CheckpointComplete(3));
    assert_eq!(host.done(), Step::Closed, "not a poll");
    assert_eq!(host.done(), Step::Closed);
}
