// SPDX-License-Identifier: GPL-3.0-or-later
//! The Rust declarations against the C header: both texts are reduced to the same form and
//! compared, and sizes, offsets and constants are asked of the C compiler.

use std::collections::BTreeMap;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

use pluss_sys::*;

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    [here.join("vendor"), here.join("../../..")]
        .into_iter()
        .find(|root| root.join("ffi/pluss.h").exists())
        .expect("the C header")
}

fn without_comments(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        out.push_str(&rest[..at]);
        let tail = &rest[at + open.len()..];
        rest = &tail[tail.find(close).expect("a comment's end")..][close.len()..];
        out.push(' ');
    }
    out + rest
}

fn header() -> String {
    let text = std::fs::read_to_string(root().join("ffi/pluss.h")).expect("pluss.h");
    without_comments(&text, "/*", "*/")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n")
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A C type as Rust writes it.
fn rust_type(c: &str) -> String {
    let c = words(&c.replace('*', " * "));
    let mut tokens: Vec<&str> = c.split(' ').collect();
    let mut constant = tokens[0] == "const";
    if constant {
        tokens.remove(0);
    }
    let mut out = match tokens[0] {
        "char" => "c_char",
        "void" => "c_void",
        "int" => "c_int",
        "double" => "f64",
        "size_t" => "usize",
        "uint32_t" => "u32",
        "int32_t" => "i32",
        "uint64_t" => "u64",
        "int64_t" => "i64",
        other => other,
    }
    .to_string();
    for token in &tokens[1..] {
        match *token {
            "*" => {
                out = format!("*{} {out}", if constant { "const" } else { "mut" });
                constant = false;
            }
            "const" => constant = true,
            other => panic!("{c}: {other}"),
        }
    }
    out
}

/// "const char *name" to ("name", "*const c_char").
fn declarator(c: &str) -> (String, String) {
    let c = words(c);
    let at = c.rfind(|x: char| !x.is_alphanumeric() && x != '_').expect("a type") + 1;
    (c[at..].to_string(), rust_type(&c[..at]))
}

fn parameters(c: &str) -> String {
    if words(c) == "void" {
        return String::new();
    }
    let all: Vec<String> = c
        .split(',')
        .map(|p| {
            let (name, kind) = declarator(p);
            format!("{name}: {kind}")
        })
        .collect();
    all.join(", ")
}

/// Function name to "(a: T, ...) -> R", from the header.
fn c_functions(header: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for piece in header.split("PLUSS_API").skip(1) {
        let end = piece.find(';').expect("a prototype's end");
        let prototype = &piece[..end];
        let open = prototype.find('(').expect("parameters");
        let close = prototype.rfind(')').expect("parameters");
        let (name, result) = declarator(&prototype[..open]);
        let result = match result.as_str() {
            "c_void" => String::new(),
            other => format!(" -> {other}"),
        };
        out.insert(name, format!("({}){result}", parameters(&prototype[open + 1..close])));
    }
    out
}

/// The same from the Rust source.
fn rust_functions(source: &str) -> BTreeMap<String, String> {
    let block = &source[source.find("extern \"C\" {\n").expect("the declarations")..];
    let mut out = BTreeMap::new();
    for piece in block.split("pub fn ").skip(1) {
        let piece = words(&piece[..piece.find(';').expect("a declaration's end")]);
        let open = piece.find('(').expect("parameters");
        let text = piece[open..].replace("( ", "(").replace(", )", ")").replace(",)", ")");
        out.insert(piece[..open].to_string(), text);
    }
    out
}

fn rust_source() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"))
        .expect("src/lib.rs")
        .replace("r#", "")
}

#[test]
fn functions_are_those_of_the_header() {
    let c = c_functions(&header());
    assert!(c.len() > 50, "{} functions found in the header", c.len());
    assert_eq!(c, rust_functions(&rust_source()));
}

/// Name and body of each `typedef KIND name { body }`.
fn definitions<'a>(header: &'a str, kind: &str) -> Vec<(&'a str, &'a str)> {
    let start = format!("typedef {kind} ");
    let mut out = Vec::new();
    for piece in header.split(start.as_str()).skip(1) {
        let (Some(open), Some(end)) = (piece.find('{'), piece.find(';')) else { continue };
        if end > open {
            let close = piece.find('}').expect("a definition's end");
            out.push((piece[..open].trim(), &piece[open + 1..close]));
        }
    }
    out
}

/// Field names of a struct's body.
fn fields(body: &str) -> Vec<String> {
    let mut out = Vec::new();
    for field in body.split(';').map(words).filter(|field| !field.is_empty()) {
        if let Some(at) = field.find("(*") {
            out.push(field[at + 2..field[at..].find(')').unwrap() + at].to_string());
            continue;
        }
        for (i, name) in field.split(',').enumerate() {
            let name = if i == 0 { declarator(name).0 } else { name.trim().replace('*', "") };
            out.push(name);
        }
    }
    out
}

