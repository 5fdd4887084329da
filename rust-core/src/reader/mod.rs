// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The loop of one reader: says what its host does next.
//!
//! Order: terminal, ordered control, sending, poll. So a poll turn lies between two ordered controls only if 64
//! controls came in a row, and an ordered control waits for one poll turn at most.
//!
//! Invariants, beside those of every [loop](crate::loops):
//! * After a terminal word nothing ordered is applied and nothing is polled.
//! * Whatever can make a poll worth while (splits, no more splits, availability, the opening of the channel) arms one
//!   poll turn by itself. Nothing else polls: an idle reader costs nothing.

#[cfg(all(test, loom))]
mod loom_tests;
mod state;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::command::payload::DIGEST_LEN;
use crate::command::{Attempt, Receiver, RuntimeId, batch::Answer};
use crate::loops::{Loop, Side};
use crate::mailbox::limits::ADDRESS_MAX;
use crate::mailbox::{Address, Limits, LimitsError, Mailbox, Terminal, WorkerBudget};
use crate::outbound::Inbox;
use crate::step::steps;
use crate::sync::{Arc, AtomicU64, Ordering};
use crate::turn::NotOwner;
use crate::wake::Wake;
use state::State;

/// What a reader needs to know of itself.
#[derive(Clone, Debug)]
pub struct ReaderConfig {
    /// The engine's number of the job.
    pub job: u64,
    /// The source.
    pub runtime: RuntimeId,
    /// This life, drawn at random.
    pub attempt: Attempt,
    /// From 0 to parallelism - 1.
    pub subtask: u32,
    /// Digest of the connector's capability.
    pub digest: [u8; DIGEST_LEN],
    /// When the reader was created, in ms since 1970.
    pub created_millis: u64,
    /// Where commands for the reader go; the host's format, at most [`ADDRESS_MAX`] bytes.
    pub address: Vec<u8>,
    /// What the mailbox may hold.
    pub limits: Limits,
    /// What a poll turn may emit.
    pub poll: PollBudget,
    /// Draws the jitter of back-offs.
    pub seed: u64,
}

/// What a poll turn may emit: it ends at whatever is reached first. The host counts, because only it sees records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollBudget {
    /// Records.
    pub records: u32,
    /// Bytes of the records.
    pub bytes: u32,
    /// Time in ns.
    pub nanos: u64,
}

impl PollBudget {
    /// The initial production defaults of STIP-31.
    pub const DEFAULT: Self = Self { records: 64, bytes: 1 << 20, nanos: 5_000_000 };
}

steps! {
    /// Give the connector the splits in the payload ([`payload`](crate::command::payload)).
    AddSplits = 1, "add splits", payload;
    /// Tell the connector that no split will come any more.
    NoMoreSplits = 2, "no more splits";
    /// Tell the connector that this checkpoint is complete.
    CheckpointComplete(value: u64) = 3, "checkpoint complete";
    /// Tell the connector that this checkpoint was aborted.
    CheckpointAborted(value: u64) = 4, "checkpoint aborted";
    /// Take the connector's snapshot; the payload is the runtime's own part of it.
    Snapshot(value: u64) = 5, "snapshot", payload;
    /// Let the connector emit, within the budget.
    Poll(budget: PollBudget) = 6, "poll";
    /// Send the batch in the payload to the coordinator; answer with the flight's number.
    Send(flight: u8) = 7, "send", payload;
    /// Find the coordinator and send it the batch in the payload; answer with the flight's number.
    Register(flight: u8) = 8, "register", payload;
    /// Tell the engine that the input has ended.
    Finish = 9, "finish";
    /// Wait until woken, at most until this time if there is one.
    Park(until: Option<u64>) = 10, "park";
    /// Nothing more happens; the reason is told once and stays.
    Terminal(terminal: Terminal) = 11, "terminal";
    /// The mailbox was closed and is empty.
    Closed = 12, "closed";
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The step is done; also what the first call reports.
    Done,
    /// A poll turn ended.
    Polled(PollStatus),
    /// The step failed: the source has failed.
    Failed,
}

impl Outcome {
    /// The outcome with this number, as hosts know it.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Done),
            1 => Some(Self::Failed),
            2 => Some(Self::Polled(PollStatus::MoreAvailable)),
            3 => Some(Self::Polled(PollStatus::NothingAvailable)),
            4 => Some(Self::Polled(PollStatus::EndOfInput)),
            _ => None,
        }
    }
}

/// What a poll turn left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollStatus {
    /// There is more.
    MoreAvailable,
    /// Nothing for now.
    NothingAvailable,
    /// The bounded input is finished, no more splits will come, and all that came are read.
    EndOfInput,
}

/// What a call of [`Loop::next`] may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allow {
    /// Any step.
    Everything,
    /// No poll: the caller wants what was admitted applied, nothing emitted.
    NoPoll,
}

