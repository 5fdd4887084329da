// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The sending end of a channel: a window of commands, cumulative acknowledgement, back-off and deadline.
//!
//! Invariants:
//! * Sequences start at 1 per channel and are consecutive; a command keeps its id and its cut when it is sent again.
//! * One batch is in flight at a time, until the host has answered it; it holds everything unacknowledged that fits the
//!   window, oldest first.
//! * A command leaves the queue only when an answer says that everything up to it was taken.
//! * After a failed flight the next one waits, see [`Backoff`]; at its deadline the channel has failed, and sends
//!   nothing more. The other side having no room is no failure: a slow sink is no reason to end a source. A flight that
//!   the host has not answered for [`FLIGHT_NANOS`] is lost, and its answer counts no more.
//!
//! Belongs to one loop; only its owner calls it. A reader's answers reach it through [`Inbox`], from any thread.

use crate::backoff::Backoff;
use crate::command::batch::{self, Answer};
use crate::command::envelope::{self, Header};
use crate::command::{Attempt, CommandId, DecodeError, Durability, Epoch, Kind};
use crate::mailbox::{Reason, Status};
use crate::sync::{AtomicU64, Ordering};
use std::collections::VecDeque;

/// Commands of one batch at most.
pub const WINDOW_COMMANDS: usize = 64;
/// Bytes of one batch at most, except that one command always fits.
pub const WINDOW_BYTES: usize = 256 << 10;

/// How long a flight's answer is waited for: longer than a call of the engine takes to fail.
pub(crate) const FLIGHT_NANOS: u64 = 90_000_000_000;

/// The fields of a header that are the same for all commands of one sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From {
    pub(crate) job: u64,
    pub(crate) runtime: crate::command::RuntimeId,
    pub(crate) sender: Attempt,
    pub(crate) subtask: u32,
}

/// Who the channel goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct To {
    pub(crate) target: Attempt,
    pub(crate) epoch: Epoch,
}

#[derive(Debug)]
struct Waiting {
    kind: Kind,
    id: CommandId,
    cut: u64,
    payload: Box<[u8]>,
}

/// A channel that cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?} was answered {} ({}) after {tries} tries", status.text(), reason.text())]
pub struct ChannelError {
    /// The oldest command that was not taken.
    pub kind: Kind,
    /// The last answer.
    pub status: Status,
    /// Its reason.
    pub reason: Reason,
    /// Flights since the last progress.
    pub tries: u32,
}

/// Hands the answer to a flight from any thread to the owner. One flight, one answer: the first that comes while the
/// flight is expected counts, any other is dropped, so a late or repeated one cannot displace the one that is waited
/// for.
#[derive(Debug, Default)]
pub(crate) struct Inbox(AtomicU64);

/// Answers take 56 bits and are never 0; the flight's number, never 0 either, stands above them.
const FLIGHT_SHIFT: u32 = 56;
const ANSWER_MASK: u64 = (1 << FLIGHT_SHIFT) - 1;

impl Inbox {
    /// Owner: from now on the answer to `flight` is waited for.
    pub(crate) fn expect(&self, flight: u8) {
        self.0.store(u64::from(flight) << FLIGHT_SHIFT, Ordering::Release);
    }

    /// Any thread. `flight` is the number that came with the batch.
    pub(crate) fn put(&self, flight: u8, answer: Answer) {
        let expected = u64::from(flight) << FLIGHT_SHIFT;
        let answered = expected | answer.to_bits();
        let _ = self.0.compare_exchange(expected, answered, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Owner: the flight and its answer, if one has come.
    pub(crate) fn take(&self) -> Option<(u8, Answer)> {
        let bits = self.0.load(Ordering::Acquire);
        let answer = Answer::from_bits(bits & ANSWER_MASK)?;
        self.0.store(0, Ordering::Relaxed);
        Some(((bits >> FLIGHT_SHIFT) as u8, answer))
    }
}

/// A flight that is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// To be handed in with the answer.
    pub(crate) flight: u8,
    /// The kind of its first command.
    pub(crate) kind: Kind,
}

/// What is in the air.
#[derive(Clone, Copy, Debug)]
struct Flight {
    /// What the answer comes with.
    number: u8,
    load: Load,
    /// When it is lost.
    until: u64,
}

/// What a flight carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    /// The first lead.
    Lead,
    /// Everything up to this sequence.
    Window(u64),
    /// Nothing that matters any more: its answer ends the flight and says nothing.
    Obsolete,
}

