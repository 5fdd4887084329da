// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Schedules of three to five threads, drawn at random: too many for loom to try all.
//!
//! A lost wake-up is a deadlock, which fails. What fails prints its schedule; `FOREBAY_SCHEDULE=<text>` replays it, and
//! `FOREBAY_SCHEDULES=<n>` draws more of them.

use super::*;
use ::shuttle::scheduler::{PctScheduler, RandomScheduler};
use ::shuttle::thread::{self, JoinHandle, Thread};
use ::shuttle::{Config, Runner};
use std::env;

const SCHEDULES: usize = 5_000;

/// Points at which a schedule may prefer another thread, which finds rare orders that even chances do not.
const DEPTH: usize = 4;

fn explore(body: impl Fn() + Sync + Send + 'static) {
    if let Ok(schedule) = env::var("FOREBAY_SCHEDULE") {
        return ::shuttle::replay(body, &schedule);
    }
    let schedules = env::var("FOREBAY_SCHEDULES").ok().map_or(SCHEDULES, |text| text.parse().unwrap());
    let mut config = Config::default();
    // A mailbox on the stack, in a build without optimisation.
    config.stack_size = 1 << 20;
    config.silence_warnings = true;
    let body = Arc::new(body);
    let again = body.clone();
    Runner::new(RandomScheduler::new(schedules), config.clone()).run(move || body());
    Runner::new(PctScheduler::new(DEPTH, schedules), config).run(move || again());
}

fn mailbox(receiver: Receiver, max_commands: u32, channels: usize, budget: &Arc<WorkerBudget>) -> Arc<Mailbox> {
    let limits =
        Limits { max_commands, max_bytes: 64 << 10, reserved_commands: 2, reserved_bytes: 0, max_payload: 4096 };
    let address = Address { receiver, ..address() };
    let mailbox = Mailbox::starting_at(address, limits, channels, budget.clone(), 0);
    (0..channels).for_each(|channel| mailbox.open_channel(channel, SENDER, EPOCH));
    Arc::new(mailbox)
}

/// Offers until a command is taken or refused for good, as a sender does, and wakes the owner when told to.
fn send(mailbox: &Mailbox, owner: &Thread, bytes: &[u8]) -> Status {
    loop {
        let admission = mailbox.offer(bytes, 0);
        if admission.wake == Wake::Unpark {
            owner.unpark();
        }
        if admission.status != Status::RetryLater {
            return admission.status;
        }
        thread::yield_now();
    }
}

/// Takes `count` commands; parks when told to.
fn take(mailbox: &Mailbox, count: usize) -> Vec<Header> {
    let mut payload = Vec::new();
    let mut taken = Vec::new();
    while taken.len() < count {
        mailbox.wake_word().begin_look();
        let before = taken.len();
        taken.extend(std::iter::from_fn(|| mailbox.take(&mut payload)).map(|it| it.header));
        if taken.len() == before && mailbox.wake_word().try_park() {
            thread::park();
        }
    }
    taken
}

fn spawn<T: Send + 'static>(
    mailbox: &Arc<Mailbox>,
    body: impl FnOnce(&Mailbox, Thread) -> T + Send + 'static,
) -> JoinHandle<T> {
    let (mailbox, owner) = (mailbox.clone(), thread::current());
    thread::spawn(move || body(&mailbox, owner))
}

/// Four readers speak to a coordinator whose mailbox holds less than they have to say.
#[test]
fn four_senders_fill_a_mailbox_and_none_is_lost_or_overtaken() {
    const EACH: u64 = 3;
    explore(|| {
        let budget = Arc::new(WorkerBudget::new(1 << 20));
        let mailbox = mailbox(Receiver::Coordinator, 5, 4, &budget);
        let senders: Vec<_> = (0..4)
            .map(|subtask| {
                spawn(&mailbox, move |mailbox, owner| {
                    for sequence in 1..=EACH {
                        let header = Header { subtask, ..header(Kind::RequestSplit, sequence) };
                        assert_eq!(send(mailbox, &owner, &bytes(&header, &[])), Status::Accepted);
                    }
                })
            })
            .collect();
        let taken = take(&mailbox, 4 * EACH as usize);
        for sender in senders {
            sender.join().unwrap();
        }
        for subtask in 0..4 {
            let of = taken.iter().filter(|header| header.subtask == subtask);
            assert!(of.map(|header| header.sequence).eq(1..=EACH), "reader {subtask}");
        }
        assert_eq!((mailbox.commands(), mailbox.bytes(), budget.used()), (0, 0, 0));
    });
}

