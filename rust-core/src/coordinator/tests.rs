// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the host of an enumerator may rely on.

use super::*;
use crate::command::envelope::{self, Header};
use crate::command::payload::{self, Registration};
use crate::command::{CommandId, Kind, batch};
use crate::loops::Denied;
use crate::mailbox::{Reason, Status};
use crate::metadata::{Channel, CoordinatorMetadata, Identity, ReaderMetadata};
use crate::outbound::FLIGHT_NANOS;

const COORDINATOR: Attempt = Attempt(200);
const READER: Attempt = Attempt(100);
/// Nothing to do until a flight of time 0 is lost.
const IN_THE_AIR: Step = Step::Park(Some(FLIGHT_NANOS));

struct Host {
    coordinator: Coordinator,
    turn: u64,
    now: u64,
    sequence: u64,
    out: Vec<u8>,
}

fn list(splits: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    payload::encode_splits(splits.chunks(1), &mut bytes).unwrap();
    bytes
}

impl Host {
    fn new(parallelism: u32) -> Self {
        let limits = Limits { max_payload: 64, ..Limits::default() };
        let config = CoordinatorConfig {
            job: 1,
            runtime: RuntimeId(1),
            attempt: COORDINATOR,
            epoch: Epoch(1),
            parallelism,
            digest: [7; 32],
            limits,
            tracker: TrackerLimits { max_entries: 100, max_bytes: 4096 },
            seed: 1,
        };
        let coordinator = Coordinator::new(config, Arc::new(WorkerBudget::new(1 << 30))).unwrap();
        Self { coordinator, turn: 0, now: 0, sequence: 0, out: Vec::new() }
    }

    /// An enumerator that runs and has no reader yet.
    fn running(parallelism: u32) -> Self {
        let mut host = Self::new(parallelism);
        host.own(Kind::OpenEnumerator, None);
        host.own(Kind::RunEnumerator, None);
        assert_eq!([host.done(), host.done(), host.done()], [Step::Open, Step::Run, Step::Park(None)]);
        host
    }

    /// ... and whose one reader is ready.
    fn ready() -> Self {
        let mut host = Self::running(1);
        host.register(READER, 1);
        assert_eq!(host.done(), Step::Connect(0));
        let Step::Send(0, flight) = host.done() else { panic!() };
        host.accept(flight, 0);
        assert_eq!([host.done(), host.done()], [Step::RegisterReader(0), Step::Park(None)]);
        host.hear(Kind::CommandApplied, &0_u64.to_le_bytes());
        assert_eq!(host.done(), Step::Park(None));
        host
    }

    fn step(&mut self, outcome: Outcome) -> Step {
        let granted = self.coordinator.next(self.turn, outcome, (), self.now, &mut self.out).unwrap();
        self.turn = granted.turn;
        granted.step
    }

    fn done(&mut self) -> Step {
        self.step(Outcome::Done)
    }

    fn own(&self, kind: Kind, number: Option<u64>) {
        let payload = number.map_or(Vec::new(), |number| number.to_le_bytes().to_vec());
        assert_eq!(self.coordinator.offer_own(kind, &payload, 0).status, Status::Accepted);
    }

    fn answer(&self, flight: u8, status: Status, expected: u64) {
        let _ = self.coordinator.answer(0, flight, Answer { status, reason: Reason::None, expected });
    }

    fn accept(&self, flight: u8, expected: u64) {
        self.answer(flight, Status::Accepted, expected);
    }

    fn offer(&self, kind: Kind, sender: Attempt, sequence: u64, payload: &[u8]) -> Status {
        let (runtime, target, epoch) = (RuntimeId(1), COORDINATOR, Epoch(if sequence > 0 { 1 } else { 0 }));
        let (id, cut) = (CommandId(u128::from(sequence)), 0);
        let header = Header { kind, subtask: 0, job: 1, runtime, sender, target, epoch, sequence, id, cut };
        let mut bytes = Vec::new();
        envelope::encode(&header, payload, &mut bytes).unwrap();
        self.coordinator.offer(&bytes, 0).status
    }

