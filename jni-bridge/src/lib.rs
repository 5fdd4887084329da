// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The JNI exports of the Forebay source runtime, one file per Java class.
//!
//! Rules of the boundary: downcalls only; no references kept between calls; no critical sections; every argument is
//! checked in [`env`] before anything else sees it, but for what Java has checked ([`crossing`]); a panic becomes a
//! Java exception and the library stays usable. Nothing is decided here: each export turns its arguments into Rust
//! values, calls the core, and turns the answer into what JNI can carry.

pub mod crossing;
mod env;
mod loops;
pub mod native_budget;
pub mod native_coordinator;
pub mod native_library;
pub mod native_reader;
mod offers;
mod step;