/// The sending end of one channel.
#[derive(Debug)]
pub(crate) struct Outbound {
    from: From,
    /// Commands without a sequence: each travels alone, before anything sequenced.
    leads: VecDeque<(To, Waiting)>,
    /// Where sequenced commands go; `None` until the channel is open.
    to: Option<To>,
    queue: VecDeque<Waiting>,
    /// Sequence of the queue's front.
    first: u64,
    /// The highest sequence that has left on this channel.
    sent: u64,
    ids: u128,
    flying: Option<Flight>,
    last_flight: u8,
    /// Apart from the window's, so that a lead that arrives does not hide a window that never does.
    lead_backoff: Backoff,
    backoff: Backoff,
    /// The channel has failed: nothing leaves any more.
    failed: bool,
}

impl Outbound {
    /// A channel that goes nowhere yet; `seed` draws the jitter, the sender's attempt the command ids.
    pub(crate) fn new(from: From, seed: u64) -> Self {
        Self {
            from,
            leads: VecDeque::new(),
            to: None,
            queue: VecDeque::new(),
            first: 1,
            sent: 0,
            ids: from.sender.0,
            flying: None,
            last_flight: 0,
            lead_backoff: Backoff::new(seed),
            backoff: Backoff::new(!seed),
            failed: false,
        }
    }

    /// From now on the channel goes to `to`, starting at sequence 1 with what has not been acknowledged.
    pub(crate) fn open(&mut self, to: To) {
        if self.to == Some(to) {
            return;
        }
        self.to = Some(to);
        self.first = 1;
        self.sent = 0;
        self.backoff.progress();
        // Whoever opens the channel has got the registration, whatever became of the answer.
        let registering = self.leads.front().is_some_and(|(_, lead)| lead.kind == Kind::RegisterReader);
        self.leads.retain(|(_, lead)| lead.kind != Kind::RegisterReader);
        match &mut self.flying {
            Some(Flight { load: load @ Load::Window(_), .. }) => *load = Load::Obsolete,
            Some(Flight { load: load @ Load::Lead, .. }) if registering => *load = Load::Obsolete,
            _ => {}
        }
    }

    /// The other side has applied everything up to `applied`, so it was taken, whatever became of the answer.
    pub(crate) fn acknowledge(&mut self, applied: u64) {
        if self.take_off(applied.saturating_add(1)) {
            self.backoff.progress();
            self.failed = false;
        }
    }

    /// Takes what lies below `expected` and has left off the queue; tells whether there was anything.
    fn take_off(&mut self, expected: u64) -> bool {
        let before = self.first;
        while self.first < expected && self.first <= self.sent && self.queue.pop_front().is_some() {
            self.first += 1;
        }
        self.first > before
    }

    /// Whether a lead of this kind is to be taken yet, and may be.
    pub(crate) fn leads_to(&self, kind: Kind) -> bool {
        !self.failed && self.leads.iter().any(|(_, lead)| lead.kind == kind)
    }

    /// Whether the channel has failed, and nothing has got on since.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Drops everything: whoever it was for is not there. The channel goes nowhere until it is opened again.
    pub(crate) fn reset(&mut self) {
        self.leads.clear();
        self.queue.clear();
        self.to = None;
        self.first = 1;
        self.sent = 0;
        self.failed = false;
        self.lead_backoff.progress();
        self.backoff.progress();
        if let Some(flight) = &mut self.flying {
            flight.load = Load::Obsolete;
        }
    }

    /// Queues a command without a sequence.
    pub(crate) fn lead(&mut self, to: To, kind: Kind, cut: u64, payload: &[u8]) {
        let waiting = self.waiting(kind, cut, payload);
        self.leads.push_back((to, waiting));
    }

    /// Queues a command and tells its sequence.
    pub(crate) fn push(&mut self, kind: Kind, cut: u64, payload: &[u8]) -> u64 {
        let waiting = self.waiting(kind, cut, payload);
        self.queue.push_back(waiting);
        self.first + self.queue.len() as u64 - 1
    }

    fn waiting(&mut self, kind: Kind, cut: u64, payload: &[u8]) -> Waiting {
        self.ids = self.ids.wrapping_add(1);
        Waiting { kind, id: CommandId(self.ids), cut, payload: payload.into() }
    }

