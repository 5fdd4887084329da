// Licensed under the Apache License, Version 2.0. See LICENSE.
//! What the owner of a coordinator's loop remembers from turn to turn.

use super::cuts::Cuts;
use super::readers::ReaderSlot;
use super::restore::Restored;
use super::tracker::Room;
use super::{AssignError, CoordinatorConfig, Outcome, RestoreError, Step};
use crate::command::batch::Answer;
use crate::command::envelope::Header;
use crate::command::payload::{self, Payload, Registration};
use crate::command::{DecodeError, Epoch, Kind};
use crate::mailbox::{Mailbox, Status};
use crate::metadata::{CoordinatorMetadata, EnumeratorState, Identity, MetadataError, ReaderMetadata};
use crate::outbound::{ChannelError, From};
use crate::turn::NotOwner;
use std::collections::{BTreeSet, VecDeque};

/// Controls in a row after which a mail that waits is run.
const CONTROLS_IN_A_ROW: u32 = 64;

/// Bytes of a failure's text that readers are told.
const FAILURE_BYTES_MAX: usize = 2048;

/// Where the life of the enumerator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Life {
    /// Readers may register; the connector is not told yet.
    Created,
    /// The enumerator is open: it gets splits back, and readers.
    Opened,
    /// The enumerator runs: it gets everything.
    Running,
}

/// What the loop's owner remembers.
#[derive(Debug)]
pub struct State {
    config: CoordinatorConfig,
    epoch: Epoch,
    life: Life,
    readers: Vec<ReaderSlot>,
    room: Room,
    restored: Restored,
    /// Registered readers that the connector was not told of yet.
    announced: VecDeque<u32>,
    run_ordered: bool,
    /// Snapshots and notices that came before the enumerator ran.
    early: VecDeque<Step>,
    /// Subtasks that want a split and whose request was not delivered yet.
    requests: BTreeSet<u32>,
    /// Subtasks that may have something to send, and are to be looked at.
    sending: BTreeSet<u32>,
    /// Subtasks that have, but not before this time, or of which a flight is lost then. One that has got on meanwhile
    /// is looked at in vain.
    backing_off: BTreeSet<(u64, u32)>,
    /// Readers that something could not be sent to, until all that has come in is looked at: they may have said that
    /// they have it.
    unreachable: Vec<(u32, ChannelError)>,
    cuts: Cuts,
    /// Controls applied since the last mail.
    controls_in_a_row: u32,
    failure: Option<String>,
    failure_told: bool,
}

impl State {
    pub(super) fn new(config: CoordinatorConfig) -> Self {
        let reader = |subtask| {
            let from = From { job: config.job, runtime: config.runtime, sender: config.attempt, subtask };
            ReaderSlot::new(from, config.seed.wrapping_add(u64::from(subtask)))
        };
        Self {
            epoch: config.epoch,
            life: Life::Created,
            readers: (0..config.parallelism).map(reader).collect(),
            room: Room::new(config.tracker),
            restored: Restored::default(),
            announced: VecDeque::new(),
            run_ordered: false,
            early: VecDeque::new(),
            requests: BTreeSet::new(),
            sending: BTreeSet::new(),
            backing_off: BTreeSet::new(),
            unreachable: Vec::new(),
            cuts: Cuts::default(),
            controls_in_a_row: 0,
            failure: None,
            failure_told: false,
            config,
        }
    }

    pub(super) fn restore(&mut self, blob: &[u8]) -> Result<EnumeratorState, RestoreError> {
        let metadata = CoordinatorMetadata::decode(blob)?;
        metadata.identity.check(&Identity::managed(self.config.digest))?;
        // A higher epoch fences a lower one, whatever the clocks of the two lives said.
        let last = DecodeError::Undefined { field: "epoch", value: metadata.epoch.0 };
        let above = metadata.epoch.0.checked_add(1).ok_or(MetadataError::Damaged(last))?;
        self.epoch = Epoch(self.epoch.0.max(above));
        self.restored.coordinator(metadata.checkpoint, metadata.assignments, metadata.readers.unwrap_or_default())?;
        Ok(metadata.state)
    }

