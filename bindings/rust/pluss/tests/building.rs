// SPDX-License-Identifier: GPL-3.0-or-later
//! Nests built with the macro and call by call, against their text form; and their faults.

use pluss::{nest, Base, Element, Expr, Nest, Ref, Schedule, Sharing, Status, SymbolKind};

/// The canonical text without places.
fn text(nest: &Nest) -> String {
    let text = nest.to_text().expect("a text");
    let lines = text.lines().map(|line| {
        let (head, open) = match line.strip_suffix(" {") {
            Some(head) => (head, " {"),
            None => (line, ""),
        };
        let head = head.split(" @").next().unwrap();
        match head.strip_prefix("region ") {
            Some(rest) => format!("region {}", rest.split(' ').next().unwrap()),
            None => format!("{head}{open}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn same(built: &Nest, expected: &str) {
    let parsed = Nest::parse(expected).expect("a nest");
    assert_eq!(text(built), text(&parsed));
}

fn gemm() -> Nest {
    nest! {
        region gemm(ni, nj, nk) {
            array f64 A[ni][nk], B[nk][nj], C[ni][nj];
            parallel for i in 0..ni, schedule(static, 4) {
                for j in 0..nj {
                    read C[i][j]; write C[i][j];
                    for k in 0..nk { read A[i][k]; read B[k][j]; read C[i][j]; write C[i][j]; }
                }
            }
        }
    }
    .expect("gemm")
}

const GEMM: &str = "pluss-nest 1 region gemm symbol ni, nj, nk
    array f64 A[ni][nk], B[nk][nj], C[ni][nj]
    parallel for i in 0..ni schedule(static, 4) { for j in 0..nj { read C[i][j] write C[i][j]
    for k in 0..nk { read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }";

#[test]
fn gemm_by_macro() {
    same(&gemm(), GEMM);
    assert!(gemm().origin().ends_with("building.rs"));
}

#[test]
fn gemm_by_calls() {
    let mut b = Nest::builder("gemm");
    let (ni, nj, nk) = (b.symbol("ni"), b.symbol("nj"), b.symbol("nk"));
    let a = b.array("f64", "A", [ni, nk]);
    let bb = b.array("f64", "B", [nk, nj]);
    let c = b.array("f64", "C", [ni, nj]);
    b.parallel_for("i", (0, ni)).schedule(Schedule::static_(4)).body(|b, i| {
        b.for_("j", (0, nj)).body(|b, j| {
            b.update(c, [i, j]);
            b.for_("k", (0, nk)).body(|b, k| {
                b.read(a, [i, k]);
                b.read(bb, [k, j]);
                b.update(c, [i, j]);
            });
        });
    });
    same(&b.build().expect("gemm"), GEMM);
}

#[test]
fn every_statement_of_the_macro() {
    let width = 6_i64;
    let built = nest! {
        region one(n, m) {
            let half = n / 2;
            array f64 A[n][width], B[n][width];
            array b48 S[n];
            private array i32 tmp;
            for t in 0..m step 2 {
                parallel for i in (n - 1)..(-1) step -1, schedule(dynamic), num_threads(4) {
                    write tmp;
                    for j in 1..width {
                        if (i.lt(half) & !j.equals(3)) { update A[i][j - 1]; } else { write tmp; }
                        if (i.ge(1)) { read B[i][t - t]; }
                    }
                }
                swap A, B;
            }
            parallel {
                workshare for i in 0..n, schedule(guided, 2), nowait { read S[i]; }
                workshare for i in 0..n, schedule(rayon, 1, 8), collapse(2) {
                    for j in 0..width { atomic read A[i][j]; atomic write A[i][j]; }
                }
                barrier;
                single { read A[0][0]; }
                master { read A[n.min(0)][half % 3]; }
                critical { unknown "a call of qsort"; }
            }
        }
        region two(k) { array f64 D[k]; read D[k - 1]; }
    };
    same(
        &built.expect("a nest"),
        "pluss-nest 1 region one symbol n, m, half = n / 2 array f64 A[n][6], B[n][6]
         array b48 S[n] array i32 tmp private
         for t in 0..m step 2 {
           parallel for i in n - 1 .. -1 step -1 schedule(dynamic) num_threads(4) { write tmp
             for j in 1..6 { if (i < half && !(j == 3)) { read A[i][j - 1] write A[i][j - 1] }
               else { write tmp } if (i >= 1) { read B[i][t - t] } } }
           swap A, B }
         parallel { workshare for i in 0..n schedule(guided, 2) nowait { read S[i] }
           workshare for i in 0..n schedule(rayon, 1, 8) collapse(2) {
             for j in 0..6 { atomic read A[i][j] atomic write A[i][j] } }
           barrier single { read A[0][0] } master { read A[min(n, 0)][half % 3] }
           critical { unknown construct \"a call of qsort\" } }
         region two symbol k array f64 D[k] read D[k - 1]",
    );
}

#[test]
fn builder_calls_and_their_text() {
    let mut b = Nest::builder("r");
    let n = b.symbol("n");
    let m = b.define("m", 2 * n + 1);
    let a = b.array_at("f64", "A", (n, m), Base::Offset(8.into()));
    let v = b.array_at("f64", "V", [n], Base::Over(a, 64.into()));
    let col = b.index_array("i32", "col", [4], &[3, 0, -1, 2]);
    let point = b.array(Element::of::<[f32; 3]>(), "for", [n]);
    let tmp = b.private_array("f64", "tmp", ());
    b.parallel_for("i", (0, n.min(100))).parallel_if(n.gt(10) | m.le(-5)).num_threads(n - 2).body(
        |b, i| {
            b.write(tmp, ());
            b.read(a, (i, Expr::load(col, [i % 4])));
            b.access(Ref::write(point, [i]).field(4, 4).atomic());
            b.if_else(
                i.differs(n / 2),
                |b| b.read(v, [i.max(1).lt(3).choose(i, 0)]),
                |b| b.branch(0.25, |b| b.write(v, [-i + n]), |b| b.unknown("f(\"x\")")),
            );
        },
    );
    b.parallel(|b| {
        b.workshare_for("i", 0..10).schedule(Schedule::Dynamic(None)).nowait().body(|_, _| ());
        b.barrier();
        b.master(|b| b.read(v, [Expr::thread() + Expr::team()]));
    });
    b.region("s");
    b.single(|_| ());
    let nest = b.build().map_err(|e| e.to_string());
    let nest = nest.expect("a nest");
    same(
        &nest,
        "pluss-nest 1 region r symbol n, m = 2 * n + 1 array f64 A[n][m] offset(8)
         array f64 V[n] over A + 64 array i32 col[4] values(3, 0, -1, 2) array b12 `for`[n]
         array f64 tmp private
         parallel for i in 0..min(n, 100) num_threads(n - 2) if (n > 10 || m <= -5) {
         write tmp read A[i][col[i % 4]] atomic write `for`[i] bytes 4..8
         if (i != n / 2) { read V[(max(i, 1) < 3 ? i : 0)] }
         else { branch 0.25 { write V[-i + n] } else { unknown construct \"f(\\\"x\\\")\" } } }
         parallel { workshare for i in 0..10 schedule(dynamic) nowait { } barrier
         master { read V[$thread + $team] } }
         region s single { }",
    );
}

#[test]
fn what_is_in_a_nest() {
    let nest = gemm();
    assert_eq!(nest.regions().next().unwrap().name, "gemm");
    assert!(nest.symbols().all(|s| s.kind == SymbolKind::Unbound));
    let loops: Vec<_> = nest.loops().collect();
    assert_eq!((loops.len(), loops[0].iv, loops[0].hi, loops[1].depth), (3, "i", "ni", 1));
    assert_eq!(loops[0].schedule, Some("static, 4"));
    assert_eq!(loops[2].schedule, None);
    let refs: Vec<_> = nest.refs().collect();
    assert_eq!(refs.len(), 6);
    assert_eq!((refs[3].text, refs[3].sharing), ("B[k][j]", Sharing::Full));
    assert_eq!((refs[2].array, refs[2].write, refs[2].parallel), ("A", false, true));
    assert_eq!(nest.unknowns().len(), 0);
    let (file, line) = refs[0].place.expect("a place");
    assert!(file.ends_with("building.rs") && line > 0);
    assert!(format!("{nest:?}").contains("building.rs"));
}

#[test]
fn copies_parts_and_wholes() {
    let nest = gemm();
    let copy = Nest::try_from(&nest).expect("a copy");
    assert_eq!(copy.to_string(), nest.to_string());
    let other = Nest::parse("pluss-nest 1 region tail").expect("a nest");
    let both = Nest::join([&nest, &other]).expect("both");
    assert_eq!(both.regions().len(), 2);
    assert_eq!(both.extract(1).expect("a region").regions().next().unwrap().name, "tail");
    assert_eq!(both.extract(2).expect_err("no third").status(), Status::NotFound);
}

#[test]
fn faults_have_the_place_of_the_call() {
    let mut b = Nest::builder("r");
    let a = b.array("f64", "A", [10]);
    let line = line!() + 1;
    b.read(a, (1, 2));
    let error = b.build().expect_err("a wrong rank");
    assert_eq!(error.status(), Status::InvalidNest);
    let fault = &error.diagnostics()[0];
    assert!(fault.file.as_ref().unwrap().ends_with("building.rs"), "{error}");
    assert_eq!(fault.line, line);
    assert!(error.to_string().contains(&format!("building.rs:{line}")));
}

#[test]
fn faults_that_rust_finds() {
    let mut other = Nest::builder("other");
    let foreign = other.symbol("n");
    let foreign_array = other.array("f64", "A", [3]);
    let mut b = Nest::builder("r");
    let own = b.symbol("own");
    b.define("x", foreign + 1);
    b.define("y", own + foreign);
    b.read(foreign_array, [0]);
    b.symbol("nul\0");
    b.for_("i", 0..1).step(0).body(|_, _| ());
    let error = b.build().expect_err("faults");
    let found: Vec<&str> = error.diagnostics().iter().map(|d| d.text.as_str()).collect();
    for words in ["variable or array of another", "an array of another", "NUL", "step of 0"] {
        assert!(found.iter().any(|text| text.contains(words)), "{words}: {found:?}");
    }
    assert!(other.build().is_ok());
}

#[test]
fn an_induction_variable_ends_with_its_loop() {
    let mut b = Nest::builder("r");
    let a = b.array("f64", "A", [10]);
    let mut kept = None;
    b.for_("i", 0..10).body(|_, i| kept = Some(i));
    b.read(a, [kept.unwrap()]);
    assert_eq!(b.build().expect_err("out of scope").status(), Status::Parse);
}

#[test]
fn names_that_no_nest_can_have() {
    for name in ["", "a`b", "a\nb"] {
        let mut b = Nest::builder("r");
        b.symbol(name);
        assert_eq!(b.build().expect_err(name).status(), Status::InvalidArgument);
    }
}

#[test]
fn texts_that_are_none() {
    let error = Nest::parse_named("pluss-nest 1\nregion r\nread A", Some("x.nest")).expect_err("A");
    assert_eq!(error.status(), Status::Parse);
    assert_eq!((error.diagnostics()[0].line, error.diagnostics()[0].col), (3, 6));
    assert!(error.to_string().starts_with("x.nest:3:6: "), "{error}");
    assert_eq!("".parse::<Nest>().expect_err("nothing").status(), Status::Parse);
    assert_eq!(Nest::read("/nonexistent.nest").expect_err("no file").status(), Status::Io);
}

#[test]
fn reading_files() {
    let path = std::env::temp_dir().join(format!("pluss-building-{}.nest", std::process::id()));
    std::fs::write(&path, gemm().to_string()).expect("a file");
    let nests = Nest::read(&path).expect("nests");
    std::fs::remove_file(&path).expect("the file");
    assert_eq!(nests.len(), 1);
    assert_eq!(nests[0].to_string(), gemm().to_string());
}

#[test]
fn a_builder_may_be_dropped() {
    let mut b = Nest::builder("r");
    b.symbol("n");
    drop(b);
    let panicked = std::panic::catch_unwind(|| {
        let mut b = Nest::builder("r");
        b.for_("i", 0..3).body(|_, _| panic!("in a body"));
    });
    assert!(panicked.is_err());
}

#[test]
fn samplers() {
    let c = gemm().sampler(pluss::Language::C).expect("a program");
    let rust = gemm().sampler(pluss::Language::Rust).expect("a program");
    assert!(c.contains("int main(") && rust.contains("fn main()"));
    let mut b = Nest::builder("r");
    b.branch(0.5, |b| b.barrier(), |_| ());
    let error = b.build().expect("a nest").sampler(pluss::Language::C).expect_err("a branch");
    assert_eq!(error.status(), Status::Unsupported);
}

#[cfg(feature = "rayon")]
#[test]
fn the_schedule_of_a_loop_that_ran() {
    use pluss::rayon::{Watch, WatchExt};
    use rayon::prelude::*;
    let watch = Watch::new();
    (0..100u32).watch(&watch).into_par_iter().with_min_len(4).for_each(|_| ());
    let mut b = Nest::builder("r");
    let run = watch.last().expect("a run");
    b.parallel_for("i", (0, run.items)).schedule((&run).into()).body(|_, _| ());
    same(
        &b.build().expect("a nest"),
        "pluss-nest 1 region r parallel for i in 0..100 schedule(rayon, 4) { }",
    );
}
