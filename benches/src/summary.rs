// Licensed under the Apache License, Version 2.0. See LICENSE.
//! Turns what the benchmarks left into one table, `summary.tsv`, and shows it.
//!
//! A row says `name ours unit rival theirs ratio`; a ratio above 1 means that ours is better, which is lower for every
//! unit here. A row replaces the one of the same name and stays until it is measured again. Results that are not there
//! leave their rows alone. `machine.txt` beside the table says what the last run was measured on, and with which flags.
//!
//! Arguments: criterion's directory, and the directory of all other results and of the table.

#![allow(clippy::print_stdout)]

use serde_json::Value;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{fs, io};

const HEADER: &str = "name\tours\tunit\trival\ttheirs\tratio";

/// Where a number comes from.
#[derive(Clone, Copy)]
enum Figure {
    /// The median over criterion's samples of this benchmark.
    Criterion(&'static str),
    /// The median over JMH's iterations of the benchmark method of this name.
    Jmh(&'static str),
    /// A line and a column of `idle_to_record.tsv`.
    IdleToRecord(&'static str, &'static str),
}

/// Name, ours, unit, rival, theirs. Names stay once given.
type Row = (&'static str, Figure, &'static str, &'static str, Figure);

const ROWS: [Row; 5] = {
    use Figure::{Criterion, IdleToRecord, Jmh};
    let rust = Criterion("admission_1p/forebay");
    [
        ("admission_rust_1p", rust, "ns", "crossbeam ArrayQueue of Box", Criterion("admission_1p/boxed")),
        (
            "admission_rust_1p_inline",
            rust,
            "ns",
            "crossbeam ArrayQueue of inline slots",
            Criterion("admission_1p/inline"),
        ),
        (
            "admission_java_1p",
            Jmh("AdmissionBenchmark.forebay"),
            "ns",
            "JCTools MpscArrayQueue",
            Jmh("AdmissionBenchmark.jctools"),
        ),
        ("idle_to_record_p50", IdleToRecord("managed", "p50"), "us", "plain lane", IdleToRecord("plain", "p50")),
        ("idle_to_record_p99", IdleToRecord("managed", "p99"), "us", "plain lane", IdleToRecord("plain", "p99")),
    ]
};

/// What the benchmarks left.
struct Results<'a> {
    criterion: &'a Path,
    /// An array of results, or null.
    jmh: Value,
    /// Lines of tabs, the first with the names of the columns; `#` before what is said of the run.
    idle_to_record: String,
}

impl Results<'_> {
    fn read<'a>(criterion: &'a Path, folder: &Path) -> Result<Results<'a>, Box<dyn Error>> {
        let jmh = if_there(fs::read_to_string(folder.join("admission_java.json")))?;
        let jmh = jmh.map_or(Ok(Value::Null), |text| serde_json::from_str(&text))?;
        let idle_to_record = if_there(fs::read_to_string(folder.join("idle_to_record.tsv")))?.unwrap_or_default();
        Ok(Results { criterion, jmh, idle_to_record })
    }

    fn get(&self, figure: Figure) -> Result<Option<f64>, Box<dyn Error>> {
        match figure {
            Figure::Criterion(name) => {
                let path = self.criterion.join(name).join("new/estimates.json");
                let Some(text) = if_there(fs::read_to_string(path))? else { return Ok(None) };
                Ok(serde_json::from_str::<Value>(&text)?["median"]["point_estimate"].as_f64())
            }
            Figure::Jmh(name) => {
                let of_name = |result: &&Value| result["benchmark"].as_str().is_some_and(|full| full.ends_with(name));
                let result = self.jmh.as_array().into_iter().flatten().find(of_name);
                Ok(result.and_then(|result| result["primaryMetric"]["scorePercentiles"]["50.0"].as_f64()))
            }
            Figure::IdleToRecord(lane, percentile) => {
                let mut lines = self.idle_to_record.lines().filter(|line| !line.starts_with('#'));
                let Some(column) = lines.next().and_then(|names| names.split('\t').position(|name| name == percentile))
                else {
                    return Ok(None);
                };
                let line = lines.find(|line| line.split('\t').next() == Some(lane));
                Ok(line.and_then(|line| line.split('\t').nth(column)).map(str::parse).transpose()?)
            }
        }
    }

    fn row(&self, row: Row) -> Result<Option<String>, Box<dyn Error>> {
        let (name, ours, unit, rival, theirs) = row;
        let (Some(ours), Some(theirs)) = (self.get(ours)?, self.get(theirs)?) else { return Ok(None) };
        Ok(Some(format!("{name}\t{ours:.1}\t{unit}\t{rival}\t{theirs:.1}\t{:.2}", theirs / ours)))
    }

    /// What the results say of the runs that they come from.
    fn flags(&self) -> String {
        let mut flags = String::new();
        for result in self.jmh.as_array().into_iter().flatten().take(1) {
            let text = |key: &str| result[key].as_str().unwrap_or("?").to_owned();
            let (jmh, vm, version) = (text("jmhVersion"), text("vmName"), text("vmVersion"));
            let _ = writeln!(flags, "# admission_java: JMH {jmh}, {vm} {version}, JVM flags {}", result["jvmArgs"]);
        }
        for line in self.idle_to_record.lines().filter(|line| line.starts_with('#')) {
            let _ = writeln!(flags, "{line}");
        }
        flags
    }
}

