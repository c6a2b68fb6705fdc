// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cargo runs in place of rustc on the crates of the workspace: rustc, with the flags that trace
//! what is the user's, and the variable that `#[kernel]` reads. Build scripts, macros and the crates of pluss itself are compiled as ever.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// The variable that has the flags, and what is between them.
pub const FLAGS: &str = "PLUSS_RUSTC_FLAGS";
/// The variable that has what the kernels are built for.
pub const KERNELS: &str = "PLUSS_RUSTC_KERNELS";
/// No path has it.
pub const SEPARATOR: &str = "\u{1f}";

fn value_of<'a>(arguments: &'a [OsString], option: &str) -> Option<&'a OsStr> {
    let at = arguments.iter().position(|argument| argument == option)?;
    arguments.get(at + 1).map(OsString::as_os_str)
}

/// Whether a crate's accesses are traced, by the arguments of its rustc.
fn is_traced(arguments: &[OsString]) -> bool {
    const OURS: &[&str] = &["pluss", "pluss_macros", "pluss_rayon", "pluss_sys", "pluss_trace"];
    let Some(name) = value_of(arguments, "--crate-name") else { return false };
    let name = name.to_string_lossy();
    let host = value_of(arguments, "--crate-type").is_some_and(|kind| kind == "proc-macro");
    !host && name != "___" && !name.starts_with("build_script_") && !OURS.contains(&&*name)
}

/// Runs rustc: arguments are its path, then its own.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let Some((rustc, arguments)) = arguments.split_first() else { return ExitCode::FAILURE };
    let mut command = Command::new(rustc);
    command.args(arguments);
    if is_traced(arguments) {
        let flags = env::var_os(FLAGS).unwrap_or_default();
        let flags = flags.to_string_lossy();
        command.args(flags.split(SEPARATOR).filter(|flag| !flag.is_empty()));
        if !flags.is_empty() {
            command.env("RUSTC_BOOTSTRAP", "1");
        }
        command.env("PLUSS_KERNELS", env::var_os(KERNELS).unwrap_or_default());
    }
    match command.status() {
        Ok(status) => status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("cargo pluss: {}: {error}", rustc.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}