    /// Whether a command of this kind is to leave yet, so that another one would say nothing new. One that has left
    /// does not count: the other side may have acted on it already.
    pub(crate) fn holds_back(&self, kind: Kind) -> bool {
        let left = (self.sent + 1).saturating_sub(self.first) as usize;
        self.queue.iter().skip(left).any(|waiting| waiting.kind == kind)
    }

    /// Whether a command of this kind is not acknowledged yet.
    pub(crate) fn holds(&self, kind: Kind) -> bool {
        self.queue.iter().any(|waiting| waiting.kind == kind)
    }

    /// Writes the next batch if one is due.
    pub(crate) fn send(&mut self, now: u64, out: &mut Vec<u8>) -> Result<Option<Departure>, DecodeError> {
        if self.flying.is_some() || self.due().is_none_or(|due| now < due) {
            return Ok(None);
        }
        out.clear();
        let (kind, load) = match (self.leads.front(), self.to, self.queue.front()) {
            (Some((to, lead)), ..) => {
                let header = self.from.header(*to, lead, 0);
                batch::append(out, |out| envelope::encode(&header, &lead.payload, out))?;
                (lead.kind, Load::Lead)
            }
            (None, Some(to), Some(first)) => (first.kind, Load::Window(self.write_window(to, out)?)),
            _ => return Ok(None),
        };
        if let Load::Window(last) = load {
            self.sent = self.sent.max(last);
        }
        self.last_flight = self.last_flight.checked_add(1).unwrap_or(1);
        self.flying = Some(Flight { number: self.last_flight, load, until: now.saturating_add(FLIGHT_NANOS) });
        Ok(Some(Departure { flight: self.last_flight, kind }))
    }

    /// Writes what fits; tells the last sequence of it.
    fn write_window(&self, to: To, out: &mut Vec<u8>) -> Result<u64, DecodeError> {
        let mut sequence = self.first;
        for waiting in self.queue.iter().take(WINDOW_COMMANDS) {
            if sequence > self.first && out.len() + waiting.payload.len() > WINDOW_BYTES {
                break;
            }
            let header = self.from.header(to, waiting, sequence);
            batch::append(out, |out| envelope::encode(&header, &waiting.payload, out))?;
            sequence += 1;
        }
        Ok(sequence - 1)
    }

    /// When [`send`](Self::send) has something to do, or the flight in the air is lost, if only time stands in its way.
    pub(crate) fn due(&self) -> Option<u64> {
        if let Some(flight) = self.flying {
            Some(flight.until)
        } else if self.failed {
            None
        } else if !self.leads.is_empty() {
            Some(self.lead_backoff.not_before())
        } else {
            (self.to.is_some() && !self.queue.is_empty()).then_some(self.backoff.not_before())
        }
    }

    /// The flight in the air, if its answer has been waited for long enough: it is to be settled as lost.
    pub(crate) fn overdue(&self, now: u64) -> Option<u8> {
        self.flying.filter(|flight| flight.until <= now).map(|flight| flight.number)
    }

    /// The answer to `flight`: one that is not in the air is ignored. Tells which lead was taken by it, if any.
    pub(crate) fn settle(&mut self, flight: u8, answer: Answer, now: u64) -> Result<Option<Kind>, ChannelError> {
        let Some(flight) = self.flying.take_if(|flying| flying.number == flight) else { return Ok(None) };
        match flight.load {
            Load::Lead => self.settle_lead(answer, now),
            Load::Window(_) => self.settle_window(answer, now).map(|()| None),
            Load::Obsolete => Ok(None),
        }
    }

    fn settle_lead(&mut self, answer: Answer, now: u64) -> Result<Option<Kind>, ChannelError> {
        let Some(kind) = self.leads.front().map(|(_, lead)| lead.kind) else { return Ok(None) };
        if matches!(answer.status, Status::Accepted | Status::Duplicate) {
            self.leads.pop_front();
            self.lead_backoff.progress();
            return Ok(Some(kind));
        }
        if kind.durability() == Durability::Ephemeral {
            // Not worth a second try; that it failed says nothing of what comes after it.
            self.leads.pop_front();
            return Ok(None);
        }
        self.failed = !(answer.status == Status::RetryLater && self.lead_backoff.again(answer.reason, now));
        self.outcome(kind, answer, self.lead_backoff.tries()).map(|()| None)
    }