/// A file that may be missing.
fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The table with `row` in place of the one of the same name, or at the end.
fn put(table: &mut Vec<String>, row: String) {
    let name = |row: &str| row.split('\t').next().map(str::to_owned);
    match table.iter().position(|old| name(old) == name(&row)) {
        Some(place) => table[place] = row,
        None => table.push(row),
    }
}

/// The table in columns, for people.
fn aligned(table: &[String]) -> String {
    let rows: Vec<Vec<&str>> = table.iter().map(|row| row.split('\t').collect()).collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.len()).max();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = width(column).unwrap_or(0);
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// What a command prints first, or that it cannot be asked.
fn ask(program: &str, arguments: &[&str]) -> String {
    match Command::new(program).args(arguments).output() {
        Ok(output) => {
            let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
            String::from_utf8_lossy(&said).lines().next().unwrap_or("").trim().to_owned()
        }
        Err(_) => "unknown".to_owned(),
    }
}

fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model =
        model.map_or_else(|| ask("sysctl", &["-n", "machdep.cpu.brand_string"]), |(_, name)| name.trim().to_owned());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("").to_owned();
    format!(
        "# {model}, {cores} cores, {}; {}; {}; {}; load {load}\n\
         # admission_rust: cargo profile bench (release: fat LTO, one codegen unit), RUSTFLAGS '{}'\n",
        ask("uname", &["-srm"]),
        ask("rustc", &["--version"]),
        ask("java", &["-version"]),
        ask("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
        std::env::var("RUSTFLAGS").unwrap_or_default(),
    )
}

fn summarize(criterion: &Path, folder: &Path) -> Result<String, Box<dyn Error>> {
    let results = Results::read(criterion, folder)?;
    let file = folder.join("summary.tsv");
    let old = if_there(fs::read_to_string(&file))?.unwrap_or_default();
    let mut table = vec![HEADER.to_owned()];
    table.extend(old.lines().skip(1).map(str::to_owned));
    for row in ROWS {
        if let Some(row) = results.row(row)? {
            put(&mut table, row);
        }
    }
    fs::write(&file, table.join("\n") + "\n")?;
    let machine = machine() + &results.flags();
    fs::write(folder.join("machine.txt"), &machine)?;
    Ok(machine + &aligned(&table))
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [criterion, folder] = arguments.as_slice() else {
        println!("bench-summary: give criterion's directory and the directory of the other results");
        return ExitCode::FAILURE;
    };
    match summarize(Path::new(criterion), Path::new(folder)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("bench-summary: no table in {}: {error}", Path::new(folder).display());
            ExitCode::FAILURE
        }
    }
}
