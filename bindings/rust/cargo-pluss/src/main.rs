// SPDX-License-Identifier: MIT OR Apache-2.0
//! cargo pluss: builds a program of a package so that its accesses are traced, and runs a command of
//! pluss on it.

mod build;
mod watch;
mod wrapper;

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use build::Purpose::{Traced, Watched};

const USAGE: &str = "\
usage: cargo pluss build [CARGO OPTION...]
       cargo pluss fold|trace [CARGO OPTION...] [OPTION OF PLUSS...] -- [ARG...]
       cargo pluss watch [CARGO OPTION...] [-T N] [--pinned] [--nest=FILE -o FILE] -- [ARG...]
       cargo pluss calibrate [CARGO OPTION...] -T N --nest=FILE [-D NAME=VALUE...] [--runs=N] [--pinned]
                            [--machine=FILE] -- [ARG...]
       cargo pluss VERB --function=NAME --sizes=NAME=N,N,...  [CARGO OPTION...] [OPTION OF PLUSS...] -- [ARG...]

build makes the program to be traced, and prints where it is; fold and trace run pluss on it (man pluss).
watch makes and runs a program whose loops tell how they were cut and who ran what; with the nest of the kernel
the record of -o is one for --schedule=recorded --record=FILE. calibrate watches some runs (10), and prints the
--progress=pool of them: how late threads wake up, and what an access takes; --machine puts it into a machine file, where
--progress=pool --machine=FILE of pluss finds it. Any other
VERB of pluss, such as predict, report or advise, is given the nest that fold finds with these sizes, which is left
beside the program.
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

/// Takes `--name value` or `--name=value` out of the options.
fn take(options: &mut Vec<OsString>, name: &str) -> Option<OsString> {
    let at = options.iter().position(|option| {
        option.to_str().is_some_and(|text| text.split('=').next() == Some(name))
    })?;
    let option = options.remove(at).into_string().ok()?;
    match option.split_once('=') {
        Some((_, value)) => Some(value.into()),
        None => (at < options.len()).then(|| options.remove(at)),
    }
}

/// Runs pluss; its exit status.
fn pluss(arguments: impl IntoIterator<Item = OsString>) -> Result<u8, String> {
    let command = env::var_os("PLUSS").unwrap_or_else(|| "pluss".into());
    let status = Command::new(&command)
        .args(arguments)
        .status()
        .map_err(|error| format!("{}: {error}", command.to_string_lossy()))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// A verb of pluss on the nest of a kernel.
fn run_on_nest(
    verb: &str,
    cargo: &[OsString],
    mut options: Vec<OsString>,
    arguments: Vec<OsString>,
) -> Result<u8, String> {
    let (function, sizes) = match (take(&mut options, "--function"), take(&mut options, "--sizes"))
    {
        (Some(function), Some(sizes)) => (function, sizes),
        _ => {
            eprint!("{USAGE}");
            return Ok(2);
        }
    };
    let program = build::program(cargo, Traced)?;
    let nest = program.with_extension("nest");
    let mut fold: Vec<OsString> = ["fold", "--function"].map(OsString::from).into();
    fold.extend([function, "--sizes".into(), sizes, "-o".into(), nest.clone().into()]);
    fold.push(program.into());
    fold.extend(arguments);
    match pluss(fold)? {
        0 => {
            let mut command = vec![OsString::from(verb), nest.into()];
            command.append(&mut options);
            pluss(command)
        }
        status => Ok(status),
    }
}

fn run(verb: &str, arguments: Vec<OsString>) -> Result<u8, String> {
    let (cargo, mut options) = share(arguments);
    let end = options.iter().position(|argument| argument == "--").unwrap_or(options.len());
    let mut arguments = options.split_off(end);
    match verb {
        "build" => {
            if let Some(other) = options.first().or(arguments.first()) {
                let other = other.to_string_lossy();
                return Err(format!("build takes options of cargo alone, not {other}"));
            }
            println!("{}", build::program(&cargo, Traced)?.display());
            Ok(0)
        }
        "calibrate" => watch::calibrate(&build::program(&cargo, Watched)?, options, &arguments),
        "watch" => watch::run(&build::program(&cargo, Watched)?, options, &arguments),
        "fold" | "trace" => {
            let mut command = vec![OsString::from(verb)];
            command.append(&mut options);
            command.push(build::program(&cargo, Traced)?.into());
            if verb == "trace" && !arguments.is_empty() {
                arguments.remove(0); // it takes the program's arguments as they are
            }
            command.append(&mut arguments);
            pluss(command)
        }
        _ => run_on_nest(verb, &cargo, options, arguments),
    }
}

fn main() -> ExitCode {
    if env::var_os(wrapper::FLAGS).is_some() {
        return wrapper::main();
    }
    let mut arguments = env::args_os().skip(1).peekable();
    arguments.next_if(|first| first == "pluss"); // cargo calls so
    let verb = arguments.next().map(|verb| verb.to_string_lossy().into_owned());
    match verb.as_deref() {
        Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(verb) if !verb.starts_with('-') => match run(verb, arguments.collect()) {
            Ok(status) => ExitCode::from(status),
            Err(error) => {
                eprintln!("cargo pluss: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{share, take};
    use std::ffi::OsString;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
    }

    #[test]
    fn options_are_shared_out() {
        let (cargo, pluss) =
            share(words("--bin x -T 3 --features=a --locked --sizes n=1 -- --bin {n}"));
        assert_eq!(cargo, words("--bin x --features=a --locked"));
        assert_eq!(pluss, words("-T 3 --sizes n=1 -- --bin {n}"));
    }

    #[test]
    fn options_are_taken_in_both_forms() {
        let mut options = words("-T 3 --sizes n=1,2 --function=f --sizes-not");
        assert_eq!(take(&mut options, "--sizes"), Some("n=1,2".into()));
        assert_eq!(take(&mut options, "--function"), Some("f".into()));
        assert_eq!(take(&mut options, "--function"), None);
        assert_eq!(options, words("-T 3 --sizes-not"));
        assert_eq!(take(&mut words("--sizes"), "--sizes"), None);
    }
}