    fn hear(&mut self, kind: Kind, payload: &[u8]) {
        self.sequence += 1;
        assert_eq!(self.offer(kind, READER, self.sequence, payload), Status::Accepted);
    }

    fn report(&mut self, checkpoint: u64, applied: u64) {
        self.hear(Kind::ReaderCheckpointReport, &[checkpoint.to_le_bytes(), applied.to_le_bytes()].concat());
    }

    fn register_with(&self, sender: Attempt, created_millis: u64, digest: [u8; 32]) {
        let mut bytes = Vec::new();
        let registration = Registration { digest: &digest, created_millis, address: b"there" };
        payload::encode_registration(&registration, &mut bytes).unwrap();
        assert_eq!(self.offer(Kind::RegisterReader, sender, 0, &bytes), Status::Accepted);
    }

    fn register(&self, sender: Attempt, created_millis: u64) {
        self.register_with(sender, created_millis, [7; 32]);
    }

    fn assign(&self, splits: &[u8]) {
        self.coordinator.assign(self.turn, 0, &list(splits)).unwrap();
    }

    /// Takes the snapshot that is ordered next; its metadata.
    fn snapshot(&mut self, checkpoint: u64) -> CoordinatorMetadata {
        self.own(Kind::Barrier, Some(checkpoint));
        assert_eq!(self.done(), Step::Snapshot(checkpoint));
        CoordinatorMetadata::decode(&self.coordinator.snapshot(self.turn, 1, b"state").unwrap()).unwrap()
    }

    /// The commands in the batch of the last step.
    fn sent(&self) -> Vec<(Kind, u64)> {
        let mut rest = self.out.as_slice();
        std::iter::from_fn(|| batch::next(&mut rest).unwrap())
            .map(|bytes| envelope::decode(bytes).unwrap().header)
            .map(|header| (header.kind, header.cut))
            .collect()
    }

    /// The source fails because of the reader that has just registered, which hears why.
    fn refuses(&mut self, why: &str) {
        assert_eq!(self.done(), Step::Connect(0));
        assert_eq!(self.done(), Step::Failed);
        assert!(String::from_utf8_lossy(&self.out).contains(why));
        self.tells(why);
    }

    /// The reader that has just been connected gets its channel and the cause of the failure.
    fn tells(&mut self, why: &str) {
        let Step::Send(0, flight) = self.done() else { panic!() };
        assert_eq!(self.sent()[0].0, Kind::ReaderEpochStart);
        self.accept(flight, 0);
        let Step::Send(0, flight) = self.done() else { panic!() };
        assert_eq!(self.sent()[0].0, Kind::SourceFailed);
        assert!(String::from_utf8_lossy(&self.out).contains(why));
        self.accept(flight, 0);
        assert_eq!(self.done(), Step::Park(None), "once");
    }

    /// Does what is asked for until nothing is, taking every command; what was sent.
    fn settle(&mut self, expected: u64) -> Vec<(Kind, u64)> {
        let mut sent = Vec::new();
        loop {
            match self.done() {
                Step::Send(0, flight) => {
                    sent.extend(self.sent());
                    self.accept(flight, expected);
                }
                Step::Park(_) => return sent,
                _ => {}
            }
        }
    }
}

#[test]
fn what_is_sent_after_a_snapshot_waits_for_the_readers_snapshot() {
    let mut host = Host::ready();
    host.assign(&[1]);
    assert_eq!(host.settle(2), [(Kind::AssignSplits, 0)]);
    host.snapshot(5);
    // Already behind the cut, though the step is not over yet.
    host.assign(&[2]);
    host.coordinator.no_more_splits(host.turn, 0).unwrap();
    assert_eq!(host.settle(2), [(Kind::BarrierComing, 5)]);
    host.report(5, 1);
    assert_eq!(host.settle(4), [(Kind::AssignSplits, 5), (Kind::NoMoreSplits, 5)], "in order");
}

#[test]
fn an_aborted_snapshot_holds_nothing_back_and_leaves_the_cut_before() {
    let mut host = Host::ready();
    host.snapshot(5);
    host.report(5, 0);
    host.own(Kind::CheckpointComplete, Some(5));
    host.settle(0);
    host.snapshot(6);
    host.assign(&[2]);
    host.settle(0);
    host.own(Kind::CheckpointAborted, Some(6));
    // A reader that was never told of 6 has passed 5.
    assert_eq!(host.settle(2), [(Kind::AssignSplits, 5)]);
}