/// What other threads leave for the owner of a reader beside its mailbox.
#[derive(Debug, Default)]
pub struct ReaderSide {
    answers: Inbox,
    /// The highest turn whose availability future has completed.
    available: AtomicU64,
}

/// One reader. Methods say who may call them.
pub type Reader = Loop<ReaderSide>;

impl Reader {
    /// A reader that has not registered yet.
    ///
    /// # Errors
    /// Limits that cannot be.
    pub fn new(config: ReaderConfig, budget: Arc<WorkerBudget>) -> Result<Self, LimitsError> {
        if config.address.len() > ADDRESS_MAX {
            let (setting, rule) = ("address length", "at most 320 bytes");
            return Err(LimitsError { setting, value: config.address.len() as u64, rule });
        }
        let ReaderConfig { job, runtime, attempt, limits, .. } = config;
        let address = Address { job, runtime, attempt, receiver: Receiver::Reader };
        let mailbox = Mailbox::new(address, limits, 1, budget)?;
        Ok(Loop::of(ReaderSide::default(), State::new(config), mailbox))
    }

    /// Hands in the answer to a flight. Any thread; never waits.
    pub fn answer(&self, flight: u8, answer: Answer) -> Wake {
        self.side.answers.put(flight, answer);
        self.mailbox.wake_word().signal()
    }

    /// The availability future of the poll turn `turn` has completed. Any thread; never waits. A turn that was never
    /// granted says nothing.
    pub fn available(&self, turn: u64) -> Wake {
        if turn > self.last.turn() {
            return Wake::No;
        }
        self.side.available.fetch_max(turn, Ordering::AcqRel);
        self.mailbox.wake_word().signal()
    }

    /// Owner, while it executes a step: asks the coordinator for a split. Asking again before the last request has
    /// left says nothing new.
    ///
    /// # Errors
    /// `turn` is not the current one.
    pub fn request_split(&self, turn: u64) -> Result<(), NotOwner> {
        self.enter(turn)?.state.request_split();
        Ok(())
    }

    /// Why the reader has failed, if the core knows: the coordinator said so, or it found out itself. Any thread.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.mailbox.failure().map(str::to_owned)
    }

    fn may_poll(&self, state: &mut State, allow: Allow, now: u64) -> bool {
        allow == Allow::Everything
            && !self.mailbox.is_closed()
            && state.may_poll(self.side.available.load(Ordering::Acquire))
            && !state.leaves_gap(self.mailbox.barrier_coming(), now)
    }
}

impl Side for ReaderSide {
    const NAME: &'static str = "reader";
    type State = State;
    type Step = Step;
    type Outcome = Outcome;
    type Allow = Allow;

    fn can_end(step: Option<Step>, outcome: &Outcome) -> bool {
        match (step, outcome) {
            (None, outcome) => *outcome == Outcome::Done,
            (Some(Step::Poll(_)), _) => true,
            (Some(_), outcome) => !matches!(outcome, Outcome::Polled(_)),
        }
    }

    fn report(state: &mut State, turn: u64, step: Step, outcome: Outcome, mailbox: &Mailbox) {
        state.report(turn, step, outcome, mailbox);
    }

    fn look(reader: &Reader, state: &mut State, allow: Allow, now: u64, out: &mut Vec<u8>) -> Option<Step> {
        if let Some(terminal) = reader.mailbox.terminal() {
            return Some(Step::Terminal(terminal));
        }
        if let Err(failure) = state.settle(&reader.side.answers, now) {
            return Some(state::fail(&reader.mailbox, &failure));
        }
        let controls_wait = state.controls_had_their_turn() && reader.may_poll(state, allow, now);
        if !controls_wait && let Some(step) = state.next_control(&reader.mailbox, out) {
            return Some(step);
        }
        match state.next_send(now, out) {
            Ok(None) => {}
            Ok(step) => return step,
            Err(failure) => return Some(state::fail(&reader.mailbox, &failure)),
        }
        if state.must_finish(allow) {
            return Some(Step::Finish);
        }
        // Asked again, because a control may have opened the channel by the way.
        if reader.may_poll(state, allow, now) {
            // A busy loop never parks: the memory that a flow left goes here.
            let _ = reader.mailbox.rest(now);
            return Some(state.poll());
        }
        // The poll that they waited for may not come: a barrier was announced meanwhile.
        if controls_wait && let Some(step) = state.next_control(&reader.mailbox, out) {
            return Some(step);
        }
        reader.mailbox.is_exhausted().then_some(Step::Closed)
    }

    fn due(state: &State) -> Option<u64> {
        state.due()
    }

    fn grant(&self, state: &mut State, step: Step) {
        if let Step::Send(flight) | Step::Register(flight) = step {
            self.answers.expect(flight);
        }
        state.grant(step);
    }
}
