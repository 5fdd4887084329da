// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `include/forebay.h` has the core's numbers under the core's names: all of them, and no others.

#![allow(clippy::unwrap_used)]

use forebay_core::command::Kind;
use forebay_core::error::ErrorCode;
use forebay_core::mailbox::{Reason, Status, Terminal};
use forebay_core::step::Carried;
use std::collections::BTreeMap;

const HEADER: &str = include_str!("../../include/forebay.h");

/// The enum items of the header whose names begin with `prefix`.
fn items(prefix: &str) -> BTreeMap<String, i32> {
    let assignments = HEADER.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
    let named = assignments.filter(|(name, _)| name.starts_with(prefix));
    named.map(|(name, number)| (name.to_owned(), number.parse().unwrap())).collect()
}

/// `RetryLater` as C has it: `RETRY_LATER`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for (i, letter) in name.char_indices() {
        if letter.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

fn expected<T: std::fmt::Debug>(prefix: &str, all: &[T], number: impl Fn(&T) -> i32) -> BTreeMap<String, i32> {
    all.iter().map(|item| (format!("{prefix}{}", screaming(&format!("{item:?}"))), number(item))).collect()
}

#[test]
fn kinds() {
    assert_eq!(items("FB_KIND_"), expected("FB_KIND_", Kind::ALL, |kind| *kind as i32));
}

#[test]
fn statuses() {
    assert_eq!(items("FB_STATUS_"), expected("FB_STATUS_", Status::ALL, |status| *status as i32));
}

#[test]
fn reasons() {
    assert_eq!(items("FB_REASON_"), expected("FB_REASON_", Reason::ALL, |reason| *reason as i32));
}

#[test]
fn causes() {
    let all = [Terminal::Cancelled, Terminal::Failed, Terminal::ReserveExhausted];
    let number = |cause: &Terminal| Carried::default().terminal(*cause).value as i32;
    assert_eq!(items("FB_TERMINAL_"), expected("FB_TERMINAL_", &all, number));
}

#[test]
fn error_codes() {
    assert_eq!(items("FB_ERR_"), expected("FB_ERR_", ErrorCode::ALL, |code| *code as i32));
    assert_eq!(items("FB_OK"), BTreeMap::from([("FB_OK".to_owned(), 0)]));
}
