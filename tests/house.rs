// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The rules of the house that a compiler does not hold: which crate may know which, where `unsafe` and atomics may
//! stand, what every file begins with. CONTRIBUTING.md lists them.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file of ours with one of the endings, by its path from the root.
fn sources(endings: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                walk(&path, endings, found);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(root(), endings, &mut found);
    let named = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&path).unwrap())
    };
    let mut sources: Vec<_> = found.into_iter().map(named).collect();
    sources.sort();
    sources
}

/// Of our crates, those that a crate's manifest names outside of its tests.
fn knows(folder: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let mut in_dependencies = false;
    let mut known = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        } else if in_dependencies && line.starts_with("forebay-") {
            known.push(line.split(['.', ' ', '=']).next().unwrap().to_owned());
        }
    }
    known
}

#[test]
fn dependencies_point_one_way() {
    assert!(knows("rust-core").is_empty());
    assert_eq!(knows("ffi"), ["forebay-core"]);
    assert_eq!(knows("jni-bridge"), ["forebay-core"]);
    assert_eq!(knows("."), ["forebay-ffi", "forebay-jni"]);
}

#[test]
fn every_file_says_its_licence_and_what_it_is() {
    for (name, text) in sources(&[".rs", ".java", ".c"]) {
        let mut lines = text.lines();
        // C99 programs say it in a comment of their own kind.
        let licence = "Licensed under the Apache License, Version 2.0. See LICENSE.";
        assert!(lines.next().is_some_and(|line| line.contains(licence)), "{name}");
        let says = lines.next().is_some_and(|line| line.starts_with("//!"));
        assert!(says || !name.ends_with(".rs"), "{name} does not begin with what it is");
    }
}

#[test]
fn unsafe_stands_only_where_it_may() {
    let allowed =
        ["command/checksum.rs", "handle.rs", "mailbox/page.rs", "turn.rs"].map(|it| "rust-core/src/".to_owned() + it);
    for (name, text) in sources(&[".rs"]) {
        let boundary = name.starts_with("ffi/") || name.starts_with("jni-bridge/") || name.starts_with("tests/");
        if !boundary && !allowed.contains(&name) {
            assert!(!text.contains("unsafe {") && !text.contains("unsafe impl"), "{name}");
        }
    }
}

#[test]
fn the_core_takes_atomics_from_its_one_seam() {
    for (name, text) in sources(&[".rs"]) {
        let seam = name == "rust-core/src/sync.rs";
        if name.starts_with("rust-core/src/") && !seam {
            assert!(!text.contains("std::sync::atomic") && !text.contains("core::sync::atomic"), "{name}");
        }
    }
}

#[test]
fn nothing_is_left_for_later_in_a_comment() {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    for (name, text) in sources(&[".rs", ".java", ".c", ".h", ".md"]) {
        for mark in marks {
            assert!(!text.contains(mark), "{name} has a {mark}");
        }
    }
}

#[test]
fn lines_fit_a_screen() {
    for (name, text) in sources(&[".rs", ".java", ".c"]) {
        for (number, line) in (1..).zip(text.lines()) {
            assert!(line.chars().count() <= 120, "{name}:{number} has {} characters", line.chars().count());
        }
    }
}
