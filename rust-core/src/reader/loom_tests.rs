// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The whole loop of a reader against threads that want something from it, in every schedule up to a bound.

use super::*;
use crate::command::Kind;
use loom::model::Builder;
use loom::thread;

fn explore(body: impl Fn(Arc<Reader>) + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || body(Arc::new(reader())));
}

fn reader() -> Reader {
    let limits =
        Limits { max_commands: 4, max_bytes: 12 << 10, reserved_commands: 1, reserved_bytes: 0, max_payload: 64 };
    let config = ReaderConfig {
        job: 1,
        runtime: RuntimeId(1),
        attempt: Attempt(1),
        subtask: 0,
        digest: [7; 32],
        created_millis: 1,
        address: Vec::new(),
        limits,
        poll: PollBudget::DEFAULT,
        seed: 1,
    };
    Reader::new(config, Arc::new(WorkerBudget::new(4096))).unwrap()
}

/// Takes turns from `turn` on until the loop parks or ends.
fn run(reader: &Reader, mut turn: u64) -> (Step, u64, usize) {
    let (mut out, mut snapshots) = (Vec::new(), 0);
    loop {
        let granted = reader.next(turn, Outcome::Done, Allow::NoPoll, 0, &mut out).unwrap();
        turn = granted.turn;
        match granted.step {
            Step::Snapshot(_) => snapshots += 1,
            Step::Park(_) | Step::Terminal(_) => return (granted.step, turn, snapshots),
            _ => {}
        }
    }
}

fn barrier(reader: &Reader) -> Wake {
    let admission = reader.offer_own(Kind::Barrier, &7_u64.to_le_bytes(), 0);
    admission.wake
}

/// A barrier is either taken before the owner parks, or whoever offered it is told to unpark the owner.
#[test]
fn a_parked_owner_is_woken_for_a_barrier() {
    explore(|reader| {
        let engine = {
            let reader = reader.clone();
            thread::spawn(move || barrier(&reader))
        };
        let (_, turn, before) = run(&reader, 0);
        let wake = engine.join().unwrap();
        assert!(before == 1 || wake == Wake::Unpark);
        assert_eq!(before + run(&reader, turn).2, 1);
    });
}

/// Whoever cancels reaches a parked owner, and after that no barrier is applied, whenever it was admitted.
#[test]
fn a_cancel_goes_before_a_barrier_and_wakes() {
    explore(|reader| {
        let cancel = {
            let reader = reader.clone();
            thread::spawn(move || reader.terminate(Terminal::Cancelled))
        };
        let (step, turn, _) = run(&reader, 0);
        let wake = cancel.join().unwrap();
        let ended = matches!(step, Step::Terminal(_));
        assert!(ended || wake == Wake::Unpark);
        let _ = barrier(&reader);
        assert_eq!(run(&reader, turn).0, Step::Terminal(Terminal::Cancelled));
        assert_eq!(run(&reader, turn + 1).2, 0);
    });
}

/// The engine's thread takes turns in place of the owner: one of two is let in, the other changes nothing.
#[test]
fn a_turn_number_is_good_for_one_thread() {
    explore(|reader| {
        let next = |reader: &Reader| reader.next(0, Outcome::Done, Allow::NoPoll, 0, &mut Vec::new()).is_ok();
        let other = {
            let reader = reader.clone();
            thread::spawn(move || next(&reader))
        };
        let mine = next(&reader);
        assert!(mine ^ other.join().unwrap());
        assert!(reader.next(1, Outcome::Done, Allow::NoPoll, 0, &mut Vec::new()).is_ok());
    });
}
