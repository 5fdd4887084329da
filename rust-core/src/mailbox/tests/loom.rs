// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Every schedule of two or three threads, up to a bound of preemptions.

use super::*;
use ::loom::model::Builder;
use ::loom::thread;

/// Explores with at most this many preemptions: enough for every known kind of race, few enough for seconds.
fn explore(preemptions: usize, body: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(body);
}

/// Room for a few commands in few pages: loom watches each granule.
fn small(channel: bool) -> Arc<Mailbox> {
    let limits = Limits { max_commands: 4, max_bytes: 1024, reserved_commands: 1, reserved_bytes: 0, max_payload: 100 };
    let mailbox = Mailbox::starting_at(address(), limits, 1, Arc::new(WorkerBudget::new(4096)), 0);
    if channel {
        mailbox.open_channel(0, SENDER, EPOCH);
    }
    Arc::new(mailbox)
}

fn barrier(mailbox: &Mailbox) -> Admission {
    mailbox.offer_own(Kind::Barrier, &7_u64.to_le_bytes(), 0)
}

#[test]
fn two_copies_of_a_command_are_taken_once() {
    explore(4, || {
        let mailbox = small(true);
        let other = {
            let mailbox = mailbox.clone();
            thread::spawn(move || mailbox.offer(&assign(1, 1), 0).status)
        };
        let mine = mailbox.offer(&assign(1, 1), 0).status;
        let mut statuses = [mine, other.join().unwrap()];
        statuses.sort_by_key(|status| *status as u8);
        assert_eq!(statuses[0], Status::Accepted);
        assert!(matches!(statuses[1], Status::Duplicate | Status::RetryLater), "{statuses:?}");
        assert_eq!(drain(&mailbox), [1]);
        assert_eq!((mailbox.commands(), mailbox.budget.used()), (0, 0));
    });
}

/// The last place of the reserve and two copies of the control that wants it: no reserve is exhausted by that.
#[test]
fn two_copies_do_not_exhaust_a_reserve_that_holds_one() {
    explore(4, || {
        let limits =
            Limits { max_commands: 1, max_bytes: 1024, reserved_commands: 0, reserved_bytes: 0, max_payload: 100 };
        let mailbox = Mailbox::starting_at(address(), limits, 1, Arc::new(WorkerBudget::new(4096)), 0);
        mailbox.open_channel(0, SENDER, EPOCH);
        let mailbox = Arc::new(mailbox);
        let other = {
            let mailbox = mailbox.clone();
            thread::spawn(move || mailbox.offer(&control(1), 0).status)
        };
        let _ = mailbox.offer(&control(1), 0);
        other.join().unwrap();
        assert_eq!(mailbox.terminal(), None);
        assert_eq!(drain(&mailbox), [1]);
    });
}

#[test]
fn two_producers_share_a_page() {
    explore(4, || {
        let mailbox = small(true);
        let other = {
            let mailbox = mailbox.clone();
            thread::spawn(move || barrier(&mailbox).status)
        };
        assert_eq!(mailbox.offer(&assign(1, 1), 0).status, Status::Accepted);
        assert_eq!(other.join().unwrap(), Status::Accepted);
        let mut found = drain(&mailbox);
        found.sort_unstable();
        assert_eq!(found, [0, 1]);
    });
}

/// What is accepted comes out; what is refused does not; nothing is accepted once a close has been seen.
#[test]
fn a_close_is_ordered_against_every_offer() {
    explore(4, || {
        let mailbox = small(true);
        let other = {
            let mailbox = mailbox.clone();
            thread::spawn(move || mailbox.offer(&assign(1, 1), 0).status)
        };
        let _ = mailbox.close();
        assert_eq!(barrier(&mailbox).status, Status::TerminalRejected);
        let mut taken = drain(&mailbox);
        let exhausted = mailbox.is_exhausted();
        let status = other.join().unwrap();
        assert!(!exhausted || drain(&mailbox).is_empty(), "nothing comes after the end");
        taken.extend(drain(&mailbox));
        match status {
            Status::Accepted if exhausted => assert_eq!(taken, [1]),
            Status::Accepted => assert!(mailbox.is_exhausted()),
            _ => assert_eq!((taken, status), (Vec::new(), Status::TerminalRejected)),
        }
    });
}

