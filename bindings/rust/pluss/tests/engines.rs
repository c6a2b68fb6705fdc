// SPDX-License-Identifier: GPL-3.0-or-later
//! Predictions, simulations, comparisons, histograms.

use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};

use pluss::{nest, Carried, Chunk, Curves, Grid, Knee, Model, Nest, Progress};
use pluss::{ScheduleKind, Status, WaysFrom};

fn gemm() -> Nest {
    nest! {
        region gemm(n) {
            array f64 A[n][n], B[n][n], C[n][n];
            parallel for i in 0..n {
                for j in 0..n {
                    for k in 0..n { read A[i][k]; read B[k][j]; read C[i][j]; write C[i][j]; }
                }
            }
        }
    }
    .expect("gemm")
}

#[test]
fn predictions_are_near_simulations() {
    let nest = gemm();
    let exact = nest.simulate().threads([1, 4]).bind("n", 48).run().expect("exact");
    for model in Model::all().filter(|model| !["lines", "extrapolate"].contains(&model.name)) {
        let curves = nest.predict().threads([1, 4]).bind("n", 48).model(model.name).run();
        let curves = curves.expect(model.name);
        assert_eq!(curves.len(), 2);
        for (a, b) in curves.iter().zip(&exact) {
            assert_eq!(a.team(), b.team());
            assert_eq!(a.engine(), model.name);
            assert!(!a.is_simulated() && b.is_simulated());
            let d = a.compare(&b, Grid::Strict).expect("a difference");
            assert!(d.mean_abs <= 0.12, "{}: {d:?}", model.name);
            assert!(d.max_abs >= d.mean_abs && d.sizes > 10);
        }
    }
    assert!(Model::all().count() >= 1);
}

#[test]
fn a_curve_and_its_points() {
    let curves = gemm().simulate().threads([2]).bind("n", 40).seed(7).run().expect("curves");
    let curve = curves.get(0).expect("a curve");
    assert!(curves.get(1).is_none());
    drop(curves); // the curve keeps what it needs
    assert_eq!(curve.region(), "gemm");
    assert_eq!(curve.accesses(), 4.0 * 40.0 * 40.0 * 40.0);
    assert_eq!(curve.footprint_lines(), 3 * 40 * 40 / 8);
    assert_eq!(curve.bindings().collect::<Vec<_>>(), [("n", 40)]);
    let points: Vec<_> = curve.points().collect();
    assert_eq!(points[0].size_lines, 0.0);
    for pair in points.windows(2) {
        assert!(pair[0].size_lines < pair[1].size_lines);
        assert!(pair[0].miss_ratio >= pair[1].miss_ratio);
    }
    for point in points {
        let bytes = point.size_lines as u64 * u64::from(curve.line_bytes());
        assert_eq!(curve.miss_ratio(bytes), point.miss_ratio);
    }
    let cold = curve.footprint_lines() as f64 / curve.accesses();
    assert!((curve.miss_ratio(1 << 30) - cold).abs() < 1e-12);
}

#[test]
fn options_reach_the_engine() {
    let nest = gemm();
    let run = |progress| {
        nest.simulate().threads([3]).bind("n", 24).progress(progress).run().expect("curves")
    };
    for (progress, name) in [
        (Progress::default(), "uniform"),
        (Progress::round_robin(), "round-robin"),
        (Progress::burst(8.0), "burst:8"),
        (Progress::rates(0.03), "rates:0.03:0"),
        (Progress::slices(50.0, 2), "slices:50:2"),
        ("rates".parse().expect("a law"), "rates:0.03:500:1"),
        (Progress::sequential(), "sequential"),
    ] {
        assert_eq!(run(progress).get(0).unwrap().engine(), name);
    }
    let wide = nest.simulate().bind("n", 24).line_bytes(128).run().expect("curves");
    assert_eq!(wide.get(0).unwrap().line_bytes(), 128);
    let block = nest.simulate().threads([3]).bind("n", 20).run().expect("curves");
    let cyclic = nest.simulate().threads([3]).bind("n", 20).schedule(ScheduleKind::Static, 1).run();
    let (block, cyclic) = (block.get(0).unwrap(), cyclic.expect("curves").get(0).unwrap());
    assert!(block.compare(&cyclic, Grid::Strict).expect("a difference").mean_abs > 0.0);
    assert_eq!(block.compare(&block, Grid::Paper).expect("a difference").max_abs, 0.0);
    let wide = wide.get(0).unwrap();
    assert_eq!(wide.compare(&block, Grid::Strict).unwrap_err().status(), Status::InvalidArgument);
}