#[test]
fn a_reader_that_registers_between_two_snapshots_of_a_cut_gets_nothing_before_its_own() {
    let mut host = Host::running(1);
    host.assign(&[1]);
    let metadata = host.snapshot(5);
    assert_eq!(metadata.assignments.len(), 1);
    assert_eq!(metadata.assignments[0].sent, None, "assigned to nobody yet: it goes back after a restore");
    host.register(READER, 1);
    assert_eq!(host.settle(0), [(Kind::ReaderEpochStart, 0)], "the reader has not passed 5");
    host.hear(Kind::CommandApplied, &0_u64.to_le_bytes());
    assert_eq!(host.settle(0), []);
    host.report(5, 0);
    assert_eq!(host.settle(2), [(Kind::AssignSplits, 5)]);
}

#[test]
fn an_assignment_to_a_reader_that_is_not_ready_is_held_and_sent_when_it_is() {
    let mut host = Host::running(1);
    host.assign(&[1]);
    host.register(READER, 1);
    assert_eq!(host.settle(0), [(Kind::ReaderEpochStart, 0)]);
    host.assign(&[2]);
    assert_eq!(host.settle(0), []);
    host.hear(Kind::CommandApplied, &0_u64.to_le_bytes());
    assert_eq!(host.settle(3), [(Kind::AssignSplits, 0), (Kind::AssignSplits, 0)]);
}

/// The late registration of a reader that is gone does not cost the life of the one that is there.
#[test]
fn a_registration_from_an_earlier_life_is_forgotten_or_replaced() {
    for answered in [true, false] {
        let mut host = Host::running(1);
        host.assign(&[1]);
        host.register(Attempt(99), 1);
        assert_eq!(host.done(), Step::Connect(0));
        let Step::Send(0, flight) = host.done() else { panic!() };
        if answered {
            host.answer(flight, Status::StaleTarget, 0);
        }
        let parked = if answered { Step::Park(None) } else { IN_THE_AIR };
        assert_eq!([host.done(), host.done()], [Step::RegisterReader(0), parked]);
        host.register(READER, 2);
        assert_eq!(host.done(), Step::Connect(0));
        host.answer(flight, Status::StaleTarget, 0);
        assert_eq!(host.settle(0), [(Kind::ReaderEpochStart, 0)], "the connector is not told twice");
        host.hear(Kind::CommandApplied, &0_u64.to_le_bytes());
        assert_eq!(host.settle(2), [(Kind::AssignSplits, 0)]);
    }
}

#[test]
fn a_ready_reader_that_is_replaced_fails_the_source_and_an_older_one_is_ignored() {
    let mut host = Host::ready();
    host.register(Attempt(99), 1);
    assert_eq!(host.done(), Step::Park(None));
    host.register(Attempt(101), 2);
    host.refuses("was replaced");
}

#[test]
fn another_connector_version_fails_the_source_by_name() {
    let mut host = Host::running(1);
    host.register_with(READER, 1, [8; 32]);
    host.refuses("install the same connector");
}

/// Otherwise it would wait for its channel, and give up with a cause that is none.
#[test]
fn a_reader_that_comes_when_the_source_has_failed_is_told_why() {
    let mut host = Host::running(1);
    host.own(Kind::Barrier, Some(1));
    assert_eq!(host.done(), Step::Snapshot(1));
    assert_eq!(host.step(Outcome::Failed("the directory is gone".to_owned())), Step::Failed);
    assert_eq!(host.done(), Step::Park(None), "nobody is there");
    host.register(READER, 1);
    assert_eq!(host.done(), Step::Connect(0));
    host.tells("the directory is gone");
}

#[test]
fn a_flight_that_is_never_answered_is_lost_at_last() {
    let mut host = Host::ready();
    host.assign(&[1]);
    let Step::Send(0, flight) = host.done() else { panic!() };
    assert_eq!(host.done(), IN_THE_AIR);
    host.now = FLIGHT_NANOS;
    let Step::Park(Some(again)) = host.done() else { panic!() };
    host.now = again;
    assert!(matches!(host.done(), Step::Send(0, later) if later != flight));
    host.accept(flight, 2);
    assert_eq!(host.done(), Step::Park(Some(again + FLIGHT_NANOS)), "its answer comes too late");
}

