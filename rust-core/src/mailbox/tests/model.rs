// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The mailbox against a queue that a child could check.

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;

const COMMANDS: usize = 12;
const RESERVED: usize = 3;
const GRANULES: usize = (64 << 10) / 64;
const RESERVED_GRANULES: usize = (4 << 10) / 64;
const BUDGET: usize = 20 << 10;
const PAGE: usize = 4 << 10;
/// In the middle of a page, soon before positions wrap.
const ORIGIN: u64 = capacity::POSITION_MASK - 100;

#[derive(Clone, Copy, Debug)]
enum Action {
    /// The command with this distance from the one expected next; `other` with another id.
    Offer {
        ahead: i64,
        len: usize,
        control: bool,
        other: bool,
    },
    Own,
    Take,
    Close,
    Reopen,
}

fn action() -> impl Strategy<Value = Action> {
    let ahead = prop_oneof![6 => Just(0), 2 => -5_i64..0, 1 => 1_i64..4];
    let offer = (ahead, 0_usize..5000, any::<bool>(), prop::bool::weighted(0.1))
        .prop_map(|(ahead, len, control, other)| Action::Offer { ahead, len, control, other });
    prop_oneof![
        20 => offer,
        2 => Just(Action::Own),
        12 => Just(Action::Take),
        1 => prop::sample::select(vec![Action::Close, Action::Reopen]),
    ]
}

/// Epoch, sequence, payload.
type Held = (u64, u64, Vec<u8>);

#[derive(Default)]
struct Model {
    /// With what each is charged to the worker budget, in pages.
    queue: VecDeque<(Held, usize)>,
    /// Granules from the last beginning of a page to the tail, up to a page.
    tail: usize,
    ids: Vec<u128>,
    epoch: u64,
    closed: bool,
    terminal: bool,
}

fn granules(held: &Held) -> usize {
    (16 + 120 + held.2.len()).div_ceil(64)
}

impl Model {
    fn granules(&self) -> usize {
        self.queue.iter().map(|(held, _)| granules(held)).sum()
    }

    fn charged(&self) -> usize {
        self.queue.iter().map(|(_, pages)| pages * PAGE).sum()
    }

    fn room(&mut self, held: Held, control: bool) -> Status {
        let (commands, all) = if control { (0, 0) } else { (RESERVED, RESERVED_GRANULES) };
        // One page of the ring stays unused.
        let full =
            self.queue.len() + 1 > COMMANDS - commands || self.granules() + granules(&held) > GRANULES - 64 - all;
        if full {
            self.terminal |= control;
            return if control { Status::TerminalRejected } else { Status::RetryLater };
        }
        let tail = self.tail + granules(&held);
        let pages = (tail - 1) / 64;
        if !control && pages > 0 && self.charged() + pages * PAGE > BUDGET {
            return Status::RetryLater;
        }
        self.tail = tail - pages * 64;
        self.queue.push_back((held, pages));
        Status::Accepted
    }

    fn offer(&mut self, sequence: u64, id: u128, payload: Vec<u8>, control: bool) -> Status {
        if self.closed || self.terminal {
            return Status::TerminalRejected;
        }
        if sequence == 0 {
            return Status::InvalidPayload;
        }
        match self.ids.get(sequence as usize - 1) {
            Some(taken) if *taken == id => return Status::Duplicate,
            Some(_) => return Status::InvalidPayload,
            None if sequence as usize > self.ids.len() + 1 => return Status::RetryLater,
            None => {}
        }
        let status = self.room((self.epoch, sequence, payload), control);
        if status == Status::Accepted {
            self.ids.push(id);
        }
        status
    }

    /// What is left of an earlier fence is dropped on the way.
    fn take(&mut self) -> Option<(u64, Vec<u8>)> {
        while let Some(((epoch, sequence, payload), _)) = self.queue.pop_front() {
            if sequence == 0 || epoch == self.epoch {
                return Some((sequence, payload));
            }
        }
        None
    }
}

fn run(actions: &[Action]) {
    let budget = Arc::new(WorkerBudget::new(BUDGET as u64));
    let limits = limits(COMMANDS as u32, RESERVED as u32);
    let mailbox = Mailbox::starting_at(address(), limits, 1, budget.clone(), ORIGIN);
    let mut model = Model { epoch: 1, tail: (ORIGIN % 64) as usize, ..Model::default() };
    mailbox.open_channel(0, SENDER, Epoch(1));
    let mut out = Vec::new();
    for (step, action) in actions.iter().enumerate() {
        match *action {
            Action::Offer { ahead, len, control, other } => {
                let sequence = (model.ids.len() as i64 + 1 + ahead).max(0) as u64;
                let (kind, payload) =
                    if control { (Kind::NoMoreSplits, vec![1; 8]) } else { (Kind::AssignSplits, split(len)) };
                let id = u128::from(sequence) + if other { 1 << 70 } else { 0 };
                let header = Header { epoch: Epoch(model.epoch), id: CommandId(id), ..header(kind, sequence) };
                let status = mailbox.offer(&bytes(&header, &payload), 0).status;
                assert_eq!(status, model.offer(sequence, id, payload, control), "{step}: {action:?}");
            }
            Action::Own => {
                let status = mailbox.offer_own(Kind::Barrier, &[3; 8], 0).status;
                let refused = model.closed || model.terminal;
                let expected =
                    if refused { Status::TerminalRejected } else { model.room((model.epoch, 0, vec![3; 8]), true) };
                assert_eq!(status, expected, "{step}");
            }
            Action::Take => {
                let taken = mailbox.take(&mut out).map(|taken| (taken.header.sequence, out.clone()));
                assert_eq!(taken, model.take(), "{step}");
            }
            Action::Close => {
                let _ = mailbox.close();
                model.closed = true;
            }
            Action::Reopen => {
                model.epoch += 1;
                model.ids.clear();
                mailbox.open_channel(0, SENDER, Epoch(model.epoch));
            }
        }
        assert_eq!(mailbox.commands() as usize, model.queue.len());
        assert_eq!(mailbox.bytes() as usize, model.granules() * 64);
        assert_eq!(budget.used() as usize, model.charged());
        assert_eq!(mailbox.terminal().is_some(), model.terminal);
    }
    drop(mailbox);
    assert_eq!(budget.used(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_mailbox_is_a_bounded_queue(actions in prop::collection::vec(action(), 1..120)) {
        run(&actions);
    }
}
