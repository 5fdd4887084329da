// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The loop of one coordinator: says what the host of an enumerator does next.
//!
//! Nothing in it waits. What the connector asks for while a step runs (assignments, no more splits) goes straight into
//! the state of the turn.
//!
//! Invariants, beside those of every [loop](crate::loops):
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
use crate::command::{Attempt, Epoch, Receiver, RuntimeId, batch::Answer};
use crate::loops::{Loop, Side};
use crate::mailbox::{Address, Limits, LimitsError, Mailbox, Terminal, WorkerBudget};
use crate::metadata::MetadataError;
use crate::step::steps;
use crate::sync::Arc;
use crate::turn::NotOwner;
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
    /// Readers of the source, 1 to 65,536. Each takes 3 KiB for its channel, from the beginning.
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

steps! {
    /// Open the enumerator.
    Open = 1, "open";
    /// Give the enumerator the splits in the payload back, which were with this subtask.
    AddSplitsBack(subtask: u32) = 2, "add splits back", payload;
    /// Commands for this subtask's reader go to the address in the payload from now on.
    Connect(subtask: u32) = 3, "connect", payload;
    /// Tell the enumerator that this subtask's reader is there.
    RegisterReader(subtask: u32) = 4, "register reader";
    /// Start the enumerator.
    Run = 5, "run";
    /// Tell the enumerator that this subtask's reader wants a split.
    RequestSplit(subtask: u32) = 6, "request split";
    /// Take the enumerator's snapshot and hand its state to [`Coordinator::snapshot`].
    Snapshot(value: u64) = 7, "snapshot";
    /// Tell the enumerator that this checkpoint is complete.
    CheckpointComplete(value: u64) = 8, "checkpoint complete";
    /// Tell the enumerator that this checkpoint was aborted.
    CheckpointAborted(value: u64) = 9, "checkpoint aborted";
    /// Run the mail that was posted with this token.
    Mail(value: u64) = 10, "mail";
    /// Send the batch in the payload to this subtask's reader; answer with the flight's number.
    Send(subtask: u32, flight: u8) = 11, "send", payload;
    /// Nothing more for now; call again when woken, at the latest at this time if there is one.
    Park(until: Option<u64>) = 12, "park";
    /// The source has failed; the payload says why. Told once; readers are still told.
    Failed = 13, "failed", payload;
    /// Nothing more happens.
    Terminal(terminal: Terminal) = 14, "terminal";
    /// The mailbox was closed and is empty.
    Closed = 15, "closed";
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The step is done; also what the first call reports.
    Done,
    /// The step failed, and so has the source; readers are told this text.
    Failed(String),
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

/// What other threads leave for the owner of a coordinator beside its mailbox.
#[derive(Debug, Default)]
pub struct CoordinatorSide {
    answers: SegQueue<(u32, u8, Answer)>,
    mails: SegQueue<u64>,
}

/// One coordinator. Methods say who may call them.
pub type Coordinator = Loop<CoordinatorSide>;

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
        let mailbox = Mailbox::new(address, limits, parallelism as usize, budget)?;
        Ok(Loop::of(CoordinatorSide::default(), State::new(config), mailbox))
    }

    /// Posts a piece of work of this process; it comes back as [`Step::Mail`]. Any thread; never waits.
    pub fn post(&self, token: u64) -> Wake {
        self.side.mails.push(token);
        self.mailbox.wake_word().signal()
    }

    /// Hands in the answer to a flight. Any thread; never waits.
    pub fn answer(&self, subtask: u32, flight: u8, answer: Answer) -> Wake {
        self.side.answers.push((subtask, flight, answer));
        self.mailbox.wake_word().signal()
    }

    /// Before the first turn: takes over a checkpoint and answers the enumerator's state in it. Any thread.
    ///
    /// # Errors
    /// The checkpoint is damaged, of another release, or of another source.
    pub fn restore(&self, blob: &[u8]) -> Result<crate::metadata::EnumeratorState, RestoreError> {
        self.enter(0)?.state.restore(blob)
    }

    /// Before the enumerator is open: takes over what the readers of a subtask had in the restored checkpoint.
    /// `metadata` is the runtime's part of it, `splits` a payload with the connector's. Any thread, but none while
    /// another one is in a turn; the step that opens the enumerator is the latest time.
    ///
    /// # Errors
    /// As for [`Coordinator::restore`]; and a part of another checkpoint.
    pub fn restore_reader(&self, subtask: u32, metadata: &[u8], splits: &[u8]) -> Result<(), RestoreError> {
        self.owner.enter()?.state.restore_reader(subtask, metadata, splits)
    }

    /// Owner, while it executes a step: gives a reader splits, as a payload. All of them or none.
    ///
    /// # Errors
    /// Why none was assigned.
    pub fn assign(&self, turn: u64, subtask: u32, splits: &[u8]) -> Result<(), AssignError> {
        self.enter(turn)?.state.assign(subtask, splits)
    }

    /// Owner, while it executes a step: tells a reader that no split will come any more.
    ///
    /// # Errors
    /// There is no such reader, or `turn` is not the current one.
    pub fn no_more_splits(&self, turn: u64, subtask: u32) -> Result<(), AssignError> {
        self.enter(turn)?.state.no_more_splits(subtask)
    }

    /// Owner, while it executes a step: whether more assignments can be tracked without coming near the limit.
    ///
    /// # Errors
    /// `turn` is not the current one.
    pub fn has_assignment_capacity(&self, turn: u64) -> Result<bool, NotOwner> {
        Ok(self.enter(turn)?.state.has_assignment_capacity())
    }

    /// Owner, while it executes [`Step::Snapshot`]: the coordinator's part of the checkpoint, around the enumerator's
    /// state.
    ///
    /// # Errors
    /// `turn` is not the current one, or the state is larger than 4 GiB.
    pub fn snapshot(&self, turn: u64, version: u32, state: &[u8]) -> Result<Vec<u8>, RestoreError> {
        let mut owner = self.enter(turn)?;
        let Some(Step::Snapshot(checkpoint)) = owner.pending else { return Err(NotOwner.into()) };
        owner.state.snapshot(checkpoint, version, state)
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
        while let Some((subtask, flight, answer)) = self.side.answers.pop() {
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
        if state.is_opened() { self.side.mails.pop().map(Step::Mail) } else { None }
    }
}

impl Side for CoordinatorSide {
    const NAME: &'static str = "coordinator";
    type State = State;
    type Step = Step;
    type Outcome = Outcome;
    /// Any step at any time.
    type Allow = ();

    fn can_end(step: Option<Step>, outcome: &Outcome) -> bool {
        step.is_some() || *outcome == Outcome::Done
    }

    fn report(state: &mut State, _: u64, step: Step, outcome: Outcome, _: &Mailbox) {
        state.report(step, outcome);
    }

    fn look(coordinator: &Coordinator, state: &mut State, (): (), now: u64, out: &mut Vec<u8>) -> Option<Step> {
        match coordinator.mailbox.terminal() {
            Some(Terminal::ReserveExhausted) => return coordinator.look_exhausted(state, now, out),
            Some(terminal) => return Some(Step::Terminal(terminal)),
            None => {}
        }
        coordinator.settle_answers(state, now);
        if let Some(step) = state.failure_to_tell(out) {
            return Some(step);
        }
        if let Some(step) = state.next_send(now, out) {
            return Some(step);
        }
        coordinator.look_further(state, now, out)
    }

    fn due(state: &State) -> Option<u64> {
        state.due()
    }

    fn grant(&self, state: &mut State, step: Step) {
        state.grant(step);
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