    pub(super) fn restore_reader(&mut self, subtask: u32, metadata: &[u8], splits: &[u8]) -> Result<(), RestoreError> {
        if self.is_opened() {
            return Err(NotOwner.into());
        }
        let metadata = ReaderMetadata::decode(metadata)?;
        metadata.identity.check(&Identity::managed(self.config.digest))?;
        let splits = match payload::decode(Kind::AssignSplits, splits).map_err(MetadataError::from)? {
            Payload::Splits(list) if list.count() > 0 => Some(splits),
            _ => None,
        };
        Ok(self.restored.reader(subtask % self.config.parallelism, &metadata, splits)?)
    }

    /// Takes note of how a step went.
    pub(super) fn report(&mut self, step: Step, outcome: Outcome) {
        if let Outcome::Failed(text) = outcome {
            self.fail(text);
            return;
        }
        match step {
            Step::Open => self.opened(),
            Step::Run => self.life = Life::Running,
            Step::Snapshot(checkpoint) => {
                self.cuts.snapshotted(checkpoint);
                for reader in &mut self.readers {
                    reader.announce_barrier(checkpoint, self.epoch);
                }
                self.sending.extend(0..self.config.parallelism);
            }
            _ => {}
        }
    }

    /// Takes note of the step that begins a turn.
    pub(super) fn grant(&mut self, step: Step) {
        if matches!(step, Step::Mail(_) | Step::Park(_)) {
            self.controls_in_a_row = 0;
        }
    }

    pub(super) fn fail(&mut self, text: String) {
        if self.failure.is_some() {
            return;
        }
        self.failure = Some(text);
        (0..self.config.parallelism).for_each(|subtask| self.tell_failure(subtask));
    }

    /// Tells a reader that has registered why it will not be served.
    fn tell_failure(&mut self, subtask: u32) {
        let (Some(text), Some(reader)) = (&self.failure, self.readers.get_mut(subtask as usize)) else { return };
        if reader.attempt.is_some() {
            // What fits any mailbox.
            let told = &text.as_bytes()[..text.floor_char_boundary(FAILURE_BYTES_MAX)];
            let to = reader.to(self.epoch);
            reader.outbound.lead(to, Kind::SourceFailed, self.cuts.cut(), told);
            self.sending.insert(subtask);
        }
    }

    /// Whether a reader is still to hear of the failure.
    pub(super) fn has_readers_to_tell(&self) -> bool {
        self.readers.iter().any(|reader| reader.outbound.leads_to(Kind::SourceFailed))
    }

    pub(super) fn failure_to_tell(&mut self, out: &mut Vec<u8>) -> Option<Step> {
        let text = self.failure.as_ref().filter(|_| !self.failure_told)?;
        out.clear();
        out.extend_from_slice(text.as_bytes());
        self.failure_told = true;
        Some(Step::Failed)
    }

    pub(super) fn settle(&mut self, subtask: u32, flight: u8, answer: Answer, now: u64) {
        let Some(reader) = self.readers.get_mut(subtask as usize) else { return };
        if let Some(due) = reader.outbound.due() {
            self.backing_off.remove(&(due, subtask));
        }
        self.sending.insert(subtask);
        if let Err(error) = reader.outbound.settle(flight, answer, now) {
            if error.status == Status::StaleTarget && !reader.is_ready() {
                reader.forget();
                return;
            }
            self.unreachable.push((subtask, error));
        }
    }

    /// Readers of which the mailbox has brought no sign that they have what could not be sent.
    pub(super) fn give_up_on_the_unreachable(&mut self) {
        for (subtask, error) in std::mem::take(&mut self.unreachable) {
            if self.readers.get(subtask as usize).is_some_and(|it| it.outbound.has_failed() && !it.is_finished()) {
                self.fail(format!("the reader of subtask {subtask} cannot be reached: {error}"));
            }
        }
    }

