// SPDX-License-Identifier: GPL-3.0-or-later
//! Finds libpluss, or builds it from the C sources: see README.md.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PLUSS_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PLUSS_LIB_KIND");
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library, and docs.rs need not have its dependencies
    }
    if let Some(dir) = env::var_os("PLUSS_LIB_DIR") {
        link_folder(Path::new(&dir));
    } else if env::var_os("CARGO_FEATURE_VENDORED").is_some() || !link_installed() {
        build();
    }
}

/// A folder that the user names. Of both kinds the archive, unless PLUSS_LIB_KIND=dylib.
fn link_folder(dir: &Path) {
    let dir = dir
        .canonicalize()
        .unwrap_or_else(|error| panic!("PLUSS_LIB_DIR={}: {error}", dir.display()));
    println!("cargo:rustc-link-search=native={}", dir.display());
    let archive = dir.join("libpluss.a");
    if archive.exists() && env::var_os("PLUSS_LIB_KIND").as_deref() != Some("dylib".as_ref()) {
        println!("cargo:rerun-if-changed={}", archive.display());
        println!("cargo:rustc-link-lib=static=pluss");
        link_gsl();
        for name in ["libelf", "jansson", "zlib", "libzstd", "isl"] {
            probe(name);
        }
    } else {
        println!("cargo:rustc-link-lib=dylib=pluss");
    }
}

fn link_installed() -> bool {
    let version = env::var("CARGO_PKG_VERSION").expect("set by cargo");
    pkg_config::Config::new().atleast_version(&version).probe("pluss").is_ok()
}

fn probe(name: &str) {
    if let Err(error) = pkg_config::Config::new().probe(name) {
        panic!("libpluss needs the C library {name} (Debian: {}): {error}", debian(name));
    }
}

fn debian(name: &str) -> &'static str {
    match name {
        "gsl" => "libgsl-dev",
        "libelf" => "libelf-dev",
        "zlib" => "zlib1g-dev",
        "libzstd" => "libzstd-dev",
        "isl" => "libisl-dev",
        _ => "libjansson-dev",
    }
}

fn link_gsl() {
    probe("gsl");
    println!("cargo:rustc-link-lib=m");
}

/// The C sources: vendor/ in the packaged crate, the tree around it in a checkout.
fn root() -> PathBuf {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    for candidate in [here.join("vendor"), here.join("../../..")] {
        if candidate.join("ffi/pluss.h").exists() {
            return candidate;
        }
    }
    panic!("no C sources of libpluss in {}", here.join("vendor").display());
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    files.sort();
    files
}

/// All of the runtime's folders but `rt`, which is another library's, and `valgrind_tool`, a program.
fn folders(runtime: &Path) -> Vec<PathBuf> {
    println!("cargo:rerun-if-changed={}", runtime.display());
    let entries = runtime.read_dir().expect("a readable folder");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.is_dir() && !path.ends_with("rt") && !path.ends_with("valgrind_tool"))
        .collect();
    folders.sort();
    folders
}

/// Runs one of the awk programs that make strings in C of files.
fn embed(program: &Path, (name, value): (&str, String), file: &Path, to: &Path) {
    let made = Command::new("awk")
        .arg("-v")
        .arg(format!("{name}={value}"))
        .arg("-f")
        .arg(program)
        .arg(file)
        .output()
        .unwrap_or_else(|error| panic!("awk, which libpluss is built with: {error}"));
    assert!(made.status.success(), "embed.awk: {}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(to, made.stdout).expect("a file");
}

/// The preludes of generated samplers, as strings: a checkout has their sources alone.
fn embed_preludes(root: &Path, out: &Path) {
    let folder = root.join("runtime/codegen/prelude");
    println!("cargo:rerun-if-changed={}", folder.display());
    println!("cargo:rerun-if-changed={}", root.join("runtime/team/dispatch.h").display());
    for end in ["c", "rs"] {
        let variable = ("root", root.join("runtime").display().to_string());
        let file = folder.join(format!("prelude.{end}"));
        embed(&folder.join("embed.awk"), variable, &file, &out.join(format!("prelude_{end}.inc")));
    }
}

/// The parts of the page of reports, as strings; the same.
fn embed_page(root: &Path, out: &Path) {
    let folder = root.join("runtime/report/page");
    let uplot = root.join("third_party/uplot");
    println!("cargo:rerun-if-changed={}", folder.display());
    for (name, file) in [
        ("page_css", folder.join("page.css")),
        ("page_js", folder.join("page.js")),
        ("uplot_css", uplot.join("uPlot.min.css")),
        ("uplot_js", uplot.join("uPlot.iife.min.js")),
    ] {
        let variable = ("name", name.to_string());
        embed(&folder.join("embed.awk"), variable, &file, &out.join(format!("{name}.inc")));
    }
}

fn build() {
    let root = root();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    if !root.join("runtime/codegen/prelude_c.inc").exists() {
        embed_preludes(&root, &out);
        embed_page(&root, &out);
    }
    let mut sources = c_files(&root.join("ffi"));
    for folder in folders(&root.join("runtime")) {
        sources.extend(c_files(&folder));
    }
    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    let version = env::var("CARGO_PKG_VERSION").expect("set by cargo");
    cc::Build::new()
        .files(&sources)
        .include(root.join("runtime"))
        .include(root.join("ffi"))
        .include(&out)
        .std("c11")
        .opt_level(2)
        .warnings(false)
        .define("_GNU_SOURCE", None)
        .define("PLUSSI_VERSION", Some(format!("\"{version}\"").as_str()))
        .define("PLUSS_WITHOUT_ELF", None)
        .define("PLUSS_WITHOUT_JSON", None)
        .define("PLUSS_WITHOUT_ISL", None)
        .flag("-pthread")
        .compile("pluss");
    link_gsl();
}
