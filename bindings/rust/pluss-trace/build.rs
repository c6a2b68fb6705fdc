// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds libpluss-rt: its sources alone, all MIT OR Apache-2.0.

use std::env;
use std::path::{Path, PathBuf};

/// What libpluss-rt takes from the folder that it shares with libpluss.
const BASE: &[&str] = &[
    "runtime/base/ctx.c",
    "runtime/base/status.c",
    "runtime/base/linemap.c",
    "runtime/base/line_sample.c",
];

fn sources(root: &Path) -> Vec<PathBuf> {
    let folder = root.join("runtime/rt");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = folder.read_dir().expect("a readable folder");
    let mut sources: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    sources.sort();
    sources.extend(BASE.iter().map(|name| root.join(name)));
    sources
}

fn main() {
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library
    }
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = [here.join("vendor"), here.join("../../..")]
        .into_iter()
        .find(|root| root.join("runtime/rt/rt.h").exists())
        .expect("the C sources of libpluss-rt");
    let version = env::var("CARGO_PKG_VERSION").expect("set by cargo");
    let mut build = cc::Build::new();
    for path in sources(&root) {
        println!("cargo:rerun-if-changed={}", path.display());
        build.file(path);
    }
    build
        .include(root.join("runtime"))
        .std("c11")
        .opt_level(2)
        .warnings(false)
        .define("_GNU_SOURCE", None)
        .define("PLUSSI_VERSION", Some(format!("\"{version}\"").as_str()))
        .flag("-pthread")
        .compile("pluss-rt");
}
