// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds libpluss-rt: its sources alone, all MIT OR Apache-2.0.

use std::env;
use std::path::PathBuf;

const SOURCES: &[&str] = &[
    "runtime/rt/collect.c",
    "runtime/rt/record.c",
    "runtime/rt/runs.c",
    "runtime/rt/sequence.c",
    "runtime/base/ctx.c",
    "runtime/base/status.c",
    "runtime/base/linemap.c",
];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = [here.join("vendor"), here.join("../../..")]
        .into_iter()
        .find(|root| root.join("runtime/rt/rt.h").exists())
        .expect("the C sources of libpluss-rt");
    let version = env::var("CARGO_PKG_VERSION").expect("set by cargo");
    let mut build = cc::Build::new();
    for source in SOURCES {
        let path = root.join(source);
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
