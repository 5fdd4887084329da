// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The loop of one coordinator: says what the host of an enumerator does next.
//!
//! Same shape as the [reader's loop](crate::reader): [`Coordinator::next`] reports how the last step went and answers
//! the next one. Nothing in it waits. What the connector asks for while a step runs (assignments, no more splits)
//! goes straight into the state of the turn.
//!
//! Invariants:
//! * The connector sees: open, then what a restored checkpoint gives back, then the readers, then run, then the rest.
//! * Each split is owned once: by the enumerator, or by a tracked assignment until a completed checkpoint proves it to
//!   be with its reader. What a restored checkpoint does not prove goes back to the enumerator.
//! * After its snapshot n the coordinator holds ordered commands for a reader back until that reader has reported its
//!   own snapshot n, or n was aborted (the cut gate).
//! * Assigning to a reader that is registered but not ready is held, not failed.

mod cuts;
mod readers;
mod restore;
mod state;
#[cfg(all(test, not(loom)))]
mod tests;
mod tracker;

use crate::command::payload::DIGEST_LEN;
use crate::command::{Attempt, Epoch, Kind, Receiver, RuntimeId, batch::Answer};
use crate::mailbox::{Address, Admission, Limits, LimitsError, Mailbox, Terminal, WorkerBudget};
use crate::metadata::MetadataError;
use crate::sync::Arc;
use crate::turn::{LastStep, NotOwner, Owned};
use crate::wake::Wake;
use crossbeam_queue::SegQueue;
use state::State;
pub use tracker::TrackerLimits;

/// What a coordinator needs to know of itself.
#[derive(Clone, Debug)]
pub struct CoordinatorConfig {
    /// The engine's number of the job.
    pub job: u64,
    /// The source.
    pub runtime: RuntimeId,
    /// This life, drawn at random.
    pub attempt: Attempt,
    /// Higher than that of any earlier life; a restored checkpoint may raise it.
    pub epoch: Epoch,
    /// Readers of the source, 1 to 65,536.
    pub parallelism: u32,
    /// Digest of the connector's capability.
    pub digest: [u8; DIGEST_LEN],
    /// What the mailbox may hold.
    pub limits: Limits,
    /// What the tracker may hold.
    pub tracker: TrackerLimits,
    /// Draws the jitter of back-offs.
    pub seed: u64,
}

/// What the host does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Open the enumerator.
    Open,
    /// Give the enumerator the splits in the payload back, which were with this subtask.
    AddSplitsBack(u32),
    /// Commands for this subtask's reader go to the address in the payload from now on.
    Connect(u32),
    /// Tell the enumerator that this subtask's reader is there.
    RegisterReader(u32),
    /// Start the enumerator.
    Run,
    /// Tell the enumerator that this subtask's reader wants a split.
    RequestSplit(u32),
    /// Take the enumerator's snapshot and hand its state to [`Coordinator::snapshot`].
    Snapshot(u64),
    /// Tell the enumerator that this checkpoint is complete.
    CheckpointComplete(u64),
    /// Tell the enumerator that this checkpoint was aborted.
    CheckpointAborted(u64),
    /// Run the mail that was posted with this token.
    Mail(u64),
    /// Send the batch in the payload to this subtask's reader; answer with the flight's number.
    Send(u32, u8),
    /// Nothing more for now; call again when woken, at the latest at this time if there is one.
    Park(Option<u64>),
    /// The source has failed; the payload says why. Told once; readers are still told.
    Failed,
    /// Nothing more happens.
    Terminal(Terminal),
    /// The mailbox was closed and is empty.
    Closed,
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The step is done; also what the first call reports.
    Done,
    /// The step failed, and so has the source; readers are told this text.
    Failed(String),
}

/// A step and the turn in which it is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// What to do.
    pub step: Step,
    /// To be handed in with the step's outcome.
    pub turn: u64,
}

/// Why the coordinator refuses what the connector asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssignError {
    /// Not in a turn of the coordinator.
    #[error(transparent)]
    NotOwner(#[from] NotOwner),
    /// There is no such reader.
    #[error("there is no subtask {subtask}: the source has {parallelism} readers")]
    Subtask {
        /// What was asked for.
        subtask: u32,
        /// How many there are.
        parallelism: u32,
    },
    /// A split that fits no command.
    #[error("a split of {bytes} bytes is larger than a command may be ({max} bytes)")]
    SplitTooLarge {
        /// The split's bytes.
        bytes: usize,
        /// What is allowed.
        max: usize,
    },
    /// The tracker is full.
    #[error(
        "{more} splits in {more_bytes} bytes are too many: {entries} in {bytes} bytes wait for a checkpoint already, \
         and {} in {} bytes may; ask isAssignmentCapacityAvailable first and assign fewer at a time",
        limits.max_entries, limits.max_bytes
    )]
    TrackerFull {
        /// Splits that were to be assigned.
        more: usize,
        /// Their bytes.
        more_bytes: usize,
        /// Splits tracked now.
        entries: usize,
        /// Their bytes.
        bytes: usize,
        /// What may be tracked.
        limits: TrackerLimits,
    },
    /// Splits after the end of the splits.
    #[error("subtask {0} was told that no split will come any more")]
    AfterNoMoreSplits(u32),
    /// Splits for a reader that has ended.
    #[error("the reader of subtask {0} has reported the end of its input and takes no split any more")]
    AfterEnd(u32),
    /// A list that cannot be read.
    #[error("the list of splits cannot be read: {0}")]
    Payload(#[from] crate::command::DecodeError),
}