/// A machine file's levels, by options, are those of the short form.
#[test]
fn levels_of_a_machine_file() {
    let nest = gemm();
    let path = std::env::temp_dir().join(format!("pluss-machine-{}.json", std::process::id()));
    let text = r#"{"version": 1, "levels": [
        {"name": "L1", "bytes": 4096, "ways": 2, "shared_by": 1},
        {"name": "L2", "bytes": 65536, "ways": 8, "shared_by": 2}]}"#;
    std::fs::write(&path, text).expect("a file");
    let of_file = nest.simulate().threads([2]).bind("n", 64);
    let of_file = of_file.set("machine", path.display()).set("cache", "machine").run();
    let caches = "L1=4K:ways=2,L2=64K:ways=8:shared=2";
    let short = nest.simulate().threads([2]).bind("n", 64).set("cache", caches).run();
    std::fs::remove_file(&path).expect("it is there");
    if let Err(error) = &of_file {
        assert_eq!(error.status(), Status::Unsupported, "built without JSON"); // the only excuse
        return;
    }
    let (of_file, short) = (of_file.expect("curves"), short.expect("curves"));
    assert!(of_file.levels().eq(short.levels()));
    assert_eq!(of_file.levels().count(), 2);
    let missing = nest.simulate().bind("n", 24).set("cache", "machine").run();
    assert_eq!(missing.expect_err("no machine file").status(), Status::InvalidArgument);
}

#[test]
fn levels_of_a_hierarchy() {
    let nest = gemm();
    let caches = "L1=4K:ways=2,L2=64K:ways=8:shared";
    let exact = nest.simulate().threads([2]).bind("n", 64).set("cache", caches).run();
    let predicted = nest.predict().threads([2]).bind("n", 64).set("cache", caches).run();
    let exact: Vec<_> = exact.expect("curves").levels().collect();
    let predicted: Vec<_> = predicted.expect("curves").levels().collect();
    assert_eq!(exact.len(), 2);
    assert_eq!(predicted.len(), 2);
    let (l1, l2) = (&exact[0], &exact[1]);
    assert_eq!((l1.name.as_str(), l1.bytes, l1.sets, l1.ways), ("L1", 4096, 32, 2));
    assert_eq!((l1.threads, l1.threads_per_cache, l2.threads_per_cache), (2, 1, 2));
    assert!(l1.simulated && l1.misses.error.is_none() && l1.misses.conflict > 0.0);
    assert_eq!(l1.misses.requests, l1.accesses);
    assert_eq!(l1.misses.misses, l2.misses.requests);
    assert_eq!(l1.references.iter().map(|r| r.misses.misses).sum::<f64>(), l1.misses.misses);
    assert!(l1.references.iter().any(|r| r.reference.text == "B[k][j]"
        && r.innermost_loop.as_deref() == Some("k")
        && !r.reference.write));
    for groups in [&l1.arrays, &l1.loops] {
        assert_eq!(groups.iter().map(|g| g.misses.misses).sum::<f64>(), l1.misses.misses);
        assert_eq!(groups.iter().map(|g| g.references).sum::<usize>(), l1.references.len());
    }
    assert!(l1.arrays.len() == 3 && l1.arrays.iter().any(|a| a.name.as_deref() == Some("B")));
    assert_eq!((l1.ways_from, l1.point), (WaysFrom::Given, 0));
    assert_eq!((l1.by_thread.len(), predicted[0].by_thread.len()), (2, 0));
    assert_eq!(l1.by_thread.iter().map(|t| t.misses).sum::<f64>(), l1.misses.misses);
    assert!(l1.by_thread.iter().all(|t| t.requests == l1.accesses / 2.0)); // rows, half each
    for (p, s) in predicted.iter().zip(&exact) {
        let error = p.misses.error.expect("a standard error");
        let bound = (4.0 * error).max(0.02 * s.misses.misses);
        assert!(!p.simulated && (p.misses.misses - s.misses.misses).abs() <= bound, "{p:?} {s:?}");
        let back = p.misses.bytes_written_back.expect("bytes written back");
        let bound = 4.0 * p.misses.bytes_written_back_error.expect("a standard error");
        assert!(
            (back - s.misses.bytes_written_back.expect("bytes")).abs() <= bound.max(64.0 * 64.0),
            "{p:?} {s:?}"
        );
    }
    let ways = nest.simulate().bind("n", 24).set("cache", "L1=4K:ways=2/4,L2=64K:shared").run();
    let ways: Vec<_> = ways.expect("curves").levels().collect();
    let points: Vec<_> = ways.iter().map(|l| (l.name.as_str(), l.point, l.ways)).collect();
    assert_eq!(points, [("L1", 0, 2), ("L2", 0, 1024), ("L1", 1, 4), ("L2", 1, 1024)]);
    assert_eq!(ways[1].ways_from, WaysFrom::Unknown);
    let sizes = nest.simulate().bind("n", 24).set("cache", "L1=4K").run().expect("curves");
    assert_eq!(sizes.levels().count(), 0);
}

