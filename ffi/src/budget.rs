// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The mailbox bytes that all loops of a worker share.
//!
//! Invariant: a loop keeps its budget alive, so a budget may be closed before the loops that use it. Any thread.

#![allow(unsafe_code)]

use crate::error::{answer, closed, export, fb_code, fb_error};
use forebay_core::boundary::{Mark, Objects};
use forebay_core::error::Error;
use forebay_core::mailbox::WorkerBudget;
use forebay_core::sync::Arc;
use std::mem::MaybeUninit;

/// A budget of mailbox bytes.
pub type fb_budget_t = u64;

static BUDGETS: Objects<Arc<WorkerBudget>> = Objects::new(Mark::Budget);

/// The budget of a handle.
pub(crate) fn get(handle: fb_budget_t) -> Result<Arc<WorkerBudget>, Error> {
    BUDGETS.enter(handle).map(|budget| Arc::clone(&budget))
}

/// A budget of max_bytes for all mailboxes that are created with it, charged by the page of 4 KiB that a command
/// begins. Control commands are charged, but never refused for it.
#[unsafe(no_mangle)]
pub extern "C" fn fb_budget_create(
    max_bytes: u64,
    budget: Option<&mut MaybeUninit<fb_budget_t>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(budget, error, || BUDGETS.insert(Arc::new(WorkerBudget::new(max_bytes))))
}

/// Bytes that are in use.
#[unsafe(no_mangle)]
pub extern "C" fn fb_budget_used(
    budget: fb_budget_t,
    used: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<fb_error>>,
) -> fb_code {
    answer(used, error, || Ok(get(budget)?.used()))
}

/// Ends the handle. Loops that were created with the budget keep it.
#[unsafe(no_mangle)]
pub extern "C" fn fb_budget_close(budget: fb_budget_t, error: Option<&mut MaybeUninit<fb_error>>) -> fb_code {
    export(error, || closed(BUDGETS.close(budget)))
}