const EXHAUSTED: &str = "the reserve of the coordinator's mailbox is exhausted: orders and notices came faster than \
                         callbacks of the enumerator return; let them return sooner or raise the checkpoint interval";

/// One coordinator. Methods say who may call them.
#[derive(Debug)]
pub struct Coordinator {
    mailbox: Mailbox,
    answers: SegQueue<(u32, u8, Answer)>,
    mails: SegQueue<u64>,
    /// What was granted last.
    last: LastStep,
    state: Owned<State>,
}

impl Coordinator {
    /// A coordinator that no reader knows yet.
    ///
    /// # Errors
    /// Limits that cannot be.
    pub fn new(config: CoordinatorConfig, budget: Arc<WorkerBudget>) -> Result<Self, LimitsError> {
        let CoordinatorConfig { job, runtime, attempt, parallelism, limits, .. } = config;
        if !(1..=1 << 16).contains(&parallelism) {
            let (setting, rule) = ("parallelism", "1 to 65536");
            return Err(LimitsError { setting, value: u64::from(parallelism), rule });
        }
        limits.check()?;
        let limits = limits.with_reserve_for(parallelism);
        let address = Address { job, runtime, attempt, receiver: Receiver::Coordinator };
        Ok(Self {
            mailbox: Mailbox::new(address, limits, parallelism as usize, budget)?,
            answers: SegQueue::new(),
            mails: SegQueue::new(),
            last: LastStep::default(),
            state: Owned::new(State::new(config)),
        })
    }

    /// Hands in a command of a reader. Any thread; never waits.
    pub fn offer(&self, envelope: &[u8], now: u64) -> Admission {
        self.mailbox.offer(envelope, now)
    }

    /// Hands in an order or a callback of the engine. Any thread; never waits.
    pub fn offer_own(&self, kind: Kind, payload: &[u8], now: u64) -> Admission {
        self.mailbox.offer_own(kind, payload, now)
    }

    /// Posts a piece of work of this process; it comes back as [`Step::Mail`]. Any thread; never waits.
    pub fn post(&self, token: u64) -> Wake {
        self.mails.push(token);
        self.mailbox.wake_word().signal()
    }

    /// Hands in the answer to a flight. Any thread; never waits.
    pub fn answer(&self, subtask: u32, flight: u8, answer: Answer) -> Wake {
        self.answers.push((subtask, flight, answer));
        self.mailbox.wake_word().signal()
    }

    /// Ends the coordinator at once. Any thread; never waits.
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

    /// Before the first turn: takes over a checkpoint and answers the enumerator's state in it. Any thread.
    ///
    /// # Errors
    /// The checkpoint is damaged, of another release, or of another source.
    pub fn restore(&self, blob: &[u8]) -> Result<crate::metadata::EnumeratorState, RestoreError> {
        self.state.enter()?.restore(blob)
    }

    /// Before the enumerator is open: takes over what the readers of a subtask had in the restored checkpoint.
    /// `metadata` is the runtime's part of it, `splits` a payload with the connector's. Any thread, but none while
    /// another one is in a turn; the step that opens the enumerator is the latest time.
    ///
    /// # Errors
    /// As for [`Coordinator::restore`]; and a part of another checkpoint.
    pub fn restore_reader(&self, subtask: u32, metadata: &[u8], splits: &[u8]) -> Result<(), RestoreError> {
        self.state.enter()?.restore_reader(subtask, metadata, splits)
    }

    /// Owner: reports how the step of `turn` went and answers the next one; its payload is left in `out`. The first
    /// call hands in turn 0.
    ///
    /// # Errors
    /// `turn` is not the current one, or another thread is inside; nothing has changed then.
    pub fn next(&self, turn: u64, outcome: Outcome, now: u64, out: &mut Vec<u8>) -> Result<Granted, NotOwner> {
        let mut state = self.enter(turn)?;
        state.report(outcome);
        let step = self.decide(&mut state, now, out);
        state.grant(step);
        self.last.set(state.turn, step.name_index());
        Ok(Granted { step, turn: state.turn })
    }

    /// Owner, while it executes a step: gives a reader splits, as a payload. All of them or none.
    ///
    /// # Errors
    /// Why none was assigned.
    pub fn assign(&self, turn: u64, subtask: u32, splits: &[u8]) -> Result<(), AssignError> {
        self.enter(turn)?.assign(subtask, splits)
    }

    /// Owner, while it executes a step: tells a reader that no split will come any more.
    ///
    /// # Errors
    /// There is no such reader, or `turn` is not the current one.
    pub fn no_more_splits(&self, turn: u64, subtask: u32) -> Result<(), AssignError> {
        self.enter(turn)?.no_more_splits(subtask)
    }