    /// The next batch that is due, of any reader.
    pub(super) fn next_send(&mut self, now: u64, out: &mut Vec<u8>) -> Option<Step> {
        while let Some(subtask) = self.next_sender(now) {
            let Some(reader) = self.readers.get_mut(subtask as usize) else { continue };
            if let Some(flight) = reader.outbound.overdue(now) {
                self.settle(subtask, flight, Answer::LOST, now);
                continue;
            }
            match reader.outbound.due() {
                // Nothing to send: a new command brings it back here.
                None => {}
                Some(due) if due > now => {
                    self.backing_off.insert((due, subtask));
                }
                Some(_) => match reader.outbound.send(now, out) {
                    Ok(Some(departure)) => {
                        self.backing_off.extend(reader.outbound.due().map(|due| (due, subtask)));
                        return Some(Step::Send(subtask, departure.flight));
                    }
                    Ok(None) => {}
                    Err(error) => self.fail(format!("a command for subtask {subtask} cannot be written: {error}")),
                },
            }
        }
        None
    }

    fn next_sender(&mut self, now: u64) -> Option<u32> {
        if self.backing_off.first().is_some_and(|(due, _)| *due <= now) {
            return self.backing_off.pop_first().map(|(_, subtask)| subtask);
        }
        self.sending.pop_first()
    }

    /// When the loop wants to be called again though nobody wakes it.
    pub(super) fn due(&self) -> Option<u64> {
        self.backing_off.first().map(|(due, _)| *due)
    }

    /// What earlier events have made due for the connector.
    pub(super) fn next_due(&mut self, out: &mut Vec<u8>) -> Option<Step> {
        if self.failure.is_some() || self.life < Life::Opened {
            return None;
        }
        if let Some((subtask, splits)) = self.restored.next() {
            *out = splits;
            return Some(Step::AddSplitsBack(subtask));
        }
        if let Some(subtask) = self.announced.pop_front() {
            return Some(Step::RegisterReader(subtask));
        }
        if self.run_ordered {
            self.run_ordered = false;
            return Some(Step::Run);
        }
        if self.life < Life::Running {
            return None;
        }
        self.next_early().or_else(|| self.requests.pop_first().map(Step::RequestSplit))
    }

    /// Takes ordered controls until one needs the host.
    pub(super) fn next_control(&mut self, mailbox: &Mailbox, out: &mut Vec<u8>) -> Option<Step> {
        while let Some(taken) = mailbox.take(out) {
            self.controls_in_a_row += 1;
            // Who registers with a source that has failed is to hear why.
            if self.failure.is_some() && taken.header.kind != Kind::RegisterReader {
                continue;
            }
            if let Some(step) = self.apply(&taken.header, mailbox, out) {
                return Some(step);
            }
            if let Some(step) = self.next_due(out) {
                return Some(step);
            }
        }
        None
    }

    /// Whether the connector may be called with anything but its opening.
    pub(super) fn is_opened(&self) -> bool {
        self.life > Life::Created
    }

    pub(super) fn controls_had_their_turn(&self) -> bool {
        self.controls_in_a_row >= CONTROLS_IN_A_ROW
    }

    fn apply(&mut self, header: &Header, mailbox: &Mailbox, out: &mut Vec<u8>) -> Option<Step> {
        let subtask = header.subtask;
        let bytes = std::mem::take(out);
        let step = match (header.kind, payload::decode(header.kind, &bytes).ok()?) {
            (Kind::RegisterReader, Payload::Registration(registration)) => {
                self.register(header, &registration, mailbox, out)
            }
            (Kind::RequestSplit, _) => {
                self.requests.insert(subtask);
                None
            }
            (Kind::OpenEnumerator, _) => (self.life == Life::Created).then_some(Step::Open),
            (Kind::RunEnumerator, _) => {
                self.run_ordered = self.life < Life::Running;
                None
            }
            (Kind::Barrier, Payload::Number(checkpoint)) => self.once_running(Step::Snapshot(checkpoint)),
            (Kind::CheckpointComplete, Payload::Number(checkpoint)) => {
                self.once_running(Step::CheckpointComplete(checkpoint))
            }
            (Kind::CheckpointAborted, Payload::Number(checkpoint)) => {
                self.once_running(Step::CheckpointAborted(checkpoint))
            }
            (kind, payload) => {
                self.hear(subtask, kind, &payload);
                None
            }
        };
        // The buffer's room is worth keeping; a step with a payload has put it into `out`.
        if out.is_empty() {
            *out = bytes;
            out.clear();
        }
        step
    }

