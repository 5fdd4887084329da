// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The loop of one reader: says what its host does next.
//!
//! [`Reader::next`] reports how the last step went and answers the next one; between two calls the host owns the turn
//! that the answer names. Order: terminal, ordered control, sending, poll. So a poll turn lies between two ordered
//! controls only if 64 controls came in a row, and an ordered control waits for one poll turn at most.
//!
//! Invariants:
//! * A step is granted to the holder of the current turn number only; everybody else gets [`NotOwner`] and changes
//!   nothing. A turn may be carried on by another thread, if the host hands the number over.
//! * After a terminal word nothing ordered is applied and nothing is polled.
//! * Whatever can make a poll worth while (splits, no more splits, availability, the opening of the channel) arms one
//!   poll turn by itself. Nothing else polls: an idle reader costs nothing.
//! * A host thread that takes turns while another one is parked must unpark that one afterwards: its park was ended
//!   on its behalf.

#[cfg(all(test, loom))]
mod loom_tests;
mod state;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::command::payload::DIGEST_LEN;
use crate::command::{Attempt, Kind, Receiver, RuntimeId, batch::Answer};
use crate::mailbox::{Address, Admission, Limits, LimitsError, Mailbox, Terminal, WorkerBudget};
use crate::outbound::Inbox;
use crate::sync::{Arc, AtomicU64, Ordering};
use crate::turn::{Guard, LastStep, NotOwner, Owned};
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
    /// Where commands for the reader go; the host's format, at most 65,535 bytes.
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

/// What the host does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Give the connector the splits in the payload ([`payload`](crate::command::payload)).
    AddSplits,
    /// Tell the connector that no split will come any more.
    NoMoreSplits,
    /// Tell the connector that this checkpoint is complete.
    CheckpointComplete(u64),
    /// Tell the connector that this checkpoint was aborted.
    CheckpointAborted(u64),
    /// Take the connector's snapshot; the payload is the runtime's own part of it.
    Snapshot(u64),
    /// Let the connector emit, within the budget.
    Poll(PollBudget),
    /// Send the batch in the payload to the coordinator; answer with the flight's number.
    Send(u8),
    /// Find the coordinator and send it the batch in the payload; answer with the flight's number.
    Register(u8),
    /// Tell the engine that the input has ended.
    Finish,
    /// Wait until woken, at most until this time if there is one.
    Park(Option<u64>),
    /// Nothing more happens; the reason is told once and stays.
    Terminal(Terminal),
    /// The mailbox was closed and is empty.
    Closed,
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

/// What a call of [`Reader::next`] may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allow {
    /// Any step.
    Everything,
    /// No poll: the caller wants what was admitted applied, nothing emitted.
    NoPoll,
}

/// A step and the turn in which it is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// What to do.
    pub step: Step,
    /// To be handed in with the step's outcome.
    pub turn: u64,
}

/// One reader. Methods say who may call them.
#[derive(Debug)]
pub struct Reader {
    mailbox: Mailbox,
    answers: Inbox,
    /// The highest turn whose availability future has completed.
    available: AtomicU64,
    /// What was granted last.
    last: LastStep,
    state: Owned<State>,
}

impl Reader {
    /// A reader that has not registered yet.
    ///
    /// # Errors
    /// Limits that cannot be.
    pub fn new(config: ReaderConfig, budget: Arc<WorkerBudget>) -> Result<Self, LimitsError> {
        if config.address.len() > usize::from(u16::MAX) {
            let (setting, rule) = ("address length", "at most 65535 bytes");
            return Err(LimitsError { setting, value: config.address.len() as u64, rule });
        }
        let ReaderConfig { job, runtime, attempt, limits, .. } = config;
        let address = Address { job, runtime, attempt, receiver: Receiver::Reader };
        Ok(Self {
            mailbox: Mailbox::new(address, limits, 1, budget)?,
            answers: Inbox::default(),
            available: AtomicU64::new(0),
            last: LastStep::default(),
            state: Owned::new(State::new(config)),
        })
    }

    /// Hands in a command of the coordinator. Any thread; never waits.
    pub fn offer(&self, envelope: &[u8], now: u64) -> Admission {
        self.mailbox.offer(envelope, now)
    }

    /// Hands in a barrier or a callback of the engine. Any thread; never waits.
    pub fn offer_own(&self, kind: Kind, payload: &[u8], now: u64) -> Admission {
        self.mailbox.offer_own(kind, payload, now)
    }

    /// Hands in the answer to a flight. Any thread; never waits.
    pub fn answer(&self, flight: u8, answer: Answer) -> Wake {
        self.answers.put(flight, answer);
        self.mailbox.wake_word().signal()
    }

    /// The availability future of the poll turn `turn` has completed. Any thread; never waits. A turn that was never
    /// granted says nothing.
    pub fn available(&self, turn: u64) -> Wake {
        if turn > self.last.turn() {
            return Wake::No;
        }
        self.available.fetch_max(turn, Ordering::AcqRel);
        self.mailbox.wake_word().signal()
    }

    /// Ends the reader at once, whatever its mailbox holds. Any thread; never waits.
    pub fn terminate(&self, terminal: Terminal) -> Wake {
        self.mailbox.terminate(terminal)
    }

