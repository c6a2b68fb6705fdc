// SPDX-License-Identifier: GPL-3.0-or-later
//! What is asked of files, records, sweeps and machines, against what else tells the same.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pluss::{
    count_trace_threads, generate_trace, pack_trace, Calibration, Change, File, Format, Gaps, Grid,
    LawInfo, Machine, MachineCache, MachineFile, Nest, OptionInfo, Record, Severity, Status, Sweep,
    Timelines,
};

/// Columns first: loops to be exchanged.
const COLUMNS: &str = "pluss-nest 1\nregion walk \"walk.c\":3\nsymbol n\narray f64 A[n][n]\n\
                       parallel for k in 0..4 { for j in 0..n { for i in 0..n { read A[i][j]; } } }\n";

fn path(name: &str) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("pluss-whole.{}.{number}.{name}", std::process::id()))
}

/// A file of this content, which is read by `read` and then removed.
fn with_file<R>(name: &str, content: &[u8], read: impl FnOnce(&str) -> R) -> R {
    let path = path(name);
    std::fs::write(&path, content).unwrap();
    let result = read(path.to_str().unwrap());
    std::fs::remove_file(&path).unwrap();
    result
}

fn columns() -> File {
    with_file("columns.nest", COLUMNS.as_bytes(), |path| File::read(path).unwrap())
}

const SMALL: [(&str, &str); 2] = [("define", "n=64"), ("threads", "1,2")];

#[test]
fn advice_is_legal_and_costs_less() {
    let levels = [("define", "n=600"), ("threads", "1"), ("cache", "L1=32K:ways=8")];
    let text =
        COLUMNS.replace("A[n][n]", "A[n][n], B[n][n]").replace("; } } }", "; write B[i][j]; } } }");
    let file = with_file("two.nest", text.as_bytes(), |path| File::read(path).unwrap());
    let mut advice = file.advise(&levels).unwrap();
    assert_eq!(advice.missing(), None);
    let first = advice.list().into_iter().find(|a| a.change == Change::Interchange).unwrap();
    assert!(first.gain > 0.03 && first.region == "walk", "{first:?}");
    let steps: Vec<&str> = first.steps.iter().map(String::as_str).collect();
    let nest = Nest::parse(&text).unwrap();
    let better = nest.transform(&steps).unwrap();
    let misses = |nest: &Nest| {
        let curves = nest.simulate().bind("n", 600).set("cache", "L1=32K:ways=8").run().unwrap();
        let levels: Vec<_> = curves.levels().collect();
        levels[0].misses.misses
    };
    assert!(misses(&better) < 0.5 * misses(&nest));
    advice.put_times(2.0, 1.0, 3).unwrap();
    assert_eq!(advice.put_times(0.0, 1.0, 3).unwrap_err().status(), Status::InvalidArgument);
    assert!(advice.report("columns.nest").unwrap().to_text().unwrap().contains("interchange"));
    assert_eq!(nest.transform(&["tile:q=8"]).unwrap_err().status(), Status::NotFound);
}

#[test]
fn formulas_are_what_a_simulation_counts() {
    let options = [("define", "n=64"), ("cache", "4K")];
    let report = columns().symbolic(&options).unwrap().to_json().unwrap();
    assert!(report.contains("\"misses\""), "{report}");
    let code = columns().symbolic_code(&[]).unwrap();
    let formulas = !report.contains("\"inexact\""); // of a library with isl, as packages are not
    assert!(code.contains(if formulas { "walk_misses" } else { "count[0]" }), "{code}");
    let (worst, remarks) = columns().remarks(&[("define", "n=64"), ("cache", "4K")]).unwrap();
    assert!(worst <= Severity::Note && remarks.to_text().unwrap().contains("walk.c"));
}

#[test]
fn results_are_put_together_and_taken_apart() {
    let levels = [("define", "n=64"), ("cache", "L1=4K:ways=4,L2=64K:ways=8"), ("threads", "2")];
    let (mut all, other) =
        (columns().simulate(&levels).unwrap(), columns().simulate(&SMALL).unwrap());
    assert_eq!((all.len(), other.len(), all.missing()), (1, 2, None));
    let copy = other.clone();
    assert_eq!(all.append(other).unwrap_err().status(), Status::InvalidArgument);
    all.append(copy).unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(all.iter().map(|curve| curve.team()).collect::<Vec<_>>(), [2, 1, 2]);
    assert_eq!(all.get(2).unwrap().footprint_lines(), all.get(0).unwrap().footprint_lines());

    let old = columns().simulate(&levels).unwrap();
    let compared = old.compare(&all, Grid::Strict).unwrap();
    let names: BTreeSet<String> = compared.levels().map(|level| level.name).collect();
    assert!(names.iter().map(String::as_str).eq(["L1", "L2"]));
    let greatest = compared.greatest();
    assert_eq!((greatest.pairs, greatest.levels, greatest.greatest_mean_abs), (1, 2, 0.0));
    assert!(compared.levels().all(|level| level.error.is_none() && level.difference == 0.0));
    assert!(compared.changes().unwrap().to_text().unwrap().contains("L2"));

    let page = all.overview("a walk", &[&columns()], 0).unwrap();
    assert!(page.to_format("html").unwrap().contains("a walk"));
    assert!(page.write("csv", Some("no such table")).is_err());
    assert_eq!(all.report_line("walk.c", 99).unwrap_err().status(), Status::NotFound);
    assert_eq!(all.keep_level("L3").unwrap_err().status(), Status::NotFound);
    all.keep_level("L2").unwrap();
    assert!(all.levels().all(|level| level.name == "L2") && all.levels().count() == 1);
    all.derive_levels(&[]).unwrap();
    assert_eq!(all.levels().count(), 1);
    assert_eq!(
        all.derive_levels(&[("cache", "nonsense:")]).unwrap_err().status(),
        Status::InvalidArgument
    );
    all.derive_levels(&[("cache", "L9=8K:ways=full:shared")]).unwrap();
    assert!(all.levels().all(|level| level.name == "L9" && level.ways == 128));
    assert!(all.levels().count() > 0);
}