#[test]
fn private_intervals_of_gemm() {
    let nest = gemm();
    let pri = nest.private_intervals().threads([4]).bind("n", 32).run().expect("intervals");
    let n = 32.0;
    let histograms: Vec<_> = pri.iter().collect();
    assert_eq!(histograms.len(), nest.refs().len());
    for histogram in &histograms {
        assert_eq!(histogram.accesses(), n * n * n);
    }
    assert_eq!(histograms.iter().map(|h| h.cold).sum::<f64>(), 3.0 * n * n / 8.0);
    // the write of C follows its read at once
    assert_eq!(histograms[3].bins().collect::<Vec<_>>(), [(1, n * n * n)]);
    assert!(pri.get(4).is_none());
}

fn chunk(thread: u32, iterations: std::ops::Range<u64>) -> Chunk {
    Chunk { loop_number: 0, thread, time: 0, iterations }
}

/// Chunks as `static, 5` deals them out are `static, 5`; dealt out otherwise they are not.
#[test]
fn a_recorded_assignment_is_replayed() {
    let nest = gemm();
    let collect = |request: pluss::Private| {
        let private = request.threads([3]).bind("n", 20).run().expect("intervals");
        format!("{private:?}")
    };
    let dealt = [(0, 0..5), (1, 5..10), (2, 10..15), (0, 15..20)];
    let dealt: Vec<Chunk> = dealt.map(|(thread, range)| chunk(thread, range)).to_vec();
    let recorded = collect(nest.private_intervals().recorded(dealt.clone()));
    assert_eq!(recorded, collect(nest.private_intervals().schedule(ScheduleKind::Static, 5)));
    let all_by_one = collect(nest.private_intervals().recorded([chunk(1, 0..20)]));
    assert_ne!(recorded, all_by_one);

    let predict = || nest.predict().threads([3]).bind("n", 20).recorded(dealt.clone());
    for model in Model::all().filter(|model| model.name != "lines") {
        if model.name.starts_with("scale") || model.name == "extrapolate" {
            let error = predict().model(model.name).run().expect_err("other threads");
            assert_eq!(error.status(), Status::Unsupported);
            continue;
        }
        let curves = predict().model(model.name).run().expect(model.name);
        assert_eq!(curves.get(0).expect("a curve").engine(), model.name);
    }
    nest.simulate().threads([3]).bind("n", 20).recorded(dealt.clone()).run().expect("exact");
    for bad in
        [vec![chunk(0, 0..19)], vec![chunk(0, 0..12), chunk(1, 10..20)], vec![chunk(3, 0..20)]]
    {
        let error = nest.private_intervals().threads([3]).bind("n", 20).recorded(bad.clone()).run();
        assert_eq!(error.expect_err("a fault").status(), Status::InvalidArgument, "{bad:?}");
    }
}