macro_rules! structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        /// Struct to its size and fields' offsets, as Rust sees them.
        fn rust_structs() -> Vec<(&'static str, usize, Vec<(&'static str, usize)>)> {
            vec![$((
                stringify!($name),
                size_of::<$name>(),
                vec![$((stringify!($field).trim_start_matches("r#"), offset_of!($name, $field))),*],
            )),*]
        }
    };
}

macro_rules! constants {
    ($($name:ident),* $(,)?) => {
        fn rust_constants() -> Vec<(&'static str, u64)> {
            vec![$((stringify!($name), u64::from($name))),*]
        }
    };
}

include!("list.rs");

/// Compiles and runs a C program that sees pluss.h; its output.
fn probe(name: &str, body: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join(format!("{name}.c"));
    let program = folder.join(name);
    let text = format!(
        "#include \"pluss.h\"\n#include <stdio.h>\nint main(void)\n{{\n{body}return 0;\n}}\n"
    );
    std::fs::write(&source, text).expect("the probe's source");
    // CC may be words, as in "ccache gcc"
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut words = compiler.split_whitespace();
    let status = Command::new(words.next().unwrap_or("cc"))
        .args(words)
        .arg("-I")
        .arg(root().join("ffi"))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("a C compiler");
    assert!(status.success(), "the probe does not compile: {}", source.display());
    let output = Command::new(&program).output().expect("the probe runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn structs_are_those_of_the_header() {
    let header = header();
    let c: Vec<(String, Vec<String>)> = definitions(&header, "struct")
        .into_iter()
        .map(|(name, body)| (name.to_string(), fields(body)))
        .collect();
    let rust: Vec<(String, Vec<String>)> = rust_structs()
        .into_iter()
        .map(|(name, _, fields)| {
            (name.to_string(), fields.iter().map(|(field, _)| field.to_string()).collect())
        })
        .collect();
    assert!(c.len() > 15);
    assert_eq!(c, rust);

    let mut body = String::new();
    let mut expected = String::new();
    for (name, size, fields) in rust_structs() {
        body += &format!("printf(\"{name} %zu\\n\", sizeof({name}));\n");
        expected += &format!("{name} {size}\n");
        for (field, offset) in fields {
            body += &format!("printf(\"{name}.{field} %zu\\n\", offsetof({name}, {field}));\n");
            expected += &format!("{name}.{field} {offset}\n");
        }
    }
    assert_eq!(probe("structs", &body), expected);
}

#[test]
fn field_types_are_those_of_the_header() {
    let source = rust_source();
    for (name, body) in definitions(&header(), "struct") {
        let at = source.find(&format!("pub struct {name} {{")).expect(name);
        let rust = &source[at..at + source[at..].find("\n}").unwrap()];
        for field in body.split(';').map(words).filter(|f| !f.is_empty() && !f.contains("(*")) {
            let mut names = field.split(',');
            let (first, kind) = declarator(names.next().unwrap());
            let base = kind.rsplit(' ').next().unwrap();
            let line = format!("pub {first}: {kind},");
            assert!(rust.contains(&line), "{name}: {line}");
            for more in names {
                let pointer = more.trim().starts_with('*');
                let kind = if pointer || !kind.starts_with('*') { kind.as_str() } else { base };
                let line = format!("pub {}: {kind},", more.trim().replace('*', ""));
                assert!(rust.contains(&line), "{name}: {line}");
            }
        }
    }
}

#[test]
fn constants_are_those_of_the_header() {
    let header = header();
    let c: Vec<String> = definitions(&header, "enum")
        .into_iter()
        .flat_map(|(_, body)| body.split(','))
        .map(|item| words(item.split('=').next().unwrap()))
        .filter(|name| !name.is_empty())
        .collect();
    let rust: Vec<String> = rust_constants().iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(c, rust);

    let mut body = String::new();
    let mut expected = String::new();
    for (name, value) in rust_constants() {
        body += &format!("printf(\"{name} %d\\n\", (int){name});\n");
        expected += &format!("{name} {value}\n");
    }
    for (name, _) in definitions(&header, "enum") {
        body += &format!("printf(\"{name} %zu %d\\n\", sizeof({name}), ({name})-1 < 0);\n");
        expected += &format!("{name} {} 0\n", size_of::<core::ffi::c_uint>());
    }
    assert_eq!(probe("constants", &body), expected);
}

#[test]
fn the_library_that_is_linked_is_of_this_version() {
    // SAFETY: pluss_version takes nothing and gives a string that lives as long as the library.
    let version = unsafe { core::ffi::CStr::from_ptr(pluss_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
