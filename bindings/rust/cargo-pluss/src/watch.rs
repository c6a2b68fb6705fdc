// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program whose kernels are watched, for a record of the chunks of the nest's loops.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{json, Value};

use crate::take;

/// What pluss says of a nest.
fn ask<'a>(
    nest: &OsStr,
    words: &[&str],
    options: impl IntoIterator<Item = &'a OsString>,
) -> Result<Value, String> {
    let pluss = env::var_os("PLUSS").unwrap_or_else(|| "pluss".into());
    let output = Command::new(&pluss)
        .args(words)
        .arg(nest)
        .args(options)
        .output()
        .map_err(|error| format!("{}: {error}", pluss.to_string_lossy()))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The numbers of the loops of Rayon in a nest, as pluss has them.
fn numbers_of_loops(nest: &OsStr) -> Result<String, String> {
    let nests = ask(nest, &["nests", "--json"], [])?;
    let loops = nests["regions"][0]["loops"].as_array().cloned().unwrap_or_default();
    let numbers: Vec<String> = loops
        .iter()
        .filter(|found| {
            let schedule = found["schedule"].as_str().unwrap_or_default();
            schedule.split(',').next() == Some("rayon")
        })
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
    let record = match (take(&mut options, "--nest"), take(&mut options, "-o")) {
        (Some(nest), Some(record)) => {
            command.env("PLUSS_WATCH_LOOPS", numbers_of_loops(&nest)?).env("PLUSS_WATCH", &record);
            let _ = fs::remove_file(&record); // what is there afterwards is of this run
            Some(PathBuf::from(record))
        }
        (None, None) => None,
        _ => return Err("--nest and -o go together".into()),
    };
    if let Some(other) = options.first() {
        return Err(format!("watch does not take {}", other.to_string_lossy()));
    }
    let status = command.status().map_err(|error| format!("{}: {error}", program.display()))?;
    if let Some(record) = record.filter(|record| status.success() && !record.exists()) {
        return Err(format!("{}: the program has written no record", record.display()));
    }
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

/// Runs the watched program several times, prints the `--progress pool` of it, and puts its numbers
/// into the machine file, if one is named.
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
    let machine = take(&mut options, "--machine").map(PathBuf::from);
    let before = machine.as_deref().map(read_machine).transpose()?;
    let curves = ask(&nest, &["simulate", "--json", "--cache", "none", "-T", "1"], &options)?;
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
    if let (Some(path), Some(mut file)) = (machine, before) {
        let region = &ask(&nest, &["nests", "--json"], [])?["regions"][0];
        let team = threads.to_str().and_then(|n| n.parse::<u32>().ok()).ok_or("-T: no number")?;
        let command: Vec<_> = std::iter::once(program.as_os_str())
            .chain(arguments.iter().skip(1).map(OsString::as_os_str))
            .map(OsStr::to_string_lossy)
            .collect();
        put_pool(
            &mut file,
            json!({"region": region["region"], "file": region["file"], "team": team, "runs": runs,
                "command": command.join(" "), "wake": wake.max(0.001), "access": access}),
        )?;
        write_machine(&path, &file)?;
    }
    Ok(0)
}

/// The machine file, or an empty one where there is none.
fn read_machine(path: &Path) -> Result<Value, String> {
    let said = |error: &dyn Display| format!("{}: {error}", path.display());
    let file: Value = match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| said(&error))?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            json!({"version": 1, "generator": concat!("cargo-pluss ", env!("CARGO_PKG_VERSION"))})
        }
        Err(error) => return Err(said(&error)),
    };
    if file["version"] != 1 {
        return Err(said(&"this is not a machine file of version 1"));
    }
    Ok(file)
}

/// Puts a region's pool in place of that of the same region and team.
fn put_pool(file: &mut Value, pool: Value) -> Result<(), String> {
    if file.get("pools").is_none() {
        file["pools"] = json!([]);
    }
    let pools = file["pools"].as_array_mut().ok_or("pools: not an array")?;
    let same = |other: &Value| ["region", "file", "team"].iter().all(|key| other[key] == pool[key]);
    pools.retain(|other| !same(other));
    pools.push(pool);
    Ok(())
}

/// Whole, or as it was.
fn write_machine(path: &Path, file: &Value) -> Result<(), String> {
    let text = serde_json::to_string_pretty(file).expect("a value of JSON") + "\n";
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let written = fs::write(&name, text).and_then(|()| fs::rename(&name, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&name);
        format!("{}: {error}", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::{pool_of, put_pool, read_machine, write_machine};
    use serde_json::json;

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

    #[test]
    fn pools_of_a_machine_file() {
        let path = std::env::temp_dir().join(format!("pools.{}", std::process::id()));
        let mut file = read_machine(&path).unwrap();
        let pool = |region: &str, team: u32, wake: f64| json!({"region": region, "file": null, "team": team, "wake": wake});
        for (region, team, wake) in [("a", 2, 1.0), ("b", 2, 2.0), ("a", 4, 3.0), ("a", 2, 4.0)] {
            put_pool(&mut file, pool(region, team, wake)).unwrap();
        }
        file["levels"] = json!([7]);
        write_machine(&path, &file).unwrap();
        let read = read_machine(&path).unwrap();
        assert_eq!(read["pools"], json!([pool("b", 2, 2.0), pool("a", 4, 3.0), pool("a", 2, 4.0)]));
        assert_eq!(read["levels"], json!([7])); // what is not its own stays
        for text in ["{\"version\": 2}", "[", "3"] {
            std::fs::write(&path, text).unwrap();
            assert!(read_machine(&path).is_err());
        }
        std::fs::remove_file(&path).unwrap();
        let mut other = json!({"version": 1, "pools": 3});
        assert!(put_pool(&mut other, pool("a", 1, 1.0)).is_err());
        assert!(write_machine(std::path::Path::new("/nowhere/m.json"), &other).is_err());
    }
}