#[test]
fn threads_that_progress_otherwise() {
    let nest = gemm();
    let at = |progress| {
        let request = nest.predict().threads([4]).bind("n", 64).caches([1 << 10, 1 << 14]);
        let curves = request.progress(progress).run()?;
        let curve = curves.get(0).expect("a curve");
        Ok::<_, pluss::Error>((curve.engine().to_owned(), curve.miss_ratio(1 << 13)))
    };
    let (engine, uniform) = at(Progress::default()).expect("uniform");
    assert_eq!(engine, "clock");
    for (progress, name) in [
        (Progress::rates(0.3), "clock, rates:0.3:0"),
        (Progress::rates(0.03).with_skew(99.0, 1.0), "clock, rates:0.03:99:1"),
        (Progress::burst(50.0), "clock, burst:50"),
        (Progress::round_robin(), "clock, round-robin"),
        (Progress::mixed(), "clock, mixed"),
    ] {
        let (engine, miss) = at(progress).expect(name);
        assert_eq!(engine, name);
        assert!((0.0..=1.0).contains(&miss) && miss != uniform, "{name}: {miss}, {uniform}");
    }
    assert_eq!(at(Progress::burst(0.5)).expect_err("a mean").status(), Status::InvalidArgument);
    assert_eq!(at(Progress::rates(11.0)).expect_err("a sigma").status(), Status::InvalidArgument);
    let late = Progress::rates(0.03).with_skew(-1.0, 1.0);
    assert_eq!(at(late).expect_err("a skew").status(), Status::InvalidArgument);
    let of = |progress| {
        let curves =
            nest.predict().threads([2]).bind("n", 64).progress(progress).run().expect("curves");
        let curve = curves.get(0).expect("a curve");
        let spread: Vec<_> = curve.spread().map(|point| point.miss_ratio).collect();
        let sizes = curve.errors().len();
        (sizes, spread)
    };
    assert!(of(Progress::default()).1.is_empty());
    let uniform = nest.predict().threads([2]).bind("n", 64).spread().run().expect("curves");
    let curve = uniform.get(0).expect("a curve");
    assert_eq!(curve.spread().len(), curve.errors().len());
    assert!(curve.spread().all(|point| (0.0..0.5).contains(&point.miss_ratio)));
    let (sizes, spread) = of("rates".parse().expect("a law"));
    assert!(spread.len() == sizes && spread.iter().any(|&deviation| deviation > 0.001));
}

#[test]
fn profiles_make_the_curves_again() {
    if !pluss::has_feature("read.json") {
        return;
    }
    let nest = nest! {
        region sweeps(n, times) {
            array f64 A[n];
            for t in 0..times { parallel for i in 0..n { read A[i]; } }
        }
    }
    .expect("a nest");
    let curves = nest
        .simulate()
        .threads([1, 2])
        .bind("n", 100)
        .bind("times", 3)
        .profiles()
        .run()
        .expect("curves");
    let json = curves.profiles_to_json().expect("profiles");
    assert!(json.contains("\"metric\":\"distance\"") && json.contains("\"reference\":\"A[i]\""));
    let again = Curves::from_json(&json).expect("their curves");
    let compared = again.compare(&curves, Grid::Strict).expect("pairs");
    assert_eq!(compared.pairs().count(), 2);
    assert!(compared.pairs().all(|(_, _, difference)| difference.max_abs == 0.0));
}