/// The owner takes and frees pages while a producer needs the next one.
#[test]
fn pages_are_handed_over_while_commands_flow() {
    explore(4, || {
        let mailbox = small(false);
        assert_eq!(barrier(&mailbox).status, Status::Accepted);
        let producer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || {
                assert_eq!(barrier(&mailbox).status, Status::Accepted);
                assert_eq!(barrier(&mailbox).status, Status::Accepted);
            })
        };
        let mut out = Vec::new();
        let mut count = 0;
        for _ in 0..2 {
            count += usize::from(mailbox.take(&mut out).is_some());
        }
        producer.join().unwrap();
        while let Some(taken) = mailbox.take(&mut out) {
            assert_eq!((taken.header.kind, &out[..]), (Kind::Barrier, &7_u64.to_le_bytes()[..]));
            count += 1;
        }
        assert_eq!(count, 3);
        assert_eq!((mailbox.commands(), mailbox.bytes()), (0, 0));
    });
}

/// A ring that is full, and a producer that goes on where the owner has just made room.
#[test]
fn a_full_ring_is_used_again_behind_the_head() {
    explore(2, || {
        let limits =
            Limits { max_commands: 4, max_bytes: 512, reserved_commands: 0, reserved_bytes: 0, max_payload: 64 };
        let mailbox = Mailbox::starting_at(address(), limits, 1, Arc::new(WorkerBudget::new(4096)), 0);
        mailbox.open_channel(0, SENDER, EPOCH);
        assert_eq!(mailbox.offer(&assign(1, 1), 0).status, Status::Accepted);
        assert_eq!(mailbox.offer(&assign(2, 1), 0).status, Status::Accepted);
        let mailbox = Arc::new(mailbox);
        let producer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || mailbox.offer(&assign(3, 1), 0).status)
        };
        let mut found = drain(&mailbox);
        let status = producer.join().unwrap();
        found.extend(drain(&mailbox));
        match status {
            Status::Accepted => assert_eq!(found, [1, 2, 3]),
            _ => assert_eq!((found, status), (vec![1, 2], Status::RetryLater)),
        }
    });
}

/// Looks until something comes out or a park is allowed; tells whether it was.
fn look_or_park(mailbox: &Mailbox, found: &mut Vec<u64>) -> bool {
    for _ in 0..3 {
        mailbox.wake_word().begin_look();
        let before = found.len();
        found.extend(drain(mailbox));
        if found.len() > before {
            return false;
        }
        if mailbox.wake_word().try_park() {
            return true;
        }
    }
    false
}

/// The owner parks only if nothing was published, or somebody was told to unpark it.
#[test]
fn the_owner_does_not_sleep_on_a_command() {
    explore(5, || {
        let mailbox = small(false);
        let producer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || barrier(&mailbox).wake)
        };
        let parked = look_or_park(&mailbox, &mut Vec::new());
        let wake = producer.join().unwrap();
        assert!(!parked || wake == Wake::Unpark);
    });
}

/// In a flow a signal stands already, and the commands of a channel are published by their sequence alone.
#[test]
fn the_owner_does_not_sleep_on_a_flow() {
    explore(4, || {
        let mailbox = small(true);
        let producer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || {
                let first = mailbox.offer(&assign(1, 1), 0);
                let second = mailbox.offer(&assign(2, 1), 0);
                assert_eq!([first.status, second.status], [Status::Accepted; 2]);
                [first.wake, second.wake]
            })
        };
        let mut found = Vec::new();
        let mut parked = look_or_park(&mailbox, &mut found);
        if !parked {
            parked = look_or_park(&mailbox, &mut found);
        }
        let wakes = producer.join().unwrap();
        let slept = parked && !wakes.contains(&Wake::Unpark);
        assert!(!slept || found == [1, 2], "parked with {found:?} and {wakes:?}");
        found.extend(drain(&mailbox));
        assert_eq!(found, [1, 2]);
    });
}