#[test]
fn profiles_are_merged_scaled_and_run_together() {
    let profiles = [("define", "n=64"), ("threads", "2,4"), ("sharing", "1")];
    let mut first = columns().simulate(&profiles).unwrap();
    let scaled = first.scale(&[("threads", "8")]).unwrap();
    assert!(scaled.iter().any(|curve| curve.team() == 8));
    let both = [("threads", "1,8"), ("cache", "1K,1K:shared=1"), ("model", "scale")];
    let scaled = first.scale(&both).unwrap();
    let shared = scaled.iter().position(|curve| curve.team() == 8).unwrap();
    let found = scaled.capacities(shared).unwrap();
    assert!(found.max_bytes > 0 && found.share_bytes.is_none_or(|bytes| bytes >= 8 * 64));
    assert_eq!((found.core_bytes, scaled.capacities(99)), (None, None));
    let other = first.scale(&[("threads", "8"), ("model", "clock")]);
    assert_eq!(other.err().unwrap().status(), Status::InvalidArgument);
    first.merge_profiles(columns().simulate(&profiles).unwrap()).unwrap();

    let kept = columns().simulate(&[("define", "n=64"), ("profiles", "1")]).unwrap();
    let profile = File::of_profile(&kept, 0).unwrap();
    assert_eq!(File::of_profile(&kept, 99).err().unwrap().status(), Status::NotFound);
    let together = File::corun_predict(&[&columns(), &profile], &[("define", "n=64")]).unwrap();
    let regions: Vec<String> = together.iter().map(|curve| curve.region().to_owned()).collect();
    assert!(regions.iter().any(|name| name == "co-run"), "{regions:?}");
    let exact = File::corun_simulate(&[&columns(), &columns()], &[("define", "n=64")]).unwrap();
    let of = |name: &str| exact.iter().find(|curve| curve.region() == name).unwrap();
    assert!(of("co-run").footprint_lines() == 2 * of("1: walk").footprint_lines());
}

#[test]
fn traces_are_generated_packed_and_counted() {
    let trace = generate_trace("lines=40,50,60:shared=10%:accesses=500").unwrap();
    with_file("trace", &trace, |path| {
        assert_eq!(count_trace_threads(path).unwrap(), 3);
        let file = File::read(path).unwrap();
        assert!(file.is_trace() && !columns().is_trace());
        assert_eq!(file.simulate(&[]).unwrap().get(0).unwrap().accesses(), 1500.0);
        let again = pack_trace(path).unwrap();
        with_file("again", &again, |again| assert_eq!(count_trace_threads(again).unwrap(), 3));
        assert_eq!(columns().append(file).unwrap_err().status(), Status::InvalidArgument);
    });
    assert_eq!(generate_trace("lines=").unwrap_err().status(), Status::InvalidArgument);
    let mut two = columns();
    two.append(columns()).unwrap();
    assert!(two.predict(&SMALL).unwrap().len() >= 2);
}