#[test]
fn knees_name_references_and_loops() {
    let nest = nest! {
        region sweeps(n, times) {
            array f64 A[n];
            for t in 0..times { for i in 0..n { read A[i]; } }
        }
    }
    .expect("a nest");
    let request = || nest.predict().bind("n", 8000).bind("times", 10);
    let plain = request().run().expect("a curve");
    assert_eq!(plain.get(0).expect("a curve").knees().count(), 0);
    let curves = request().explain().run().expect("a curve");
    let knees: Vec<Knee> = curves.get(0).expect("a curve").knees().collect();
    let swept = knees.iter().find(|knee| knee.at_lines == Some(1000)).expect("the whole array");
    let reuse = &swept.reuses[0];
    assert_eq!((reuse.array.as_str(), reuse.reference.text.as_str()), ("A", "A[i]"));
    assert!(matches!(&reuse.carried, Carried::Loop { iv, .. } if iv == "t"), "{reuse:?}");
    assert!((reuse.share - 0.9 / 8.0).abs() < 0.01 && !reuse.other_thread, "{reuse:?}");
    let (file, line) = reuse.reference.place.clone().expect("a place");
    assert!(file.ends_with("engines.rs") && line > 0);
    let cold = knees.last().expect("cold misses");
    assert_eq!((cold.at_lines, &cold.reuses[0].carried), (None, &Carried::Nothing));
}

#[test]
fn contents_of_index_arrays() {
    let nest = "pluss-nest 1 region r symbol n array f64 x[n] array i32 col[n]
        for j in 0..n { read col[j] read x[col[j]] }";
    let nest = Nest::parse(nest).expect("a nest");
    assert!(nest.simulate().bind("n", 16).run().is_err());
    let one_line = nest.with_contents("col", &[3; 16]).expect("a nest");
    let all = nest.with_contents("r.col", &(0..16).collect::<Vec<_>>()).expect("a nest");
    let footprint = |nest: &Nest| {
        nest.simulate().bind("n", 16).run().expect("exact").get(0).expect("one").footprint_lines()
    };
    assert_eq!((footprint(&one_line), footprint(&all)), (2, 3));
    let known: Vec<_> = all.arrays().map(|a| (a.name, a.rank, a.has_contents)).collect();
    assert_eq!(known, [("x", 1, false), ("col", 1, true)]);
    assert_eq!(nest.with_contents("none", &[]).expect_err("no array").status(), Status::NotFound);
}

#[test]
fn errors_say_what_is_missing() {
    let nest = gemm();
    let error = nest.predict().run().expect_err("n has no value");
    assert_eq!(error.status(), Status::Unbound);
    assert!(error.to_string().contains('n'));
    assert_eq!(
        nest.predict().bind("n", 8).model("none").run().unwrap_err().status(),
        Status::InvalidArgument
    );
    assert_eq!(nest.simulate().bind("n\0", 8).run().unwrap_err().status(), Status::InvalidArgument);
    assert_eq!(
        nest.simulate().threads([0]).bind("n", 8).run().unwrap_err().status(),
        Status::OutOfRange
    );
    assert_eq!(
        nest.simulate().seed(1 << 63).bind("n", 8).run().unwrap_err().status(),
        Status::InvalidArgument
    );
}

#[test]
fn asking_can_stop_and_panic() {
    let nest = gemm();
    let mut calls = 0;
    let done = nest.simulate().bind("n", 100).ask(|stage, _, _| {
        assert!(!stage.is_empty());
        calls += 1;
        ControlFlow::Continue(())
    });
    assert!(done.run().is_ok());
    assert!(calls > 0);
    let stopped = nest.simulate().bind("n", 100).ask(|_, _, _| ControlFlow::Break(()));
    assert_eq!(stopped.run().expect_err("stopped").status(), Status::Cancelled);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        nest.simulate().bind("n", 100).ask(|_, _, _| panic!("from the callback")).run()
    }));
    assert_eq!(panic.expect_err("a panic").downcast_ref::<&str>(), Some(&"from the callback"));
}

