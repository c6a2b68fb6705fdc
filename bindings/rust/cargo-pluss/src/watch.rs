// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program whose kernels are watched, for a record of the chunks of the nest's loops.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::take;

/// The numbers of the loops of Rayon in a nest, as pluss has them.
fn numbers_of_loops(nest: &OsStr) -> Result<String, String> {
    let pluss = env::var_os("PLUSS").unwrap_or_else(|| "pluss".into());
    let output = Command::new(&pluss)
        .args(["nests", "--json"])
        .arg(nest)
        .output()
        .map_err(|error| format!("{}: {error}", pluss.to_string_lossy()))?;
    let nests: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let loops = nests["regions"][0]["loops"].as_array().cloned().unwrap_or_default();
    let numbers: Vec<String> = loops
        .iter()
        .filter(|found| found["schedule"] == "rayon")
        .map(|found| found["loop"].to_string())
        .collect();
    if numbers.is_empty() {
        return Err(format!("{} has no loop of Rayon", nest.to_string_lossy()));
    }
    Ok(numbers.join(","))
}

/// The program's exit status.
pub fn run(
    program: &Path,
    mut options: Vec<OsString>,
    arguments: &[OsString],
) -> Result<u8, String> {
    let mut command = Command::new(program);
    command.args(arguments.iter().skip(1)); // without "--"
    if let Some(threads) = take(&mut options, "-T").or_else(|| take(&mut options, "--threads")) {
        command.env("RAYON_NUM_THREADS", threads);
    }
    if let Some(at) = options.iter().position(|option| option == "--pinned") {
        options.remove(at);
        command.env("PLUSS_WATCH_PINNED", "1");
    }
    match (take(&mut options, "--nest"), take(&mut options, "-o")) {
        (Some(nest), Some(record)) => {
            command.env("PLUSS_WATCH_LOOPS", numbers_of_loops(&nest)?).env("PLUSS_WATCH", record);
        }
        (None, None) => (),
        _ => return Err("--nest and -o go together".into()),
    }
    if let Some(other) = options.first() {
        return Err(format!("watch does not take {}", other.to_string_lossy()));
    }
    let status = command.status().map_err(|error| format!("{}: {error}", program.display()))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// When each thread's pieces of a loop began and ended, in a record.
fn times(record: &str) -> BTreeMap<&str, Vec<Vec<(u64, u64)>>> {
    let mut loops: BTreeMap<&str, Vec<Vec<(u64, u64)>>> = BTreeMap::new();
    for line in record.lines().filter_map(|line| line.strip_prefix("times ")) {
        let Some((key, rest)) = line.split_once(" thread ") else { continue };
        let pieces = rest.split(' ').filter_map(|piece| piece.split_once('-'));
        let pieces = pieces.filter_map(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        loops.entry(key).or_default().push(pieces.collect());
    }
    loops
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// What `--progress pool` needs, from records of watched runs that make so many accesses each: the
/// median time from a loop's first piece to another thread's first (NaN: there is none), and of an access.
fn pool_of(records: &[String], accesses: f64) -> (f64, f64) {
    let (mut late, mut access) = (Vec::new(), Vec::new());
    for loops in records.iter().map(|record| times(record)) {
        let mut busy = 0.0;
        for threads in loops.values() {
            let mut starts: Vec<u64> = threads.iter().map(|pieces| pieces[0].0).collect();
            starts.sort_unstable();
            late.extend(starts.get(1).map(|second| (second - starts[0]) as f64));
            busy += threads.iter().flatten().map(|(from, to)| (to - from) as f64).sum::<f64>();
        }
        access.push(busy / accesses);
    }
    (median(late).unwrap_or(f64::NAN), median(access).unwrap_or(f64::NAN))
}

/// Runs the watched program several times, and prints the `--progress pool` of it.
pub fn calibrate(
    program: &Path,
    mut options: Vec<OsString>,
    arguments: &[OsString],
) -> Result<u8, String> {
    let nest = take(&mut options, "--nest").ok_or("calibrate needs --nest")?;
    let threads = take(&mut options, "-T").ok_or("calibrate needs -T")?;
    let runs = take(&mut options, "--runs").unwrap_or_else(|| "10".into());
    let runs: usize = runs.to_str().and_then(|n| n.parse().ok()).ok_or("--runs: no number")?;
    let pinned = options.iter().position(|option| option == "--pinned");
    let pinned: Vec<OsString> = pinned.map(|at| options.remove(at)).into_iter().collect();
    let pluss = env::var_os("PLUSS").unwrap_or_else(|| "pluss".into());
    let output = Command::new(&pluss)
        .args(["simulate", "--json", "--cache", "none", "-T", "1"])
        .arg(&nest)
        .args(&options)
        .output()
        .map_err(|error| format!("{}: {error}", pluss.to_string_lossy()))?;
    let curves: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let accesses = curves["curves"][0]["accesses"].as_f64().ok_or("the nest has no accesses")?;
    let path = env::temp_dir().join(format!("cargo-pluss.{}", std::process::id()));
    let mut records = Vec::new();
    for _ in 0..runs {
        let mut own: Vec<OsString> = pinned.clone();
        own.extend(["-T".into(), threads.clone(), "--nest".into(), nest.clone()]);
        own.extend(["-o".into(), path.clone().into_os_string()]);
        let status = run(program, own, arguments)?;
        if status != 0 {
            return Ok(status);
        }
        records.push(fs::read_to_string(&path).map_err(|error| format!("a record: {error}"))?);
    }
    let _ = fs::remove_file(&path);
    let (wake, access) = pool_of(&records, accesses);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if wake.is_nan() {
        return Err("one thread executed every loop: how late others wake up is not known".into());
    }
    println!("--progress pool:{wake:.0}:{access:.6}:{cores}");
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::pool_of;

    #[test]
    fn a_pool_of_records() {
        let of = |from: u64| {
            format!(
                "times loop 0 time 0 thread 1 100-200 200-300\ntimes loop 0 time 0 thread 0 {from}-400\n\
                 times loop 0 time 1 thread 0 500-600\n"
            )
        };
        let (wake, access) = pool_of(&[of(150), of(170), of(190)], 53.0);
        assert_eq!((wake, access), (70.0, 10.0));
        assert!(pool_of(&[], 1.0).0.is_nan());
    }
}