    /// The engine takes checkpoints, and tells of the restored one, before it opens the enumerator; that waits, in its
    /// order, until the enumerator runs.
    fn once_running(&mut self, step: Step) -> Option<Step> {
        self.early.push_back(step);
        self.next_early()
    }

    fn next_early(&mut self) -> Option<Step> {
        if self.life < Life::Running {
            return None;
        }
        let step = self.early.pop_front()?;
        match step {
            Step::CheckpointComplete(checkpoint) => self.complete(checkpoint),
            Step::CheckpointAborted(checkpoint) => self.abort(checkpoint),
            _ => {}
        }
        Some(step)
    }

    fn hear(&mut self, subtask: u32, kind: Kind, payload: &Payload<'_>) {
        let Some(reader) = self.readers.get_mut(subtask as usize) else { return };
        match (kind, payload) {
            (Kind::CommandApplied, Payload::Number(applied)) => {
                reader.ready(self.epoch);
                reader.outbound.acknowledge(*applied);
                if self.cuts.cut() == 0 {
                    reader.applied(*applied, &mut self.room);
                }
            }
            (Kind::ReaderFinished, _) => reader.finished(),
            (Kind::ReaderCheckpointReport, Payload::Report { checkpoint, applied }) => {
                reader.reported(*checkpoint, *applied, &self.cuts, &mut self.room);
            }
            _ => {}
        }
        self.sending.insert(subtask);
    }

    /// The enumerator is open, and every part of a restored checkpoint that there is has been handed over.
    fn opened(&mut self) {
        match self.restored.check_complete() {
            Ok(()) => {
                self.life = Life::Opened;
                self.restored.reconcile(self.config.parallelism);
            }
            Err(text) => self.fail(text),
        }
    }

    fn register(
        &mut self,
        header: &Header,
        registration: &Registration<'_>,
        mailbox: &Mailbox,
        out: &mut Vec<u8>,
    ) -> Option<Step> {
        let subtask = header.subtask;
        let reader = self.readers.get_mut(subtask as usize)?;
        let replaced = reader.is_ready();
        match reader.attempt {
            // The same life again: its coordinator's channel stands or is on its way.
            Some(attempt) if attempt == header.sender => return None,
            // A life from before the current one, which nobody has told yet: it gets no channel and ends by itself.
            Some(_) if registration.created_millis <= reader.created_millis => return None,
            // The first one to register, or the first one that is really there, or one too many, which is told so.
            _ => {}
        }
        mailbox.open_channel(subtask as usize, header.sender, self.epoch);
        reader.register(header.sender, registration.created_millis, self.epoch, &self.cuts);
        self.sending.insert(subtask);
        if !std::mem::replace(&mut reader.announced, true) {
            self.announced.push_back(subtask);
        }
        self.refuse(subtask, registration, replaced);
        out.clear();
        out.extend_from_slice(registration.address);
        Some(Step::Connect(subtask))
    }

    /// Fails the source if a reader must not be one of it; a reader of a source that has failed is told so.
    fn refuse(&mut self, subtask: u32, registration: &Registration<'_>, replaced: bool) {
        if self.failure.is_some() {
            self.tell_failure(subtask);
        } else if *registration.digest != self.config.digest {
            self.fail(format!(
                "the reader of subtask {subtask} runs another connector or connector version than its enumerator: \
                 install the same connector on all members"
            ));
        } else if replaced {
            self.fail(format!("the reader of subtask {subtask} was replaced while its enumerator lives on"));
        }
    }

    fn complete(&mut self, checkpoint: u64) {
        self.cuts.completed(checkpoint);
        for reader in &mut self.readers {
            reader.completed(checkpoint, &self.cuts, &mut self.room);
        }
        self.sending.extend(0..self.config.parallelism);
    }

    fn abort(&mut self, checkpoint: u64) {
        self.cuts.aborted(checkpoint);
        for reader in &mut self.readers {
            reader.aborted(checkpoint, &self.cuts);
        }
        self.sending.extend(0..self.config.parallelism);
    }