#[test]
fn reports_and_back() {
    let curves = gemm().simulate().threads([1, 2]).bind("n", 16).run().expect("curves");
    assert!(curves.to_table().expect("a table").contains("gemm"));
    assert!(curves.to_csv().expect("CSV").lines().count() > 10);
    let json = curves.to_json().expect("JSON");
    if !pluss::has_feature("read.json") {
        assert_eq!(Curves::from_json(&json).expect_err("no JSON").status(), Status::Unsupported);
        return;
    }
    let back = Curves::from_json(&json).expect("curves");
    let one = gemm().simulate().threads([2]).bind("n", 16).seed(9).run().expect("a curve");
    let comparison = one.compare(&back, Grid::Strict).expect("a comparison");
    let (a, b, difference) = comparison.pairs().next().expect("a pair");
    assert_eq!((a, b, comparison.pairs().count(), comparison.diagnostics().len()), (0, 1, 1, 1));
    assert_eq!(one.get(0).unwrap().compare(&back.get(1).unwrap(), Grid::Strict), Ok(difference));
    assert!(comparison.to_table().expect("a table").contains("gemm"));
    assert!(comparison.to_json().expect("JSON").contains("\"comparisons\": ["));
    for (a, b) in curves.iter().zip(back) {
        assert_eq!(a.miss_ratios(), b.miss_ratios());
    }
    assert_eq!(Curves::from_json("{").expect_err("no JSON").status(), Status::Format);
}

/// What is finished is shared by threads that ask it at once, and all get the same answer.
#[test]
fn finished_things_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Nest>();
    is_shared::<Curves>();
    is_shared::<pluss::Curve>();
    is_shared::<pluss::PrivateIntervals>();
    is_shared::<pluss::Error>();

    let nest = gemm();
    let first = nest.simulate().threads([3]).bind("n", 24).run().expect("curves").get(0).unwrap();
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let curves = nest.simulate().threads([3]).bind("n", 24).run().expect("curves");
                let curve = curves.get(0).unwrap();
                assert_eq!(curve.compare(&first, Grid::Strict).unwrap().max_abs, 0.0);
                assert_eq!(nest.refs().len(), 4);
                assert!(nest.to_text().expect("a text").contains("parallel"));
                nest.private_intervals().threads([2]).bind("n", 12).run().expect("intervals");
            });
        }
    });
}

#[cfg(feature = "serde")]
#[test]
fn serde() {
    let nest = gemm();
    let curves = nest.simulate().bind("n", 16).run().expect("curves");
    let json = serde_json::to_value(&curves).expect("JSON");
    assert_eq!(json[0]["region"], "gemm");
    assert_eq!(json[0]["miss"][0], 1.0);
    let error = nest.predict().run().expect_err("n has no value");
    let back: pluss::Error =
        serde_json::from_str(&serde_json::to_string(&error).expect("JSON")).expect("an error");
    assert_eq!(back, error);
}

#[test]
fn files_by_options() {
    let path = std::env::temp_dir().join(format!("pluss-file-{}.nest", std::process::id()));
    let text = "pluss-nest 1 symbol n region a array f64 A[n] for i in 0..n { read A[i] } \
                region b array f64 B[n] parallel for i in 0..n { write B[i] }";
    std::fs::write(&path, text).unwrap();
    let file = pluss::File::read(&path).unwrap();
    let options = [("define", "n=64"), ("threads", "1..4x2")];
    let both = file.predict(&options).unwrap();
    assert_eq!(both.len(), 6);
    assert_eq!(file.simulate(&[("define", "n=64"), ("region", "b")]).unwrap().len(), 1);
    let error = file.predict(&[("threads", "4,x")]).err().unwrap();
    assert!(error.to_string().contains("threads '4,x', character 3"), "{error}");
    let nest = pluss::Nest::parse(text).unwrap();
    let curves = nest.predict().set("define", "n=64").set("threads", "2").run().unwrap();
    assert_eq!(curves.len(), 1);
    assert_eq!(curves.get(0).unwrap().progress(), Some(("uniform", "default")));
    let curves = nest.simulate().set("define", "n=64").set("progress", "burst:8").run().unwrap();
    if pluss::has_feature("read.json") {
        let curves = pluss::Curves::from_json(&curves.to_json().unwrap()).unwrap();
        assert_eq!(curves.get(0).unwrap().progress(), Some(("burst", "option")));
        assert_eq!(curves.get(0).unwrap().progress_numbers(), [("mean", 8.0)]);
    }
    assert!(pluss::Record::read(&path).is_err());
    std::fs::remove_file(&path).unwrap();
}