    /// Refuses every later offer. Any thread; more than once.
    pub fn close(&self) -> Wake {
        self.mailbox.close()
    }

    /// The mailbox, for its counters.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Owner: reports how the step of `turn` went and answers the next one; its payload is left in `out`. The first
    /// call hands in turn 0.
    ///
    /// # Errors
    /// `turn` is not the current one, or another thread is inside; nothing has changed then.
    pub fn next(
        &self,
        turn: u64,
        outcome: Outcome,
        allow: Allow,
        now: u64,
        out: &mut Vec<u8>,
    ) -> Result<Granted, NotOwner> {
        let mut state = self.enter(turn)?;
        state.report(outcome, &self.mailbox);
        let step = self.decide(&mut state, allow, now, out);
        if let Step::Send(flight) | Step::Register(flight) = step {
            self.answers.expect(flight);
        }
        state.grant(step);
        self.last.set(state.turn, step.name_index());
        Ok(Granted { step, turn: state.turn })
    }

    fn enter(&self, turn: u64) -> Result<Guard<'_, State>, NotOwner> {
        // First, and without touching the state: a caller with an old turn must not be in the owner's way.
        if self.last.turn() != turn {
            return Err(NotOwner);
        }
        let state = self.state.enter()?;
        if state.turn == turn { Ok(state) } else { Err(NotOwner) }
    }

    /// Owner, while it executes a step: asks the coordinator for a split. Asking again before the last request has
    /// left says nothing new.
    ///
    /// # Errors
    /// `turn` is not the current one.
    pub fn request_split(&self, turn: u64) -> Result<(), NotOwner> {
        self.enter(turn)?.request_split();
        Ok(())
    }

    /// Why the reader has failed, if the core knows: the coordinator said so, or it found out itself. Any thread.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.mailbox.failure().map(str::to_owned)
    }

    /// The current turn. Any thread.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.last.turn()
    }

    /// In words, for a dump. Any thread; takes no turn, so the owner does not notice.
    #[must_use]
    pub fn describe(&self) -> String {
        let (turn, step) = self.last.get();
        format!("reader: {}, turn {turn}, step {}", self.mailbox.describe(), Step::NAMES[step])
    }

    fn decide(&self, state: &mut State, allow: Allow, now: u64, out: &mut Vec<u8>) -> Step {
        loop {
            self.mailbox.wake_word().begin_look();
            if let Some(step) = self.look(state, allow, now, out) {
                return step;
            }
            if self.mailbox.wake_word().try_park() {
                let rest = self.mailbox.rest(now);
                return Step::Park([state.due(), rest].into_iter().flatten().min());
            }
        }
    }

    fn look(&self, state: &mut State, allow: Allow, now: u64, out: &mut Vec<u8>) -> Option<Step> {
        if let Some(terminal) = self.mailbox.terminal() {
            return Some(Step::Terminal(terminal));
        }
        if let Err(failure) = state.settle(&self.answers, now) {
            return Some(state::fail(&self.mailbox, &failure));
        }
        let controls_wait = state.controls_had_their_turn() && self.may_poll(state, allow, now);
        if !controls_wait && let Some(step) = state.next_control(&self.mailbox, out) {
            return Some(step);
        }
        match state.next_send(now, out) {
            Ok(None) => {}
            Ok(step) => return step,
            Err(failure) => return Some(state::fail(&self.mailbox, &failure)),
        }
        if state.must_finish(allow) {
            return Some(Step::Finish);
        }
        // Asked again, because a control may have opened the channel by the way.
        if self.may_poll(state, allow, now) {
            // A busy loop never parks: the memory that a flow left goes here.
            let _ = self.mailbox.rest(now);
            return Some(state.poll());
        }
        // The poll that they waited for may not come: a barrier was announced meanwhile.
        if controls_wait && let Some(step) = state.next_control(&self.mailbox, out) {
            return Some(step);
        }
        self.mailbox.is_exhausted().then_some(Step::Closed)
    }

    fn may_poll(&self, state: &mut State, allow: Allow, now: u64) -> bool {
        allow == Allow::Everything
            && !self.mailbox.is_closed()
            && state.may_poll(self.available.load(Ordering::Acquire))
            && !state.leaves_gap(self.mailbox.barrier_coming(), now)
    }
}

impl Step {
    /// Names without the numbers, for dumps; the first one stands for "none yet".
    const NAMES: [&'static str; 13] = [
        "none",
        "add splits",
        "no more splits",
        "checkpoint complete",
        "checkpoint aborted",
        "snapshot",
        "poll",
        "send",
        "register",
        "finish",
        "park",
        "terminal",
        "closed",
    ];

    fn name_index(self) -> usize {
        match self {
            Step::AddSplits => 1,
            Step::NoMoreSplits => 2,
            Step::CheckpointComplete(_) => 3,
            Step::CheckpointAborted(_) => 4,
            Step::Snapshot(_) => 5,
            Step::Poll(_) => 6,
            Step::Send(_) => 7,
            Step::Register(_) => 8,
            Step::Finish => 9,
            Step::Park(_) => 10,
            Step::Terminal(_) => 11,
            Step::Closed => 12,
        }
    }
}
