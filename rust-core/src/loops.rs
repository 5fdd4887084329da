// Licensed under the Apache License, Version 2.0. See LICENSE.
//! One loop, whichever side it serves: any thread offers to its mailbox, the owner of the turn asks what is next.
//!
//! [`Loop::next`] reports how the last step went and answers the next one; between two calls the host owns the turn
//! that the answer names. What differs between a reader and a coordinator is a [`Side`].
//!
//! Invariants:
//! * A step is granted to the holder of the current turn number only, who hands in an outcome that the step before can
//!   have; everybody else is [`Denied`] it and changes nothing. A turn may be carried on by another thread, if the host
//!   hands the number over.
//! * The loop parks only when a whole look, begun after the last wake-up, has found nothing to do.
//! * A host thread that takes turns while another one is parked must unpark that one afterwards: its park was ended
//!   on its behalf.

use crate::command::Kind;
use crate::mailbox::{Admission, Mailbox, Terminal};
use crate::step::AnyStep;
use crate::turn::{Guard, LastStep, NotOwner, Owned};
use crate::wake::Wake;
use std::fmt::Debug;

/// What differs between the loops. The value itself is what other threads leave for the owner beside the mailbox.
pub trait Side: Debug + Sized {
    /// What the loop is called in a dump.
    const NAME: &'static str;
    /// What the owner remembers from turn to turn.
    type State: Debug;
    /// What the host does next.
    type Step: AnyStep;
    /// How a step went.
    type Outcome;
    /// What a call of [`Loop::next`] may answer.
    type Allow: Copy;

    /// Whether a step can end like this; `None` stands for the beginning, before the first step.
    fn can_end(step: Option<Self::Step>, outcome: &Self::Outcome) -> bool;

    /// Owner: takes note of how the step of this turn went.
    fn report(state: &mut Self::State, turn: u64, step: Self::Step, outcome: Self::Outcome, mailbox: &Mailbox);

    /// Owner: the next thing that needs the host, if there is one; its payload is left in `out`.
    fn look(
        of: &Loop<Self>,
        state: &mut Self::State,
        allow: Self::Allow,
        now: u64,
        out: &mut Vec<u8>,
    ) -> Option<Self::Step>;

    /// Owner: when the loop wants to be called again though nobody wakes it.
    fn due(state: &Self::State) -> Option<u64>;

    /// Owner: takes note of the step that begins a turn.
    fn grant(&self, state: &mut Self::State, step: Self::Step);
}

/// A step and the turn in which it is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted<Step> {
    /// What to do.
    pub step: Step,
    /// To be handed in with the step's outcome.
    pub turn: u64,
}

/// Why no step is granted. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The caller does not own the turn.
    #[error(transparent)]
    NotOwner(#[from] NotOwner),
    /// The step of the turn cannot have this outcome.
    #[error("the step \"{0}\" cannot have this outcome: only a poll ends with what it found, only a step can fail")]
    Outcome(&'static str),
}

/// What belongs to the owner of the turn.
#[derive(Debug)]
pub(crate) struct Owner<S: Side> {
    turn: u64,
    /// The step that was granted, until its outcome is known.
    pub(crate) pending: Option<S::Step>,
    pub(crate) state: S::State,
}

/// One loop. Methods say who may call them.
#[derive(Debug)]
pub struct Loop<S: Side> {
    pub(crate) mailbox: Mailbox,
    pub(crate) side: S,
    /// What was granted last.
    pub(crate) last: LastStep,
    pub(crate) owner: Owned<Owner<S>>,
}

impl<S: Side> Loop<S> {
    pub(crate) fn of(side: S, state: S::State, mailbox: Mailbox) -> Self {
        let owner = Owned::new(Owner { turn: 0, pending: None, state });
        Self { mailbox, side, last: LastStep::default(), owner }
    }

    /// Hands in a command of the other side. Any thread; never waits.
    pub fn offer(&self, envelope: &[u8], now: u64) -> Admission {
        self.mailbox.offer(envelope, now)
    }

    /// Hands in an order, a barrier or a callback of the engine. Any thread; never waits.
    pub fn offer_own(&self, kind: Kind, payload: &[u8], now: u64) -> Admission {
        self.mailbox.offer_own(kind, payload, now)
    }

    /// Ends the loop at once, whatever its mailbox holds. Any thread; never waits.
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
    /// `turn` is not the current one, another thread is inside, or the step cannot have this outcome.
    pub fn next(
        &self,
        turn: u64,
        outcome: S::Outcome,
        allow: S::Allow,
        now: u64,
        out: &mut Vec<u8>,
    ) -> Result<Granted<S::Step>, Denied> {
        let mut owner = self.enter(turn)?;
        let Owner { turn, pending, state } = &mut *owner;
        if !S::can_end(*pending, &outcome) {
            return Err(Denied::Outcome(S::Step::name(pending.map_or(0, AnyStep::number))));
        }
        if let Some(step) = pending.take() {
            S::report(state, *turn, step, outcome, &self.mailbox);
        }
        let step = self.decide(state, allow, now, out);
        self.side.grant(state, step);
        *pending = Some(step);
        *turn += 1;
        self.last.set(*turn, step.number());
        Ok(Granted { step, turn: *turn })
    }

    fn decide(&self, state: &mut S::State, allow: S::Allow, now: u64, out: &mut Vec<u8>) -> S::Step {
        loop {
            self.mailbox.wake_word().begin_look();
            if let Some(step) = S::look(self, state, allow, now, out) {
                return step;
            }
            if self.mailbox.wake_word().try_park() {
                let rest = self.mailbox.rest(now);
                return S::Step::park([S::due(state), rest].into_iter().flatten().min());
            }
        }
    }

    pub(crate) fn enter(&self, turn: u64) -> Result<Guard<'_, Owner<S>>, NotOwner> {
        // First, and without touching the state: a caller with an old turn must not be in the owner's way.
        if self.last.turn() != turn {
            return Err(NotOwner);
        }
        let owner = self.owner.enter()?;
        if owner.turn == turn { Ok(owner) } else { Err(NotOwner) }
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
        format!("{}: {}, turn {turn}, step {}", S::NAME, self.mailbox.describe(), S::Step::name(step))
    }
}