    fn check_subtask(&self, subtask: u32) -> Result<usize, AssignError> {
        let parallelism = self.config.parallelism;
        if subtask < parallelism { Ok(subtask as usize) } else { Err(AssignError::Subtask { subtask, parallelism }) }
    }

    pub(super) fn assign(&mut self, subtask: u32, splits: &[u8]) -> Result<(), AssignError> {
        let Payload::Splits(list) = payload::decode(Kind::AssignSplits, splits)? else { return Ok(()) };
        let index = self.check_subtask(subtask)?;
        if self.readers[index].was_told_no_more_splits() {
            return Err(AssignError::AfterNoMoreSplits(subtask));
        }
        if self.readers[index].is_finished() {
            return Err(AssignError::AfterEnd(subtask));
        }
        let commands = chunk(&list, self.config.limits.max_payload as usize)?;
        let (more, more_bytes) = (list.count() as usize, commands.iter().map(|(_, bytes)| bytes.len()).sum());
        if !self.room.take(more, more_bytes) {
            let ((entries, bytes), limits) = (self.room.used(), self.room.limits());
            return Err(AssignError::TrackerFull { more, more_bytes, entries, bytes, limits });
        }
        for (entries, bytes) in commands {
            self.readers[index].assign(&self.cuts, entries, bytes);
        }
        self.sending.insert(subtask);
        Ok(())
    }

    pub(super) fn no_more_splits(&mut self, subtask: u32) -> Result<(), AssignError> {
        let index = self.check_subtask(subtask)?;
        self.readers[index].no_more_splits(&self.cuts);
        self.sending.insert(subtask);
        Ok(())
    }

    pub(super) fn has_assignment_capacity(&self) -> bool {
        self.room.is_ample()
    }

    /// What is assigned after this lies behind the cut already.
    pub(super) fn snapshot(&mut self, checkpoint: u64, version: u32, state: &[u8]) -> Result<Vec<u8>, RestoreError> {
        self.cuts.snapshotted(checkpoint);
        let records = self.readers.iter().flat_map(|reader| reader.records(self.config.attempt, self.epoch));
        let metadata = CoordinatorMetadata {
            identity: Identity::managed(self.config.digest),
            checkpoint,
            epoch: self.epoch,
            parallelism: self.config.parallelism,
            assignments: records.collect(),
            state: EnumeratorState { version, bytes: state.to_vec() },
            // One that is not served yet has nothing that the assignments do not tell; one that has ended may be gone.
            readers: Some(
                self.readers
                    .iter()
                    .filter(|it| it.is_ready() && !it.is_finished())
                    .filter_map(|it| it.attempt)
                    .collect(),
            ),
        };
        Ok(metadata.encode()?)
    }
}

/// A payload that fits a command, and how many splits it has.
type Chunk = (usize, Box<[u8]>);

/// Cuts a list of splits into payloads that each fit a command.
fn chunk(list: &payload::Splits<'_>, max: usize) -> Result<Vec<Chunk>, AssignError> {
    const COUNT: usize = 4;
    const LENGTH: usize = 4;
    let mut chunks = Vec::new();
    let mut chunk: Vec<&[u8]> = Vec::new();
    let mut bytes = COUNT;
    for split in list.iter() {
        let need = LENGTH + split.len();
        if COUNT + need > max {
            return Err(AssignError::SplitTooLarge { bytes: split.len(), max: max.saturating_sub(COUNT + LENGTH) });
        }
        if bytes + need > max {
            chunks.push(close_chunk(&mut chunk)?);
            bytes = COUNT;
        }
        chunk.push(split);
        bytes += need;
    }
    if !chunk.is_empty() {
        chunks.push(close_chunk(&mut chunk)?);
    }
    Ok(chunks)
}

fn close_chunk(chunk: &mut Vec<&[u8]>) -> Result<Chunk, AssignError> {
    let mut bytes = Vec::new();
    payload::encode_splits(chunk.iter().copied(), &mut bytes)?;
    let entries = chunk.len();
    chunk.clear();
    Ok((entries, bytes.into()))
}
