// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the owner of a reader's loop remembers from turn to turn.

use super::{Allow, Outcome, PollStatus, ReaderConfig, Step};
use crate::command::batch::Answer;
use crate::command::envelope::Header;
use crate::command::payload::{self, Payload, Registration};
use crate::command::{Attempt, DecodeError, Epoch, Kind, Order};
use crate::mailbox::{Mailbox, Taken, Terminal};
use crate::metadata::{Channel, Identity, ReaderMetadata};
use crate::outbound::{ChannelError, From, Inbox, Outbound, To};

/// Controls in a row after which a ready poll turn runs.
const CONTROLS_IN_A_ROW: u32 = 64;

/// How long a busy reader leaves the checkpoint lock alone for a barrier that is on its way.
const BARRIER_GAP_NANOS: u64 = 5_000_000;

/// How long a hint is believed: a barrier that has not come by then is lost, and the reader must not crawl for ever.
const BARRIER_PATIENCE_NANOS: u64 = 1_000_000_000;

/// How long the coordinator has to open its channel after it has taken the registration.
const OPENING_DEADLINE_NANOS: u64 = 30_000_000_000;

/// How far the reader has got to know its coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registering {
    /// The registration has not been taken yet.
    Asking,
    /// Taken at this time; the coordinator will open its channel.
    Taken(u64),
    /// The channel is open.
    Open,
}

/// Where the life of a reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// Polls.
    Running,
    /// The input has ended; the engine is to be told.
    Ended,
    /// The engine was told; controls are still served.
    Draining,
}