/// What a host says of the wrong step would be lost, and with it the reason why nothing goes on.
#[test]
fn only_a_step_can_fail() {
    let host = Host::new(1);
    let failed = host.coordinator.next(0, Outcome::Failed("too early".to_owned()), (), 0, &mut Vec::new());
    assert_eq!(failed, Err(Denied::Outcome("none")));
    assert!(host.coordinator.next(0, Outcome::Done, (), 0, &mut Vec::new()).is_ok(), "nothing has changed");
}

#[test]
fn a_failure_is_told_to_readers_in_a_size_that_fits_them() {
    let mut host = Host::ready();
    let long = "ä".repeat(100_000);
    assert_eq!(host.step(Outcome::Failed(long)), Step::Failed);
    let Step::Send(0, flight) = host.done() else { panic!() };
    assert_eq!(host.sent(), [(Kind::SourceFailed, 0)]);
    assert!(host.out.len() < 4096);
    // A reader that cannot be reached is not asked for ever.
    host.answer(flight, Status::StaleTarget, 0);
    assert_eq!(host.done(), Step::Park(None));
}

#[test]
fn an_assignment_is_all_or_nothing() {
    let mut host = Host::ready();
    let assign = |host: &Host, count: usize| host.coordinator.assign(host.turn, 0, &list(&vec![1; count]));
    assert!(assign(&host, 90).is_ok());
    assert!(!host.coordinator.has_assignment_capacity(host.turn).unwrap());
    assert!(matches!(assign(&host, 11), Err(AssignError::TrackerFull { more: 11, entries: 90, .. })));
    assert_eq!(assign(&host, 10), Ok(()));
    // 64 bytes hold 12 splits of 1 byte.
    assert_eq!(host.settle(0).len(), 9);
    let mut large = Vec::new();
    payload::encode_splits([&[0; 57][..]].into_iter(), &mut large).unwrap();
    let refused = host.coordinator.assign(host.turn, 0, &large);
    assert_eq!(refused, Err(AssignError::SplitTooLarge { bytes: 57, max: 56 }));
    assert!(matches!(host.coordinator.assign(host.turn, 1, &list(&[1])), Err(AssignError::Subtask { .. })));
    host.coordinator.no_more_splits(host.turn, 0).unwrap();
    assert_eq!(assign(&host, 1), Err(AssignError::AfterNoMoreSplits(0)));
    assert_eq!(host.coordinator.assign(host.turn + 1, 0, &list(&[1])), Err(AssignError::NotOwner(NotOwner)));
}

#[test]
fn a_completed_checkpoint_empties_the_tracker_in_whatever_order_its_news_come() {
    for report_first in [true, false] {
        let mut host = Host::ready();
        host.assign(&[1, 2, 3]);
        host.settle(2);
        host.snapshot(5);
        host.settle(0);
        if report_first {
            host.report(5, 1);
        }
        host.own(Kind::CheckpointComplete, Some(5));
        host.settle(0);
        if !report_first {
            host.report(5, 1);
            host.settle(0);
        }
        assert_eq!(host.snapshot(6).assignments, []);
    }
}

#[test]
fn a_reader_that_has_ended_gets_nothing_more() {
    let mut host = Host::ready();
    host.hear(Kind::ReaderFinished, &[]);
    assert_eq!(host.settle(0), []);
    assert_eq!(host.coordinator.assign(host.turn, 0, &list(&[1])), Err(AssignError::AfterEnd(0)));
    host.coordinator.no_more_splits(host.turn, 0).unwrap();
    assert_eq!(host.settle(0), []);
}

#[test]
fn no_more_splits_is_said_once() {
    let mut host = Host::ready();
    (0..2000).for_each(|_| host.coordinator.no_more_splits(host.turn, 0).unwrap());
    assert_eq!(host.settle(2), [(Kind::NoMoreSplits, 0)]);
}

