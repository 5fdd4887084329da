// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What an offer goes through, on the producer's thread: checks, then reserve, copy, publish, take the sequence, wake.
//!
//! Order of the checks, of a command with a sequence (others have neither sequence nor cut, and their bytes are looked
//! at first): closed or terminal; protocol; runtime, attempt and epoch; checksum, size and payload; channel
//! (duplicate, gap, conflict); cut; capacity; worker budget. Duplicates come before capacity, so that a full mailbox
//! still knows what it has. A command is copied once, into storage that the mailbox owns.

use super::answer::{Admission, Reason, Refusal, Status};
use super::channel::{Admitting, Channel, Fence};
use super::limits::CONTROL_PAYLOAD_MAX;
use super::page::{self, GRANULE, PAGE_BYTES};
use super::{Address, Mailbox, RECORD_HEADER, Terminal};
use crate::command::envelope::{self, Envelope, Header};
use crate::command::payload::{self, Payload};
use crate::command::{Attempt, Class, CommandId, DecodeError, Epoch, Kind, Order, Receiver};
use crate::sync::Ordering;
use crate::wake::Wake;

/// A place in the ring that a producer has claimed. Its end makes it visible: as void, unless it has become a record.
struct Claim<'a> {
    mailbox: &'a Mailbox,
    position: u64,
    granules: u64,
    record: bool,
}

impl Claim<'_> {
    fn write(&self, offset: usize, bytes: &[u8]) {
        self.mailbox.ring.write(self.position, offset, bytes);
    }

    fn commit(mut self) {
        self.record = true;
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.mailbox.ring.commit(self.position, self.granules, self.record);
    }
}

impl Mailbox {
    /// Hands in a command from another loop. Any thread; never waits.
    pub fn offer(&self, bytes: &[u8], now_nanos: u64) -> Admission {
        match self.check(bytes) {
            Ok(command) => {
                let verdict = self.take_in(&command, bytes, now_nanos);
                let expected = self.expected(&command.header, verdict.is_ok());
                self.answer(verdict, expected)
            }
            Err(refusal) => self.answer(Err(refusal), 0),
        }
    }

    /// Hands in a command of the own process: a barrier, a callback of the engine. Any thread; never waits. Neither
    /// channel nor epoch nor worker budget apply.
    pub fn offer_own(&self, kind: Kind, payload: &[u8], now_nanos: u64) -> Admission {
        self.answer(self.take_own(kind, payload, now_nanos), 0)
    }