/// Why a reader fails by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("the coordinator cannot be reached: {0}")]
    Channel(#[from] ChannelError),
    #[error("the coordinator took the registration but has not opened its channel for 30 s")]
    NotOpened,
    #[error("a command cannot be written: {0}")]
    Encode(#[from] DecodeError),
    #[error("the connector reported the end of its input before it was told that no split will come any more")]
    EarlyEnd,
    #[error("splits came after the connector had reported the end of its input: it must wait for no-more-splits")]
    AfterEnd,
}

/// Ends the reader; the step that says so.
pub(super) fn fail(mailbox: &Mailbox, failure: &Failure) -> Step {
    let _ = mailbox.fail(&failure.to_string());
    Step::Terminal(mailbox.terminal().unwrap_or(Terminal::Failed))
}

/// What the loop's owner remembers.
#[derive(Debug)]
pub struct State {
    config: ReaderConfig,
    life: Life,
    registering: Registering,
    outbound: Outbound,
    channel: Option<Channel>,
    /// The last checkpoint snapshotted here; 0 if none.
    cut: u64,
    applied: u64,
    applied_told: u64,
    no_more_splits_generation: u64,
    controls_in_a_row: u32,
    armed: bool,
    /// The turn after which the connector promised to say when polling may be worth it again.
    waiting_for: Option<u64>,
    /// The barrier that is waited for.
    gap: Option<Gap>,
    /// Until when the poll turn that is due waits for it.
    held_until: Option<u64>,
}

/// A barrier that is said to come.
#[derive(Clone, Copy, Debug)]
struct Gap {
    checkpoint: u64,
    /// When a poll turn first waited for it.
    first: u64,
    /// When the poll turn that is due began to wait for it.
    since: Option<u64>,
}

impl State {
    pub(super) fn new(config: ReaderConfig) -> Self {
        let from = From { job: config.job, runtime: config.runtime, sender: config.attempt, subtask: config.subtask };
        let mut outbound = Outbound::new(from, config.seed);
        // The coordinator's attempt and epoch are not known yet: its registry finds it by the runtime id.
        let anybody = To { target: Attempt(0), epoch: Epoch(0) };
        outbound.lead(anybody, Kind::RegisterReader, 0, &registration(&config));
        Self {
            life: Life::Running,
            registering: Registering::Asking,
            outbound,
            channel: None,
            cut: 0,
            applied: 0,
            applied_told: 0,
            no_more_splits_generation: 0,
            controls_in_a_row: 0,
            armed: false,
            waiting_for: None,
            gap: None,
            held_until: None,
            config,
        }
    }

    /// Takes note of how the step of this turn went.
    pub(super) fn report(&mut self, turn: u64, step: Step, outcome: Outcome, mailbox: &Mailbox) {
        match (step, outcome) {
            (_, Outcome::Failed) => {
                let _ = mailbox.terminate(Terminal::Failed);
            }
            (Step::Snapshot(checkpoint), Outcome::Done) => {
                mailbox.pass_cut(checkpoint);
                self.cut = self.cut.max(checkpoint);
                let mut report = [0; 16];
                report[..8].copy_from_slice(&checkpoint.to_le_bytes());
                report[8..].copy_from_slice(&self.applied.to_le_bytes());
                self.outbound.push(Kind::ReaderCheckpointReport, self.cut, &report);
            }
            (Step::Poll(_), Outcome::Polled(PollStatus::EndOfInput)) if self.no_more_splits_generation == 0 => {
                let _ = fail(mailbox, &Failure::EarlyEnd);
            }
            (Step::Poll(_), Outcome::Polled(status)) => self.polled(turn, status),
            // A host that does not say how its poll turn went gets another one: too many are harmless.
            (Step::Poll(_) | Step::AddSplits | Step::NoMoreSplits, Outcome::Done) => self.armed = true,
            (Step::Finish, Outcome::Done) => self.life = Life::Draining,
            _ => {}
        }
    }

    fn polled(&mut self, turn: u64, status: PollStatus) {
        match status {
            PollStatus::MoreAvailable => self.armed = true,
            PollStatus::NothingAvailable => self.waiting_for = Some(turn),
            PollStatus::EndOfInput => {
                self.life = Life::Ended;
                self.outbound.push(Kind::ReaderFinished, self.cut, &[]);
            }
        }
    }

    /// Takes note of the step that begins a turn.
    pub(super) fn grant(&mut self, step: Step) {
        match step {
            Step::Poll(_) => {
                // The lock's monitor is unfair: each poll turn that the barrier has to wait for is followed by a gap.
                self.gap = self.gap.map(|gap| Gap { since: None, ..gap });
                self.armed = false;
                self.waiting_for = None;
                self.controls_in_a_row = 0;
            }
            Step::Park(_) => self.controls_in_a_row = 0,
            _ => {}
        }
    }

    pub(super) fn request_split(&mut self) {
        if !self.outbound.holds_back(Kind::RequestSplit) {
            self.outbound.push(Kind::RequestSplit, self.cut, &[]);
        }
    }

    pub(super) fn may_poll(&mut self, available: u64) -> bool {
        if self.waiting_for.is_some_and(|turn| available >= turn) {
            self.waiting_for = None;
            self.armed = true;
        }
        self.held_until = None;
        self.armed && self.life == Life::Running && self.registering == Registering::Open
    }

    pub(super) fn poll(&self) -> Step {
        Step::Poll(self.config.poll)
    }

    pub(super) fn controls_had_their_turn(&self) -> bool {
        self.controls_in_a_row >= CONTROLS_IN_A_ROW
    }

    pub(super) fn must_finish(&self, allow: Allow) -> bool {
        // A caller that does not want polls is not the task's own thread, which alone may wait for the engine.
        self.life == Life::Ended && allow == Allow::Everything
    }

    /// Whether the poll turn that is due should wait for a barrier instead.
    pub(super) fn leaves_gap(&mut self, barrier_coming: Option<u64>, now: u64) -> bool {
        self.held_until = None;
        let Some(checkpoint) = barrier_coming else { return false };
        let known = self.gap.filter(|gap| gap.checkpoint == checkpoint);
        let first = known.map_or(now, |gap| gap.first);
        let since = known.and_then(|gap| gap.since).unwrap_or(now);
        self.gap = Some(Gap { checkpoint, first, since: Some(since) });
        let until = since.saturating_add(BARRIER_GAP_NANOS).min(first.saturating_add(BARRIER_PATIENCE_NANOS));
        self.held_until = (now < until).then_some(until);
        self.held_until.is_some()
    }

    /// When the loop wants to be called again though nobody wakes it.
    pub(super) fn due(&self) -> Option<u64> {
        let opening = match self.registering {
            Registering::Taken(since) => Some(since.saturating_add(OPENING_DEADLINE_NANOS)),
            _ => None,
        };
        [opening, self.outbound.due(), self.held_until].into_iter().flatten().min()
    }

    /// Takes the answer that has come in, if one has, or will not come any more.
    pub(super) fn settle(&mut self, answers: &Inbox, now: u64) -> Result<(), Failure> {
        let lost = || self.outbound.overdue(now).map(|flight| (flight, Answer::LOST));
        if let Some((flight, answer)) = answers.take().or_else(lost) {
            let taken = self.outbound.settle(flight, answer, now)?;
            if taken == Some(Kind::RegisterReader) && self.registering == Registering::Asking {
                self.registering = Registering::Taken(now);
            }
        }
        match self.registering {
            Registering::Taken(since) if now.saturating_sub(since) >= OPENING_DEADLINE_NANOS => Err(Failure::NotOpened),
            _ => Ok(()),
        }
    }

    /// The next thing to send, if there is one.
    pub(super) fn next_send(&mut self, now: u64, out: &mut Vec<u8>) -> Result<Option<Step>, Failure> {
        if self.applied > self.applied_told && !self.outbound.holds(Kind::CommandApplied) {
            self.tell_applied();
        }
        Ok(self.outbound.send(now, out)?.map(|departure| match departure.kind {
            Kind::RegisterReader => Step::Register(departure.flight),
            _ => Step::Send(departure.flight),
        }))
    }

    fn tell_applied(&mut self) {
        self.applied_told = self.applied;
        self.outbound.push(Kind::CommandApplied, self.cut, &self.applied.to_le_bytes());
    }

    /// Takes ordered controls until one needs the host.
    pub(super) fn next_control(&mut self, mailbox: &Mailbox, out: &mut Vec<u8>) -> Option<Step> {
        while let Some(taken) = mailbox.take(out) {
            self.controls_in_a_row += 1;
            if let Some(step) = self.apply(&taken, mailbox, out) {
                return Some(step);
            }
        }
        None
    }

    fn apply(&mut self, taken: &Taken, mailbox: &Mailbox, out: &mut Vec<u8>) -> Option<Step> {
        let header = &taken.header;
        if header.kind.order() == Order::Sequenced {
            self.applied = header.sequence;
        }
        let step = match (header.kind, payload::decode(header.kind, out).ok()?) {
            (Kind::ReaderEpochStart, _) => {
                self.open_channel(header, mailbox);
                return None;
            }
            (Kind::AssignSplits, Payload::Splits(_)) if self.life == Life::Running => Step::AddSplits,
            (Kind::AssignSplits, _) => return Some(fail(mailbox, &Failure::AfterEnd)),
            (Kind::NoMoreSplits, Payload::Number(generation)) => {
                if generation <= self.no_more_splits_generation {
                    return None;
                }
                self.no_more_splits_generation = generation;
                Step::NoMoreSplits
            }
            (Kind::Barrier, Payload::Number(checkpoint)) => self.snapshot(checkpoint, out)?,
            (Kind::CheckpointComplete, Payload::Number(checkpoint)) => {
                mailbox.pass_cut(checkpoint);
                Step::CheckpointComplete(checkpoint)
            }
            (Kind::CheckpointAborted, Payload::Number(checkpoint)) => {
                // The snapshot will never be taken: what belongs behind it may come.
                mailbox.pass_cut(checkpoint);
                Step::CheckpointAborted(checkpoint)
            }
            _ => return None,
        };
        Some(step)
    }

    /// The coordinator may have sent this more than once, and an earlier coordinator's may come late: only a higher
    /// epoch opens the channel again, because opening starts the sequences anew.
    fn open_channel(&mut self, header: &Header, mailbox: &Mailbox) {
        if self.channel.is_some_and(|channel| channel.epoch >= header.epoch) {
            return;
        }
        mailbox.pass_cut(header.cut);
        mailbox.open_channel(0, header.sender, header.epoch);
        self.channel = Some(Channel { coordinator: header.sender, epoch: header.epoch, reader: self.config.attempt });
        self.outbound.open(To { target: header.sender, epoch: header.epoch });
        self.registering = Registering::Open;
        self.applied = 0;
        self.tell_applied();
        self.armed = true;
    }

    fn snapshot(&self, checkpoint: u64, out: &mut Vec<u8>) -> Option<Step> {
        let metadata = ReaderMetadata {
            identity: Identity::managed(self.config.digest),
            checkpoint,
            channel: self.channel,
            applied: self.applied,
            no_more_splits_generation: self.no_more_splits_generation,
        };
        *out = metadata.encode().ok()?;
        Some(Step::Snapshot(checkpoint))
    }
}

fn registration(config: &ReaderConfig) -> Vec<u8> {
    let ReaderConfig { digest, created_millis, address, .. } = config;
    let mut payload = Vec::new();
    let registration = Registration { digest, created_millis: *created_millis, address };
    // The only thing that can go wrong is the address's length, which `Reader::new` has checked.
    let _ = payload::encode_registration(&registration, &mut payload);
    payload
}