#[test]
fn records_tell_what_ran() {
    let nest = Nest::parse(COLUMNS).unwrap();
    let text = "pluss-record 3\nline 64\nlost-runs 0\nregion \"walk\" \"walk.c\":3 team 2 runs 1 lost 0 by bind\n\
                symbol \"n\" 16\nchunks loop 0 time 0 thread 0 0-1\nchunks loop 0 time 0 thread 1 1-4\nend\nsequence lost 0\nrun 0 at 0 times 1\nend\n";
    let record = Record::parse(text).unwrap();
    let (info, blocks) = (record.info(), record.blocks());
    assert_eq!((info.line_bytes, info.lost_runs, blocks.len()), (64, 0, 1));
    let block = &blocks[0];
    assert_eq!((block.region.as_str(), block.team, block.runs), ("walk", 2, 1));
    assert_eq!(block.symbols, [("n".to_owned(), 16)]);
    let chunks: Vec<_> = block.chunks.iter().map(|c| (c.thread, c.iterations.clone())).collect();
    assert_eq!(chunks, [(0, 0..1), (1, 1..4)]);

    let of_block = record.nest(0, None, &[&nest]).unwrap();
    let recorded = of_block.simulate().threads([2]).recorded(block.chunks.clone()).run().unwrap();
    assert_eq!(recorded.get(0).unwrap().accesses(), 4.0 * 16.0 * 16.0);
    let predicted =
        record.predict(0, &of_block, &[("threads", "2"), ("schedule", "recorded")]).unwrap();
    assert_eq!(predicted.get(0).unwrap().accesses(), 4.0 * 16.0 * 16.0);
    assert_eq!(record.nest(1, None, &[&nest]).unwrap_err().status(), Status::NotFound);
    assert!(record.program(&[&nest]).is_ok());
    assert!(record.nests(&[]).is_err()); // it names no files
    assert_eq!(record.traced_runs().unwrap_err().status(), Status::NotFound);
    assert!(record.simulate_touches(None).is_err());
    assert!(Timelines::read(&record, Some(0), &[&nest]).is_err());
    assert_eq!(Record::parse("no record").err().unwrap().status(), Status::Format);
    let mut gaps = Gaps::new(&[("bins", "4")]).unwrap();
    assert!(gaps.add(&record).is_err() || gaps.finish().is_err());
    assert!(Calibration::new(&[]).unwrap().finish().is_err());
}

#[test]
fn sweeps_have_cells() {
    let text = |path: &str| format!("files {path}\nsizes n=16,32\nthreads 1 2\ncaches 4K\n");
    with_file("sweep.nest", COLUMNS.as_bytes(), |path| {
        let sweep = Sweep::parse(&text(path)).unwrap();
        assert!(
            sweep.cells() == 4 && sweep.identity() == Sweep::parse(&text(path)).unwrap().identity()
        );
        let (report, missing) = sweep.evaluate(0).unwrap();
        let table = report.to_format("csv").unwrap();
        assert!(missing.is_none() && table.lines().count() >= 2, "{table}");
        assert_eq!(sweep.evaluate(sweep.cells()).unwrap_err().status(), Status::NotFound);
    });
}

#[test]
fn machines_have_levels() {
    let cache = |name: &str, level, bytes, shared_by, count| MachineCache {
        name: name.to_owned(),
        level,
        bytes,
        line_bytes: 64,
        ways: 8,
        shared_by,
        count,
    };
    let caches = vec![cache("L1d", 1, 4 << 10, 1, 4), cache("L2", 2, 64 << 10, 4, 1)];
    let machine = Machine { cpu: Some("small".into()), cores: 4, processors: 4, caches };
    assert!(machine.report().unwrap().to_text().unwrap().contains("small"));
    let mut file = MachineFile::new().unwrap();
    assert_eq!(file.report().unwrap_err().status(), Status::Empty);
    file.put_caches(&machine).unwrap();
    assert_eq!((file.cores(), file.regions(), file.slice_ns()), ((4, 4), 0, None));
    let levels = file.levels();
    assert_eq!(levels.iter().map(|level| level.1).collect::<Vec<_>>(), [4 << 10, 64 << 10]);
    assert!(file.report().unwrap().to_text().unwrap().contains("L2"));
    let nest = Nest::parse(COLUMNS).unwrap();
    let curves = nest.simulate().bind("n", 64).levels(&file).run().unwrap();
    assert_eq!(curves.levels().count(), 2);
    let given = nest
        .simulate()
        .bind("n", 64)
        .set("cache", "L1=4K:ways=4,L2=64K")
        .ways(&file)
        .run()
        .unwrap();
    assert_eq!(given.levels().map(|level| level.ways).collect::<Vec<_>>(), [4, 8]);
    let times = columns().times(&[("define", "n=64")]);
    assert_eq!(times.err().map(|error| error.status()), Some(Status::Empty)); // no costs
}

#[test]
fn what_there_is_is_listed() {
    assert_eq!(Format::all()[0].name, "text");
    assert!(OptionInfo::all()
        .iter()
        .any(|option| option.name == "threads" && option.syntax.is_some()));
    let laws = LawInfo::all();
    assert!(
        laws[0].name == "uniform" && laws.iter().any(|law| law.name == "pool" && law.simulated)
    );
    assert_eq!(Status::NoMemory.name(), "ENOMEM");
    let report = Nest::parse(COLUMNS).unwrap().report(&["walk"]).unwrap();
    assert!(report.to_json().unwrap().contains("walk"));
}

#[test]
fn operations_are_counted() {
    let mut builder = Nest::builder("adds");
    let x = builder.array("f64", "x", [64]);
    builder.parallel_for("i", (0, 64)).body(|b, i| {
        b.read(x, [i]);
        b.operations(&[("dbl_add", 2)]).unwrap();
    });
    assert!(builder.build().unwrap().to_text().unwrap().contains("dbl_add"));
}