/// A batch that was thought lost is sent again while its first copy still arrives; barriers come in between.
#[test]
fn three_copies_of_a_batch_and_barriers_are_taken_once() {
    explore(|| {
        let budget = Arc::new(WorkerBudget::new(1 << 20));
        let mailbox = mailbox(Receiver::Reader, 8, 1, &budget);
        let copies: Vec<_> = (0..3)
            .map(|_| {
                spawn(&mailbox, |mailbox, owner| [1, 2].map(|sequence| send(mailbox, &owner, &assign(sequence, 8))))
            })
            .collect();
        let barriers = spawn(&mailbox, |mailbox, owner| {
            for checkpoint in [7_u64, 8] {
                let admission = mailbox.offer_own(Kind::Barrier, &checkpoint.to_le_bytes(), 0);
                assert_eq!(admission.status, Status::Accepted);
                if admission.wake == Wake::Unpark {
                    owner.unpark();
                }
            }
        });
        let taken = take(&mailbox, 4);
        let statuses: Vec<_> = copies.into_iter().flat_map(|copy| copy.join().unwrap()).collect();
        barriers.join().unwrap();
        assert_eq!(statuses.iter().filter(|status| **status == Status::Accepted).count(), 2);
        assert_eq!(statuses.iter().filter(|status| **status == Status::Duplicate).count(), 4);
        let sequences = taken.iter().filter(|header| header.kind == Kind::AssignSplits).map(|header| header.sequence);
        assert!(sequences.eq([1, 2]));
        assert_eq!((mailbox.commands(), budget.used()), (0, 0));
    });
}

/// What was accepted before a close comes out, whatever else was on its way.
#[test]
fn a_close_among_three_producers_loses_nothing_that_was_accepted() {
    explore(|| {
        let budget = Arc::new(WorkerBudget::new(1 << 20));
        let mailbox = mailbox(Receiver::Coordinator, 16, 3, &budget);
        let senders: Vec<_> = (0..3)
            .map(|subtask| {
                spawn(&mailbox, move |mailbox, owner| {
                    let request = |sequence| Header { subtask, ..header(Kind::RequestSplit, sequence) };
                    [1, 2].map(|sequence| send(mailbox, &owner, &bytes(&request(sequence), &[])))
                })
            })
            .collect();
        let closer = spawn(&mailbox, |mailbox, owner| {
            if mailbox.close() == Wake::Unpark {
                owner.unpark();
            }
        });
        let mut payload = Vec::new();
        let mut taken = 0;
        loop {
            mailbox.wake_word().begin_look();
            let exhausted = mailbox.is_exhausted();
            let found = std::iter::from_fn(|| mailbox.take(&mut payload)).count();
            taken += found;
            if exhausted {
                assert_eq!(found, 0, "nothing comes after the end");
                break;
            }
            if found == 0 && mailbox.wake_word().try_park() {
                thread::park();
            }
        }
        let statuses: Vec<_> = senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect();
        closer.join().unwrap();
        assert_eq!(statuses.iter().filter(|status| **status == Status::Accepted).count(), taken);
        assert_eq!((mailbox.commands(), budget.used()), (0, 0));
    });
}

/// Two mailboxes want more than there is, and give back while others take.
#[test]
fn a_shared_budget_is_never_overdrawn_and_comes_back_whole() {
    const PAGE: u64 = 4 << 10;
    const EACH: u64 = 2;
    explore(|| {
        let budget = Arc::new(WorkerBudget::new(2 * PAGE));
        let owners: Vec<_> = (0..2)
            .map(|_| {
                let budget = budget.clone();
                thread::spawn(move || {
                    let mailbox = mailbox(Receiver::Reader, 4, 1, &budget);
                    let sender = spawn(&mailbox, move |mailbox, owner| {
                        for sequence in 1..=EACH {
                            assert_eq!(send(mailbox, &owner, &assign(sequence, 3900)), Status::Accepted);
                        }
                    });
                    assert_eq!(take(&mailbox, EACH as usize).len() as u64, EACH);
                    sender.join().unwrap();
                })
            })
            .collect();
        assert!(budget.used() <= 2 * PAGE);
        for owner in owners {
            owner.join().unwrap();
        }
        assert_eq!(budget.used(), 0);
    });
}
