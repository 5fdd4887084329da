// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The C ABI of the Forebay source runtime: what `include/forebay.h` declares.
//!
//! Rules of the boundary:
//! * Downcalls only, and nothing is decided here: each export turns its arguments into Rust values, calls the core,
//!   and turns the answer into what C can hold.
//! * All memory is the caller's. The library keeps no pointer between calls and hands none out, except to texts that
//!   live as long as it does.
//! * A pointer to one value arrives as `Option<&mut …>`, so that NULL cannot be overlooked; a pointer with a length is
//!   turned into a slice by `memory`, and nothing else dereferences.
//! * A number that stands for an enum is an `i32` on its way in, because C may hand in any number.
//! * Each export runs in [`error::export`]: a panic becomes `FB_ERR_PANIC`, and the library stays usable.
//!
//! Any thread may call any export; what belongs to the owner of a turn says so, and the core refuses everybody else.

#![deny(unsafe_code)]
// The names are those of the header.
#![allow(non_camel_case_types)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

pub mod budget;
pub mod command;
pub mod coordinator;
pub mod error;
mod memory;
pub mod numbers;
pub mod reader;
pub mod types;