    fn settle_window(&mut self, answer: Answer, now: u64) -> Result<(), ChannelError> {
        // Cumulative: everything below the expected sequence was taken, whatever became of the rest.
        let progress = self.take_off(answer.expected);
        if progress {
            self.backoff.progress();
        }
        let Some(front) = self.queue.front() else { return Ok(()) };
        let taken = matches!(answer.status, Status::Accepted | Status::Duplicate);
        if taken && progress {
            return Ok(());
        }
        // An answer that all was well and yet acknowledges nothing is as good as none.
        let again = taken || answer.status == Status::RetryLater;
        self.failed = !(again && self.backoff.again(answer.reason, now));
        self.outcome(front.kind, answer, self.backoff.tries())
    }

    fn outcome(&self, kind: Kind, answer: Answer, tries: u32) -> Result<(), ChannelError> {
        let Answer { status, reason, .. } = answer;
        if self.failed { Err(ChannelError { kind, status, reason, tries }) } else { Ok(()) }
    }
}

impl From {
    fn header(&self, to: To, waiting: &Waiting, sequence: u64) -> Header {
        Header {
            kind: waiting.kind,
            subtask: self.subtask,
            job: self.job,
            runtime: self.runtime,
            sender: self.sender,
            target: to.target,
            epoch: to.epoch,
            sequence,
            id: waiting.id,
            cut: waiting.cut,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::command::RuntimeId;

    fn open() -> Outbound {
        let from = From { job: 1, runtime: RuntimeId(1), sender: Attempt(100), subtask: 0 };
        let mut outbound = Outbound::new(from, 42);
        outbound.open(To { target: Attempt(2), epoch: Epoch(1) });
        outbound
    }

    fn sequences(batch: &[u8]) -> Vec<u64> {
        let mut rest = batch;
        std::iter::from_fn(|| batch::next(&mut rest).unwrap())
            .map(|bytes| envelope::decode(bytes).unwrap().header.sequence)
            .collect()
    }

    fn answer(status: Status, expected: u64) -> Answer {
        Answer { status, reason: Reason::None, expected }
    }

    #[test]
    fn a_window_is_sent_and_acknowledged_cumulatively() {
        let mut outbound = open();
        for i in 0..100_u64 {
            assert_eq!(outbound.push(Kind::NoMoreSplits, 0, &i.to_le_bytes()), i + 1);
        }
        let mut batch = Vec::new();
        let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        assert_eq!(sequences(&batch), (1..=64).collect::<Vec<_>>());
        assert_eq!(outbound.send(0, &mut batch).unwrap(), None, "one flight at a time");
        outbound.settle(flight, answer(Status::Accepted, 65), 0).unwrap();
        let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        assert_eq!(sequences(&batch), (65..=100).collect::<Vec<_>>());
        outbound.settle(flight, answer(Status::RetryLater, 80), 0).unwrap();
        assert_eq!(outbound.send(0, &mut batch).unwrap(), None, "backs off");
        let due = outbound.due().unwrap();
        assert!((5_000_000..=10_000_000).contains(&due));
        outbound.send(due, &mut batch).unwrap().unwrap();
        assert_eq!(sequences(&batch)[0], 80);
    }

    #[test]
    fn a_late_answer_of_an_earlier_flight_is_ignored() {
        let mut outbound = open();
        outbound.push(Kind::RequestSplit, 0, &[]);
        let mut batch = Vec::new();
        let first = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        outbound.settle(first, answer(Status::RetryLater, 1), 0).unwrap();
        let due = outbound.due().unwrap();
        outbound.send(due, &mut batch).unwrap().unwrap();
        outbound.settle(first, answer(Status::Accepted, 2), due).unwrap();
        assert_eq!(outbound.queue.len(), 1, "still in flight");
    }

    #[test]
    fn back_off_grows_to_a_second_and_ends_after_thirty() {
        let mut outbound = open();
        outbound.push(Kind::RequestSplit, 0, &[]);
        let (mut now, mut batch, mut longest) = (0, Vec::new(), 0);
        let error = loop {
            let flight = outbound.send(now, &mut batch).unwrap().unwrap().flight;
            if let Err(error) = outbound.settle(flight, answer(Status::RetryLater, 0), now) {
                break error;
            }
            let due = outbound.due().unwrap();
            longest = longest.max(due - now);
            now = due;
        };
        let second = 1_000_000_000;
        assert!(longest <= second && longest > second / 2);
        assert!((30 * second..32 * second).contains(&now));
        assert_eq!((error.kind, error.status), (Kind::RequestSplit, Status::RetryLater));
    }

    #[test]
    fn a_new_channel_starts_at_one_with_what_is_left() {
        let mut outbound = open();
        outbound.push(Kind::RequestSplit, 0, &[]);
        outbound.push(Kind::ReaderFinished, 0, &[]);
        let mut batch = Vec::new();
        let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        outbound.settle(flight, answer(Status::RetryLater, 2), 0).unwrap();
        outbound.open(To { target: Attempt(3), epoch: Epoch(2) });
        outbound.send(0, &mut batch).unwrap().unwrap();
        let bytes = batch::next(&mut batch.as_slice()).unwrap().unwrap();
        let header = envelope::decode(bytes).unwrap().header;
        assert_eq!((header.kind, header.sequence, header.epoch), (Kind::ReaderFinished, 1, Epoch(2)));
    }

    /// An answer acknowledges what was sent, not what waits; and one that acknowledges nothing is no success.
    #[test]
    fn an_answer_cannot_acknowledge_what_has_not_left() {
        let mut outbound = open();
        outbound.push(Kind::RequestSplit, 0, &[]);
        let mut batch = Vec::new();
        let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        outbound.push(Kind::ReaderFinished, 0, &[]);
        outbound.settle(flight, answer(Status::Accepted, 99), 0).unwrap();
        let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        assert_eq!(sequences(&batch), [2]);
        outbound.settle(flight, answer(Status::Accepted, 0), 0).unwrap();
        assert_eq!(outbound.send(0, &mut batch).unwrap(), None, "backs off");
        assert!(outbound.due().unwrap() > 0);
    }

    /// A hint that comes and goes does not keep a window alive that never arrives.
    #[test]
    fn a_hint_does_not_put_off_the_deadline_of_the_window() {
        let mut outbound = open();
        let to = To { target: Attempt(2), epoch: Epoch(1) };
        outbound.push(Kind::RequestSplit, 0, &[]);
        let (mut now, mut batch) = (0, Vec::new());
        for round in 0_u64.. {
            outbound.lead(to, Kind::BarrierComing, round, &round.to_le_bytes());
            let hint = outbound.send(now, &mut batch).unwrap().unwrap();
            assert_eq!(hint.kind, Kind::BarrierComing);
            let fate = if round % 2 == 0 { Status::Accepted } else { Status::StaleTarget };
            outbound.settle(hint.flight, answer(fate, 0), now).unwrap();
            now = outbound.due().unwrap().max(now);
            let flight = outbound.send(now, &mut batch).unwrap().unwrap().flight;
            if outbound.settle(flight, answer(Status::RetryLater, 1), now).is_err() {
                break;
            }
        }
        assert!((30_000_000_000..32_000_000_000).contains(&now), "{now}");
        assert_eq!((outbound.due(), outbound.send(u64::MAX, &mut batch).unwrap()), (None, None), "silent from then on");
    }

    #[test]
    fn flights_are_numbered_from_1_to_255_for_ever() {
        let mut outbound = open();
        let mut batch = Vec::new();
        for round in 0..600_u64 {
            outbound.push(Kind::RequestSplit, 0, &[]);
            let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
            assert_eq!(u64::from(flight), round % 255 + 1);
            outbound.settle(flight, answer(Status::Accepted, round + 2), 0).unwrap();
        }
    }

    #[test]
    fn an_open_channel_needs_no_registration_any_more() {
        let from = From { job: 1, runtime: RuntimeId(1), sender: Attempt(100), subtask: 0 };
        let mut outbound = Outbound::new(from, 42);
        outbound.lead(To { target: Attempt(0), epoch: Epoch(0) }, Kind::RegisterReader, 0, &[]);
        outbound.push(Kind::RequestSplit, 0, &[]);
        let mut batch = Vec::new();
        let flight = outbound.send(0, &mut batch).unwrap().unwrap().flight;
        outbound.open(To { target: Attempt(2), epoch: Epoch(1) });
        assert_eq!(outbound.send(0, &mut batch).unwrap(), None, "one flight at a time");
        outbound.settle(flight, answer(Status::RetryLater, 0), 0).unwrap();
        assert_eq!(outbound.send(0, &mut batch).unwrap().unwrap().kind, Kind::RequestSplit);
    }
}
