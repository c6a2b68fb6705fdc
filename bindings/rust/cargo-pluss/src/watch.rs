// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program whose kernels are watched, for a record of the chunks of the nest's loops.

use std::env;
use std::ffi::{OsStr, OsString};
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
