// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program to be traced, built by cargo in a profile of its own.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::wrapper;

/// Every access is marked, loops are those of the source, and the library is not the sanitizer's.
const FLAGS: &[&str] = &[
    "-Zsanitizer=thread",
    "-Zexternal-clangrt",
    "-Cllvm-args=-tsan-instrument-read-before-write=1",
    "-Cllvm-args=-unroll-runtime=false",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
    "-Cllvm-args=-inline-threshold=1000",
    "-Ccodegen-units=1",
    "-Clink-arg=-lpluss-trace",
    // parts of libc that are not shared come after what needs them: atexit, pthread_atfork
    "-Clink-arg=-lc",
];
/// Newer compilers ask for it, as the crates that are not traced have no marks.
const MIXED: &str = "-Cunsafe-allow-abi-mismatch=sanitizer";

fn rustc_takes(flags: &[&str]) -> bool {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .env("RUSTC_BOOTSTRAP", "1")
        .args(flags)
        .args(["--print", "cfg"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn flags() -> Result<OsString, String> {
    if !rustc_takes(FLAGS) {
        return Err("this rustc does not take -Zsanitizer=thread".into());
    }
    let mut flags: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    if rustc_takes(&[MIXED]) {
        flags.push(MIXED.into());
    }
    if let Some(folder) = env::var_os("PLUSS_LIB_DIR") {
        let mut flag = OsString::from("-Lnative=");
        flag.push(folder);
        flags.push(flag);
    }
    Ok(flags.join(wrapper::SEPARATOR.as_ref()))
}

/// What a program is built for, which has a profile of cargo of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Its accesses are traced.
    Traced,
    /// Its loops are watched; otherwise it is as ever.
    Watched,
}

/// Builds with these options of cargo, which have to name one program; where that is.
pub fn program(options: &[OsString], purpose: Purpose) -> Result<PathBuf, String> {
    let (profile, kernels, flags) = match purpose {
        Purpose::Traced => ("pluss", "traced", flags()?),
        Purpose::Watched => ("pluss-watched", "watched", OsString::new()),
    };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let this = env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let output = Command::new(cargo)
        .args(["build", "--message-format=json-render-diagnostics"])
        .args(["--config", &format!("profile.{profile}.inherits=\"release\"")])
        // lines of the source in what pluss says of an access
        .args(["--config", &format!("profile.{profile}.debug=\"line-tables-only\"")])
        .args(["--profile", profile])
        .args(options)
        .env("RUSTC_WORKSPACE_WRAPPER", this)
        .env(wrapper::FLAGS, flags)
        .env(wrapper::KERNELS, kernels)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the program does not build".into());
    }
    let mut programs: Vec<PathBuf> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .collect();
    programs.sort();
    programs.dedup();
    match programs.pop() {
        None => Err("there is no program: name one by --bin or --example".into()),
        Some(_) if !programs.is_empty() => Err(format!(
            "there are {} programs: name one by --bin or --example",
            programs.len() + 1
        )),
        Some(program) => Ok(program),
    }
}