/// The answer to the last command is lost; what the reader says of it itself counts as well, in whatever order the
/// two become known.
#[test]
fn a_reader_that_has_applied_everything_and_gone_is_not_missed() {
    for said_before in [true, false] {
        let mut host = Host::ready();
        host.coordinator.no_more_splits(host.turn, 0).unwrap();
        let Step::Send(0, flight) = host.done() else { panic!() };
        assert_eq!(host.done(), IN_THE_AIR);
        if said_before {
            host.hear(Kind::CommandApplied, &1_u64.to_le_bytes());
            assert_eq!(host.done(), IN_THE_AIR);
            host.answer(flight, Status::TerminalRejected, 0);
        } else {
            host.answer(flight, Status::TerminalRejected, 0);
            host.hear(Kind::CommandApplied, &1_u64.to_le_bytes());
        }
        assert_eq!(host.done(), Step::Park(None), "{said_before}");
    }
    let mut host = Host::ready();
    host.assign(&[1]);
    let Step::Send(0, flight) = host.done() else { panic!() };
    host.answer(flight, Status::TerminalRejected, 0);
    assert_eq!(host.done(), Step::Failed, "a split that nobody has is missed");
}

/// A slow sink is no reason to end a source: a full mailbox is somebody who is there.
#[test]
fn back_pressure_fails_no_source() {
    let mut host = Host::ready();
    host.assign(&[1]);
    for _ in 0..300 {
        let Step::Send(0, flight) = host.done() else { panic!() };
        let full = Answer { status: Status::RetryLater, reason: Reason::Commands, expected: 1 };
        let _ = host.coordinator.answer(0, flight, full);
        let Step::Park(Some(until)) = host.done() else { panic!("at {}", host.now) };
        host.now = until;
    }
    assert!(host.now > 120_000_000_000, "two minutes");
    assert_eq!(host.settle(2), [(Kind::AssignSplits, 0)]);
}

#[test]
fn a_restored_source_gives_back_before_it_runs_and_fences_the_life_before() {
    let mut first = Host::ready();
    first.assign(&[1]);
    first.settle(2);
    first.assign(&[2]);
    assert!(matches!(first.done(), Step::Send(0, _)), "on its way");
    first.snapshot(5);
    let blob = first.coordinator.snapshot(first.turn, 3, b"state").unwrap();
    let channel = Some(Channel { coordinator: COORDINATOR, epoch: Epoch(1), reader: READER });
    let identity = Identity::managed([7; 32]);
    let reader = ReaderMetadata { identity, checkpoint: 5, channel, applied: 1, no_more_splits_generation: 0 };
    let reader = reader.encode().unwrap();

    let mut host = Host::new(1);
    let state = host.coordinator.restore(&blob).unwrap();
    assert_eq!((state.version, state.bytes), (3, b"state".to_vec()));
    host.coordinator.restore_reader(0, &reader, &list(&[1])).unwrap();
    host.register(Attempt(300), 2);
    assert_eq!(host.done(), Step::Connect(0));
    let Step::Send(0, _) = host.done() else { panic!() };
    let bytes = batch::next(&mut host.out.as_slice()).unwrap().unwrap().to_vec();
    assert_eq!(envelope::decode(&bytes).unwrap().header.epoch, Epoch(2));
    let _ = host.coordinator.post(77);
    assert_eq!(host.done(), IN_THE_AIR, "the connector is not called before it is opened");
    host.own(Kind::RunEnumerator, None);
    host.own(Kind::OpenEnumerator, None);
    assert_eq!(host.done(), Step::Open);
    assert_eq!((host.done(), host.out.clone()), (Step::AddSplitsBack(0), list(&[1])));
    assert_eq!((host.done(), host.out.clone()), (Step::AddSplitsBack(0), list(&[2])));
    assert_eq!([host.done(), host.done(), host.done()], [Step::RegisterReader(0), Step::Run, Step::Mail(77)]);
    assert!(
        host.coordinator.restore(&blob).is_err() && host.coordinator.restore_reader(0, &reader, &list(&[])).is_err()
    );
}