    /// Everything about a command that depends neither on its bytes' checksum nor on its channel.
    fn check<'a>(&self, bytes: &'a [u8]) -> Result<Envelope<'a>, Refusal> {
        self.check_open()?;
        let envelope = envelope::decode(bytes).map_err(header_refusal)?;
        self.check_address(&envelope.header)?;
        Ok(envelope)
    }

    fn check_open(&self) -> Result<(), Refusal> {
        if self.is_closed() {
            return Err((Status::TerminalRejected, Reason::Closed));
        }
        if self.terminal().is_some() {
            return Err((Status::TerminalRejected, Reason::Terminal));
        }
        Ok(())
    }

    fn check_address(&self, header: &Header) -> Result<(), Refusal> {
        let Address { job, runtime, attempt, receiver } = self.address;
        if header.runtime != runtime || header.job != job {
            return Err((Status::StaleTarget, Reason::Runtime));
        }
        // A reader that registers cannot know its coordinator's attempt yet.
        let unknown = header.kind == Kind::RegisterReader && header.target == Attempt(0);
        if header.target != attempt && !unknown {
            return Err((Status::StaleTarget, Reason::Attempt));
        }
        if header.kind.receiver() != receiver {
            return Err((Status::InvalidPayload, Reason::Direction));
        }
        Ok(())
    }

    fn take_in(&self, command: &Envelope<'_>, bytes: &[u8], now: u64) -> Result<Wake, Refusal> {
        let header = &command.header;
        let channel = self.channel(header).ok_or((Status::InvalidPayload, Reason::Header))?;
        let from = Fence { sender: header.sender, epoch: header.epoch };
        match header.kind.order() {
            Order::Immediate => {
                let payload = self.check_content(command, bytes)?;
                let wake = self.take_effect(header.kind, payload, channel, from)?;
                self.count(Status::Accepted);
                Ok(wake)
            }
            Order::Unsequenced => {
                self.check_content(command, bytes)?;
                self.check_opening(channel, from)?;
                channel.begin_opening(from)?;
                self.publish(header.kind.class(), [bytes, &[]], now)?;
                Ok(self.wake.signal())
            }
            Order::Sequenced => {
                let ticket = channel.check(from, header.sequence, header.id);
                // A stale command is told so before its bytes are looked at, a damaged one before its sequence is.
                if let Err(refusal @ (Status::StaleTarget, _)) = ticket {
                    return Err(refusal);
                }
                self.check_content(command, bytes)?;
                let ticket = ticket?;
                self.check_cut(header)?;
                let admitting = channel.begin(ticket)?;
                self.publish(header.kind.class(), [bytes, &[]], now)?;
                self.admit(admitting, header.id)
            }
        }
    }

    /// Takes the sequence of a command whose bytes the owner can see already; it stops at them until then.
    fn admit(&self, admitting: Admitting<'_>, id: CommandId) -> Result<Wake, Refusal> {
        if let Err(refusal) = admitting.finish(id) {
            // The owner has changed the fence, and drops what it finds from before. It may have parked at it meanwhile:
            // the answer wakes it.
            self.uncount_accepted();
            return Err(refusal);
        }
        // The owner's look reads one channel; where there are several, the signal itself has to carry the news.
        let only_channel = self.channels.len() == 1;
        Ok(if only_channel { self.wake.signal_published() } else { self.wake.signal() })
    }

    /// What is accepted can be applied: its bytes are whole, and its payload is what its kind wants.
    fn check_content<'a>(&self, command: &Envelope<'a>, bytes: &[u8]) -> Result<Payload<'a>, Refusal> {
        let header = &command.header;
        envelope::verify(bytes).map_err(|_| (Status::InvalidPayload, Reason::Checksum))?;
        if (header.kind.order() == Order::Sequenced) != (header.sequence > 0) {
            return Err((Status::InvalidPayload, Reason::Header));
        }
        let max = match header.kind.class() {
            Class::Normal => self.max_payload,
            Class::Control => self.max_payload.max(CONTROL_PAYLOAD_MAX),
        };
        if command.payload.len() > max {
            return Err((Status::InvalidPayload, Reason::TooLarge));
        }
        payload::decode(header.kind, command.payload).map_err(|_| (Status::InvalidPayload, Reason::Payload))
    }

    /// What a coordinator sends after its snapshot is applied after the reader's. The other way round nothing depends
    /// on it: what a reader says is either in its own snapshot or said again after a restore.
    fn check_cut(&self, header: &Header) -> Result<(), Refusal> {
        let ahead = header.cut > self.passed_cut.load(Ordering::Acquire);
        if ahead && self.address.receiver == Receiver::Reader {
            return Err((Status::RetryLater, Reason::Cut));
        }
        Ok(())
    }

    /// A command that opens a channel must not come from before the fence that stands.
    fn check_opening(&self, channel: &Channel, from: Fence) -> Result<(), Refusal> {
        if self.address.receiver != Receiver::Reader {
            return Ok(());
        }
        match channel.fence() {
            Some((fence, _)) if fence == from => Err((Status::Duplicate, Reason::None)),
            Some((fence, _)) if fence.epoch >= from.epoch => Err((Status::StaleTarget, Reason::Epoch)),
            _ => Ok(()),
        }
    }

    /// Commands whose admission is their effect.
    fn take_effect(&self, kind: Kind, payload: Payload<'_>, channel: &Channel, from: Fence) -> Result<Wake, Refusal> {
        channel.check_fence(from)?;
        match payload {
            Payload::Number(checkpoint) if kind == Kind::BarrierComing => {
                self.barrier_coming.fetch_max(checkpoint, Ordering::AcqRel);
                // A parked reader holds no lock: it need not wake for a hint.
                Ok(Wake::No)
            }
            Payload::Text(text) if kind == Kind::SourceFailed => Ok(self.fail(text)),
            _ => Err((Status::InvalidPayload, Reason::Direction)),
        }
    }

    fn take_own(&self, kind: Kind, payload: &[u8], now: u64) -> Result<Wake, Refusal> {
        self.check_open()?;
        let for_enumerator = matches!(kind, Kind::OpenEnumerator | Kind::RunEnumerator);
        if kind.receiver() != Receiver::Own || for_enumerator && self.address.receiver == Receiver::Reader {
            return Err((Status::InvalidPayload, Reason::Direction));
        }
        match payload::decode(kind, payload) {
            // Checkpoints count from 1: 0 is no cut.
            Err(_) | Ok(Payload::Number(0)) => return Err((Status::InvalidPayload, Reason::Payload)),
            Ok(_) => {}
        }
        let header = envelope::header_bytes(&self.own_header(kind), payload)
            .map_err(|_| (Status::InvalidPayload, Reason::TooLarge))?;
        self.publish(kind.class(), [&header, payload], now)?;
        Ok(self.wake.signal())
    }

    fn own_header(&self, kind: Kind) -> Header {
        let Address { job, runtime, attempt, .. } = self.address;
        let (epoch, id) = (Epoch(0), CommandId(0));
        Header { kind, subtask: 0, job, runtime, sender: attempt, target: attempt, epoch, sequence: 0, id, cut: 0 }
    }

    /// Reserves, copies and publishes an envelope that comes in two pieces.
    fn publish(&self, class: Class, envelope: [&[u8]; 2], now_nanos: u64) -> Result<(), Refusal> {
        let [first, second] = envelope;
        let len = first.len() + second.len();
        let granules = (RECORD_HEADER + len).div_ceil(GRANULE) as u64;
        let (position, grant) = self.capacity.claim(class, granules, |position| {
            let begun = page::begun(position, granules) * PAGE_BYTES as u64;
            self.budget.grant(class, begun).ok_or((Status::RetryLater, Reason::Budget))
        })?;
        let claim = Claim { mailbox: self, position, granules, record: false };

        let mut header = [0_u8; RECORD_HEADER];
        header[..4].copy_from_slice(&(len as u32).to_le_bytes());
        header[4..8].copy_from_slice(&(grant.bytes() as u32).to_le_bytes());
        header[8..].copy_from_slice(&now_nanos.to_le_bytes());
        claim.write(0, &header);
        claim.write(RECORD_HEADER, first);
        claim.write(RECORD_HEADER + first.len(), second);
        // From here on the bytes of the budget belong to the record.
        grant.keep();
        claim.commit();
        Ok(())
    }

    fn answer(&self, verdict: Result<Wake, Refusal>, expected: u64) -> Admission {
        let (status, reason) = match verdict {
            Ok(wake) => return Admission { status: Status::Accepted, reason: Reason::None, expected, wake },
            Err(refusal) => refusal,
        };
        // Only a control command meets full capacity with a terminal answer: the reserve was not enough.
        let exhausted = status == Status::TerminalRejected && matches!(reason, Reason::Commands | Reason::Bytes);
        let wake = match reason {
            _ if exhausted => self.terminate(Terminal::ReserveExhausted),
            Reason::NotReady => self.wake.signal(),
            _ => Wake::No,
        };
        self.count(status);
        Admission { status, reason, expected, wake }
    }

    pub(super) fn channel(&self, header: &Header) -> Option<&Channel> {
        // A reader has one coordinator, a coordinator one channel for each of its readers.
        let index = if self.address.receiver == Receiver::Reader { 0 } else { header.subtask as usize };
        self.channels.get(index)
    }

    /// The sequence that the command's own channel expects next. What another sender's channel expects is nothing to
    /// this one, who would take it for an acknowledgement.
    fn expected(&self, header: &Header, accepted: bool) -> u64 {
        if accepted && header.sequence > 0 {
            return header.sequence + 1;
        }
        let from = Fence { sender: header.sender, epoch: header.epoch };
        match self.channel(header).and_then(Channel::fence) {
            Some((fence, next)) if fence == from => next,
            _ => 0,
        }
    }
}

fn header_refusal(error: DecodeError) -> Refusal {
    match error {
        DecodeError::Version { .. } => (Status::UnsupportedProtocol, Reason::Header),
        _ => (Status::InvalidPayload, Reason::Header),
    }
}
