// Licensed under the Apache License, Version 2.0. See LICENSE.
//! The shipped library as C sees it: the programs of `tests/c` against it, plain and under valgrind.
//!
//! Where the library is: cargo does not build a package's cdylib for its tests, so this file asks cargo for it, with
//! the profile and the target folder of this very test. The test runs as `<target>/<profile>/deps/c_programs-…`, so
//! the library is `<target>/<profile>/libforebay.so` (and `.a`); cargo does nothing when it is fresh. `CC` and `CXX`
//! name other compilers than `cc` and `c++`. What is missing on a machine (valgrind, nm, a C++ compiler) is skipped
//! with a line on the standard error; a C compiler is needed.
//!
//! Every program has a time limit; a run of this file takes about ten seconds.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{env, thread};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// In the target folder, for what tests write.
const SCRATCH: &str = env!("CARGO_TARGET_TMPDIR");

const LIMIT: Duration = Duration::from_secs(120);

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];
/// What a program in another language needs beside `libforebay.a`: `rustc --print native-static-libs`.
const STATIC_NEEDS: [&str; 6] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// The folder with the library, which is fresh.
static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = env::current_exe().unwrap();
    let folder = test.parent().unwrap().parent().unwrap();
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        name => name,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--offline", "--package", "forebay", "--lib", "--profile", profile]);
    cargo.args(["--target-dir".as_ref(), folder.parent().unwrap().as_os_str()]).current_dir(ROOT);
    let built = cargo.output().unwrap();
    assert!(built.status.success(), "{cargo:?}:\n{}", String::from_utf8_lossy(&built.stderr));
    folder.to_path_buf()
});

fn compiler(variable: &str, usual: &str) -> String {
    env::var(variable).unwrap_or_else(|_| usual.to_owned())
}

/// Whether a tool is there; tells it if not. Past the test harness, which swallows what a passing test prints.
fn has(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {tool} is not installed, so this part of a test did not run");
    }
    there
}

/// Runs a command to its end or to the limit; answers what it wrote.
fn run(command: &mut Command, log: &str) -> String {
    let path = Path::new(SCRATCH).join(format!("{log}.log"));
    let file = File::create(&path).unwrap();
    let streams = file.try_clone().unwrap();
    let mut child = command.stdin(Stdio::null()).stdout(file).stderr(streams).spawn().unwrap();
    let deadline = Instant::now() + LIMIT;
    let status: Option<ExitStatus> = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if Instant::now() >= deadline => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let written = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
    match status {
        Some(status) if status.success() => written,
        Some(status) => panic!("{command:?}: {status}\n{written}"),
        None => panic!("{command:?} did not end within {LIMIT:?}\n{written}"),
    }
}

/// Compiles a program of `tests/c`; `library` is what it is linked with.
fn compile(program: &str, to: &str, library: &[&str]) -> PathBuf {
    let executable = Path::new(SCRATCH).join(to);
    let mut cc = Command::new(compiler("CC", "cc"));
    cc.args(["-std=c99", "-g", "-pthread"]).args(WARNINGS);
    cc.arg(format!("-I{ROOT}/include")).arg(format!("{ROOT}/tests/c/{program}.c"));
    cc.arg("-o").arg(&executable).args(library);
    run(&mut cc, &format!("cc-{to}"));
    executable
}

fn compile_shared(program: &str) -> PathBuf {
    let folder = LIBRARY.display();
    compile(program, program, &[&format!("-L{folder}"), "-lforebay", &format!("-Wl,-rpath,{folder}")])
}

/// Runs a program as often as `full` says, and less often under valgrind, which is fifty times slower.
fn check(program: &str, full: &[&str], under_valgrind: &[&str]) {
    let executable = compile_shared(program);
    run(Command::new(&executable).args(full), program);
    if has("valgrind") {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full", "--fair-sched=try"]);
        if !LIBRARY.ends_with("debug") {
            // Optimised code compares the unset value of a `None` before it looks whether there is one, and throws the
            // result away; valgrind takes the branch for a fault. The plain build is checked for it.
            valgrind.arg("--undef-value-errors=no");
        }
        run(valgrind.arg(&executable).args(under_valgrind), &format!("valgrind-{program}"));
    }
}

#[test]
fn two_producers_and_an_owner_count_the_same() {
    check("producers", &["200000"], &["300"]);
}

#[test]
fn every_misuse_is_answered() {
    check("misuse", &["300"], &["3"]);
}

#[test]
fn a_whole_source_in_c() {
    check("little_source", &[], &[]);
}

#[test]
fn the_static_library_does_the_same() {
    let archive = LIBRARY.join("libforebay.a");
    let mut library = vec![archive.to_str().unwrap()];
    library.extend(STATIC_NEEDS);
    let executable = compile("producers", "producers-static", &library);
    run(Command::new(executable).arg("1000"), "producers-static");
}

#[test]
fn the_header_is_cpp_as_well() {
    let cpp = compiler("CXX", "c++");
    if has(&cpp) {
        let source = Path::new(SCRATCH).join("header.cpp");
        fs::write(&source, "#include \"forebay.h\"\nint main() { return fb_error_name(FB_OK) == nullptr; }\n").unwrap();
        let mut command = Command::new(cpp);
        command.args(["-std=c++11", "-fsyntax-only"]).args(WARNINGS);
        run(command.arg(format!("-I{ROOT}/include")).arg(source), "cpp");
    }
}

/// The header and the library name the same functions, and the library shows nothing else but what the JVM looks for.
#[test]
fn the_library_exports_what_the_header_declares_and_no_more() {
    if !has("nm") {
        return;
    }
    let mut nm = Command::new("nm");
    let symbols = run(nm.args(["-D", "--defined-only"]).arg(LIBRARY.join("libforebay.so")), "nm");
    let exported: BTreeSet<_> = symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    let (ours, others): (BTreeSet<_>, BTreeSet<_>) = exported.into_iter().partition(|name| name.starts_with("fb_"));
    for name in others {
        assert!(name.starts_with("Java_dev_forebay_") || name.starts_with("JNI_On"), "{name} is exported");
    }
    let header = fs::read_to_string(Path::new(ROOT).join("include/forebay.h")).unwrap();
    let code = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let declared: BTreeSet<_> = code
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("fb_"))
        .collect();
    assert_eq!(ours, declared);
    assert!(declared.len() > 30, "{declared:?}");
}