/// The engine calls no enumerator by itself: whoever ends without a word would leave its readers waiting.
#[test]
fn readers_hear_of_an_exhausted_reserve() {
    let mut host = Host::ready();
    host.assign(&[1]);
    let Step::Send(0, flight) = host.done() else { panic!() };
    let _ = host.coordinator.terminate(Terminal::ReserveExhausted);
    assert_eq!(host.done(), Step::Failed);
    assert!(String::from_utf8_lossy(&host.out).contains("reserve"));
    assert_eq!(host.done(), IN_THE_AIR, "its last batch is in the air");
    host.accept(flight, 2);
    let Step::Send(0, flight) = host.done() else { panic!() };
    assert_eq!(host.sent(), [(Kind::SourceFailed, 0)]);
    assert_eq!(host.done(), IN_THE_AIR);
    host.accept(flight, 2);
    assert_eq!(host.done(), Step::Terminal(Terminal::ReserveExhausted));
}

/// Engine 2.3.8 can store a checkpoint without the part of a reader.
#[test]
fn a_checkpoint_without_the_part_of_a_reader_is_refused() {
    let mut first = Host::ready();
    first.snapshot(5);
    let blob = first.coordinator.snapshot(first.turn, 1, b"state").unwrap();
    let mut host = Host::new(1);
    host.coordinator.restore(&blob).unwrap();
    host.own(Kind::OpenEnumerator, None);
    assert_eq!([host.done(), host.done()], [Step::Open, Step::Failed]);
    assert!(String::from_utf8_lossy(&host.out).contains("checkpoint 5 lacks the state of 1 readers"));
    // A reader that had ended may be gone.
    let mut first = Host::ready();
    first.hear(Kind::ReaderFinished, &[]);
    first.settle(0);
    first.snapshot(5);
    let blob = first.coordinator.snapshot(first.turn, 1, b"state").unwrap();
    let mut host = Host::new(1);
    host.coordinator.restore(&blob).unwrap();
    host.own(Kind::OpenEnumerator, None);
    assert_eq!([host.done(), host.done()], [Step::Open, Step::Park(None)]);
}

#[test]
fn barriers_and_notices_wait_until_the_enumerator_runs() {
    let mut host = Host::new(1);
    host.own(Kind::CheckpointComplete, Some(2));
    host.own(Kind::Barrier, Some(3));
    assert!(matches!(host.done(), Step::Park(_)));
    host.own(Kind::OpenEnumerator, None);
    host.own(Kind::RunEnumerator, None);
    assert_eq!(host.done(), Step::Open);
    assert_eq!(host.done(), Step::Run);
    assert_eq!(host.done(), Step::CheckpointComplete(2));
    assert_eq!(host.done(), Step::Snapshot(3));
}

#[test]
fn a_job_without_checkpoints_remembers_only_what_is_on_its_way() {
    let mut host = Host::ready();
    for sequence in 1..=1000_u64 {
        host.assign(&[1]);
        let Step::Send(0, flight) = host.done() else { panic!() };
        host.accept(flight, sequence + 1);
        assert!(matches!(host.done(), Step::Park(_)));
        host.hear(Kind::CommandApplied, &sequence.to_le_bytes());
        assert!(matches!(host.done(), Step::Park(_)));
    }
    assert!(host.coordinator.has_assignment_capacity(host.turn).unwrap());
}

#[test]
fn a_mail_waits_for_64_controls_at_most() {
    let mut host = Host::ready();
    let _ = host.coordinator.post(9);
    (0..200).for_each(|i| host.own(Kind::CheckpointComplete, Some(1000 + i)));
    let mut controls = 0;
    while let Step::CheckpointComplete(_) = host.done() {
        controls += 1;
    }
    assert_eq!(controls, 64);
    assert!(matches!(host.done(), Step::CheckpointComplete(_)));
}

#[test]
fn whoever_only_looks_does_not_disturb_the_owner() {
    let host = Host::ready();
    let state = host.coordinator.owner.enter().unwrap();
    assert!(host.coordinator.describe().contains("step park"));
    drop(state);
}

#[test]
fn a_snapshot_is_taken_in_its_step_only() {
    let host = Host::ready();
    assert!(host.coordinator.snapshot(host.turn, 1, b"").is_err());
}
