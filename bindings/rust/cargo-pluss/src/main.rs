// SPDX-License-Identifier: MIT OR Apache-2.0
//! cargo pluss: builds a program of a package so that its accesses are traced, and runs a command of
//! pluss on it.

mod build;
mod wrapper;

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo pluss build [CARGO OPTION...]
       cargo pluss fold|trace [CARGO OPTION...] [OPTION OF PLUSS...] -- [ARG...]

build makes the program to be traced, and prints where it is; fold and trace run pluss on it (man pluss).
Options of cargo: -p --package --bin --example --features --manifest-path, with a value; --all-features
--no-default-features --offline --locked --frozen. Kernels are functions with #[pluss::kernel].
Environment: PLUSS, the command to run; PLUSS_LIB_DIR, the folder of libpluss-trace where the linker
does not find it.
";

/// Options of cargo with a value, and without.
const WITH_VALUE: &[&str] =
    &["-p", "--package", "--bin", "--example", "--features", "--manifest-path"];
const ALONE: &[&str] =
    &["--all-features", "--no-default-features", "--offline", "--locked", "--frozen"];

/// What is cargo's of the arguments, and what is pluss's.
fn share(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let (mut cargo, mut pluss) = (Vec::new(), Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        let name = text.split_once('=').map_or(&*text, |(name, _)| name);
        if text == "--" {
            pluss.push(argument);
            break;
        } else if WITH_VALUE.contains(&&*text) {
            cargo.push(argument);
            cargo.extend(rest.next());
        } else if ALONE.contains(&&*text) || (WITH_VALUE.contains(&name) && name != text) {
            cargo.push(argument);
        } else {
            pluss.push(argument);
        }
    }
    pluss.extend(rest);
    (cargo, pluss)
}

fn run(verb: &str, arguments: Vec<OsString>) -> Result<ExitCode, String> {
    let (cargo, pluss) = share(arguments);
    if verb == "build" {
        if let Some(other) = pluss.first() {
            return Err(format!(
                "build takes options of cargo alone, not {}",
                other.to_string_lossy()
            ));
        }
        println!("{}", build::program(&cargo)?.display());
        return Ok(ExitCode::SUCCESS);
    }
    let program = build::program(&cargo)?;
    let command = env::var_os("PLUSS").unwrap_or_else(|| "pluss".into());
    // options come before the program, its arguments after it; trace takes them as they are
    let end = pluss.iter().position(|argument| argument == "--").unwrap_or(pluss.len());
    let marks = usize::from(verb == "trace" && end < pluss.len());
    let status = Command::new(&command)
        .arg(verb)
        .args(&pluss[..end])
        .arg(&program)
        .args(&pluss[end + marks..])
        .status()
        .map_err(|error| format!("{}: {error}", command.to_string_lossy()))?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}

fn main() -> ExitCode {
    if env::var_os(wrapper::FLAGS).is_some() {
        return wrapper::main();
    }
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "pluss") {
        arguments.remove(0); // cargo calls so
    }
    let verb =
        arguments.first().map(|verb| verb.to_string_lossy().into_owned()).unwrap_or_default();
    match &*verb {
        "build" | "fold" | "trace" => {
            arguments.remove(0);
            run(&verb, arguments).unwrap_or_else(|error| {
                eprintln!("cargo pluss: {error}");
                ExitCode::FAILURE
            })
        }
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
