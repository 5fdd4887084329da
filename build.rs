// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Holds `include/forebay.h` in step with the ffi crate: the build fails if the committed header is stale.
//!
//! `FOREBAY_UPDATE_HEADER=1 cargo build` writes it anew; nothing else ever writes into the source tree.

// A build script talks to cargo on its standard output.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// The files that export something, in the order of the header.
const SOURCES: [&str; 7] =
    ["error.rs", "numbers.rs", "types.rs", "command.rs", "budget.rs", "reader.rs", "coordinator.rs"];

const UPDATE: &str = "FOREBAY_UPDATE_HEADER";

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let root = Path::new(&root);
    let header = root.join("include/forebay.h");
    for input in ["build.rs", "cbindgen.toml", "ffi/src", "include/forebay.h"] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rerun-if-env-changed={UPDATE}");

    let wanted = generate(root)?;
    if fs::read(&header).is_ok_and(|committed| committed == wanted) {
        return Ok(());
    }
    if env::var_os(UPDATE).is_some_and(|value| value == "1") {
        fs::create_dir_all(root.join("include"))?;
        fs::write(&header, wanted)?;
        println!("cargo::warning=wrote {}: commit it", header.display());
    } else {
        println!(
            "cargo::error={} is stale, ffi says something else; regenerate and commit it: {UPDATE}=1 cargo build",
            header.display()
        );
    }
    Ok(())
}

fn generate(root: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    let sources = SOURCES.iter().map(|file| root.join("ffi/src").join(file));
    let builder = sources.fold(cbindgen::Builder::new().with_config(config), cbindgen::Builder::with_src);
    let mut header = Vec::new();
    builder.generate()?.write(&mut header);
    Ok(header)
}