/// Of several channels the owner's look reads one: the signal itself has to carry the news of the others.
#[test]
fn the_owner_of_two_channels_does_not_sleep_on_a_flow() {
    explore(3, || {
        let limits =
            Limits { max_commands: 4, max_bytes: 1024, reserved_commands: 1, reserved_bytes: 0, max_payload: 100 };
        let address = Address { receiver: Receiver::Coordinator, ..address() };
        let mailbox = Arc::new(Mailbox::starting_at(address, limits, 2, Arc::new(WorkerBudget::new(4096)), 0));
        (0..2).for_each(|channel| mailbox.open_channel(channel, SENDER, EPOCH));
        let producer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || {
                let offer = |subtask| {
                    let header = Header { subtask, ..header(Kind::RequestSplit, 1) };
                    mailbox.offer(&bytes(&header, &[]), 0).wake
                };
                [offer(1), offer(0)]
            })
        };
        let mut found = Vec::new();
        let parked = look_or_park(&mailbox, &mut found) || look_or_park(&mailbox, &mut found);
        let wakes = producer.join().unwrap();
        assert!(!parked || wakes.contains(&Wake::Unpark) || found.len() == 2, "parked with {found:?} and {wakes:?}");
        found.extend(drain(&mailbox));
        assert_eq!(found.len(), 2);
    });
}

/// A command of the fence that comes is never stale, one of the fence that goes is never applied after the change.
#[test]
fn a_fence_that_changes_during_an_offer() {
    explore(4, || {
        let mailbox = small(true);
        let next = Header { sender: Attempt(9), epoch: Epoch(5), ..header(Kind::NoMoreSplits, 1) };
        let producer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || {
                let before = mailbox.offer(&control(1), 0).status;
                let after = mailbox.offer(&bytes(&next, &[1; 8]), 0).status;
                (before, after)
            })
        };
        mailbox.open_channel(0, Attempt(9), Epoch(5));
        let early = drain(&mailbox);
        let (before, after) = producer.join().unwrap();
        assert!(matches!(before, Status::Accepted | Status::StaleTarget | Status::RetryLater), "{before:?}");
        assert!(matches!(after, Status::Accepted | Status::RetryLater), "a valid command is not stale: {after:?}");
        let mut out = Vec::new();
        let late: Vec<_> = std::iter::from_fn(|| mailbox.take(&mut out)).map(|it| it.header.epoch).collect();
        assert!(late.iter().all(|epoch| *epoch == Epoch(5)));
        assert_eq!(early.len() + late.len(), usize::from(after == Status::Accepted));
        assert_eq!((mailbox.commands(), mailbox.budget.used()), (0, 0));
        // One whose bytes were in the queue when the fence changed is counted as what its producer was told.
        let accepted = [before, after].iter().filter(|status| **status == Status::Accepted).count();
        assert_eq!(mailbox.admissions(Status::Accepted), accepted as u64);
    });
}

/// Once `terminate` has returned, whoever looks sees it before a barrier that was admitted earlier or later.
#[test]
fn a_terminal_word_goes_before_a_barrier() {
    explore(5, || {
        let mailbox = small(false);
        let cancel = {
            let mailbox = mailbox.clone();
            thread::spawn(move || mailbox.terminate(Terminal::Cancelled))
        };
        let status = barrier(&mailbox).status;
        let _ = cancel.join().unwrap();
        assert_eq!(mailbox.terminal(), Some(Terminal::Cancelled));
        assert!(matches!(status, Status::Accepted | Status::TerminalRejected));
        assert_eq!(barrier(&mailbox).status, Status::TerminalRejected);
    });
}
