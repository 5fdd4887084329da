// Licensed under the Apache License, Version 2.0. See LICENSE.
//! One coordinator and its readers under a simulated engine and a simulated network, single-step and seeded.
//!
//! The engine does what Zeta does: the coordinator snapshots first, the readers later, one after another, on another
//! path; a checkpoint is completed or aborted; any failure restarts everything from the last completed checkpoint, with
//! the same or another parallelism; the job ends with a checkpoint of its own. The network delays, repeats and drops.
//!
//! What a user may rely on, for every seed: the job ends; in each completed checkpoint every row of every split is
//! either emitted before it or owned once; the rows of the committed history are each row once; the worker budget is
//! given back. A failing seed is printed and replays alone with `FOREBAY_SEED`; `FOREBAY_SEEDS` sets how many run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod sim;

/// Seeds that run unless the environment says otherwise.
const SEEDS: u64 = 300;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

#[test]
fn every_row_is_emitted_once_whatever_happens() {
    if let Some(seed) = number("FOREBAY_SEED") {
        sim::run(seed);
        return;
    }
    for seed in 0..number("FOREBAY_SEEDS").unwrap_or(SEEDS) {
        // What went wrong has been printed when it comes here.
        let outcome = std::panic::catch_unwind(|| sim::run(seed));
        assert!(outcome.is_ok(), "replay with FOREBAY_SEED={seed} cargo test -p forebay-core --test simulation");
    }
}