    /// Owner, while it executes a step: whether more assignments can be tracked without coming near the limit.
    ///
    /// # Errors
    /// `turn` is not the current one.
    pub fn has_assignment_capacity(&self, turn: u64) -> Result<bool, NotOwner> {
        Ok(self.enter(turn)?.has_assignment_capacity())
    }

    /// Owner, while it executes [`Step::Snapshot`]: the coordinator's part of the checkpoint, around the enumerator's
    /// state.
    ///
    /// # Errors
    /// `turn` is not the current one, or the state is larger than 4 GiB.
    pub fn snapshot(&self, turn: u64, version: u32, state: &[u8]) -> Result<Vec<u8>, RestoreError> {
        self.enter(turn)?.snapshot(version, state)
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
        format!("coordinator: {}, turn {turn}, step {}", self.mailbox.describe(), Step::NAMES[step])
    }

    fn enter(&self, turn: u64) -> Result<crate::turn::Guard<'_, State>, NotOwner> {
        // First, and without touching the state: a caller with an old turn must not be in the owner's way.
        if self.last.turn() != turn {
            return Err(NotOwner);
        }
        let state = self.state.enter()?;
        if state.turn == turn { Ok(state) } else { Err(NotOwner) }
    }

    fn decide(&self, state: &mut State, now: u64, out: &mut Vec<u8>) -> Step {
        loop {
            self.mailbox.wake_word().begin_look();
            if let Some(step) = self.look(state, now, out) {
                return step;
            }
            if self.mailbox.wake_word().try_park() {
                let rest = self.mailbox.rest(now);
                return Step::Park([state.due(), rest].into_iter().flatten().min());
            }
        }
    }

    fn look(&self, state: &mut State, now: u64, out: &mut Vec<u8>) -> Option<Step> {
        match self.mailbox.terminal() {
            Some(Terminal::ReserveExhausted) => return self.look_exhausted(state, now, out),
            Some(terminal) => return Some(Step::Terminal(terminal)),
            None => {}
        }
        self.settle_answers(state, now);
        if let Some(step) = state.failure_to_tell(out) {
            return Some(step);
        }
        if let Some(step) = state.next_send(now, out) {
            return Some(step);
        }
        self.look_further(state, now, out)
    }

    /// The source has failed, and its readers are told before the loop ends: the engine calls no enumerator by itself.
    fn look_exhausted(&self, state: &mut State, now: u64, out: &mut Vec<u8>) -> Option<Step> {
        state.fail(EXHAUSTED.to_owned());
        self.settle_answers(state, now);
        let step = state.failure_to_tell(out).or_else(|| state.next_send(now, out));
        let told = || (!state.has_readers_to_tell()).then_some(Step::Terminal(Terminal::ReserveExhausted));
        step.or_else(told)
    }

    fn settle_answers(&self, state: &mut State, now: u64) {
        while let Some((subtask, flight, answer)) = self.answers.pop() {
            state.settle(subtask, flight, answer, now);
        }
    }

    fn look_further(&self, state: &mut State, now: u64, out: &mut Vec<u8>) -> Option<Step> {
        if let Some(step) = state.next_due(out) {
            return Some(step);
        }
        if state.controls_had_their_turn()
            && let Some(step) = self.next_mail(state)
        {
            return Some(step);
        }
        if let Some(step) = state.next_control(&self.mailbox, out) {
            return Some(step);
        }
        state.give_up_on_the_unreachable();
        // A control may have failed the source, or given a reader something to send, without a step of its own.
        if let Some(step) = state.failure_to_tell(out).or_else(|| state.next_send(now, out)) {
            return Some(step);
        }
        self.next_mail(state).or_else(|| self.mailbox.is_exhausted().then_some(Step::Closed))
    }

    fn next_mail(&self, state: &State) -> Option<Step> {
        if state.is_opened() { self.mails.pop().map(Step::Mail) } else { None }
    }
}

impl Step {
    /// Names without the numbers, for dumps; the first one stands for "none yet".
    const NAMES: [&'static str; 16] = [
        "none",
        "open",
        "add splits back",
        "connect",
        "register reader",
        "run",
        "request split",
        "snapshot",
        "checkpoint complete",
        "checkpoint aborted",
        "mail",
        "send",
        "park",
        "failed",
        "terminal",
        "closed",
    ];

    fn name_index(self) -> usize {
        match self {
            Step::Open => 1,
            Step::AddSplitsBack(_) => 2,
            Step::Connect(_) => 3,
            Step::RegisterReader(_) => 4,
            Step::Run => 5,
            Step::RequestSplit(_) => 6,
            Step::Snapshot(_) => 7,
            Step::CheckpointComplete(_) => 8,
            Step::CheckpointAborted(_) => 9,
            Step::Mail(_) => 10,
            Step::Send(..) => 11,
            Step::Park(_) => 12,
            Step::Failed => 13,
            Step::Terminal(_) => 14,
            Step::Closed => 15,
        }
    }
}

/// Why a checkpoint cannot be taken over or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The loop runs already, or the turn is not the current one.
    #[error(transparent)]
    NotOwner(#[from] NotOwner),
    /// The metadata cannot be used.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}
