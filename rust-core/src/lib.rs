// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The decisions of the Forebay source runtime.
//!
//! Everything that other threads and machines want from a source is offered to a [`mailbox::Mailbox`], which admits,
//! bounds and orders it; one owner drains it, one turn at a time, through a [`loops::Loop`], which says what
//! is next: a [`reader::Reader`] or a [`coordinator::Coordinator`]. The host does what it says.
//!
//! Invariants of the whole crate:
//! * offering never waits, and never runs anything of the host;
//! * nothing here reads a clock, draws random numbers, sleeps, starts a thread or does I/O: time and seeds come in;
//! * `unsafe` stands only in [`handle`], `mailbox::page` and [`turn`], each block with its reason.
//!
//! What threads share is explored schedule by schedule, with `loom` in place of the atomics (see [`sync`]):
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --target-dir target/loom --release -p forebay-core --lib loom
//! ```

#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod backoff;
pub mod boundary;
pub mod command;
pub mod coordinator;
pub mod error;
pub mod handle;
pub mod loops;
pub mod mailbox;
pub mod metadata;
pub mod outbound;
pub mod reader;
pub mod step;
pub mod sync;
pub mod turn;
pub mod wake;
