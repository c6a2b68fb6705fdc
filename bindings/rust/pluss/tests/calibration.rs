// SPDX-License-Identifier: GPL-3.0-or-later
//! A calibration of recorded files that are made here.

use std::path::{Path, PathBuf};

const NEST: &str = "pluss-nest 1 region sums \"sums.c\":7 array f64 A[48][64] \
                    parallel for i in 0..48 { for j in 0..64 { read A[i][j] } }";
const ITERATIONS: u64 = 24;

/// Sections of a sidecar file, as docs/record-format.md has them.
struct Trace(Vec<u8>);

impl Trace {
    fn new() -> Self {
        let mut bytes = b"pluss-trace\n\0\0\0\0".to_vec();
        bytes.extend([3_u32, 64].iter().flat_map(|x| x.to_le_bytes()));
        Self(bytes)
    }

    fn words(&mut self, words: &[u32]) {
        self.0.extend(words.iter().flat_map(|x| x.to_le_bytes()));
    }

    fn longs(&mut self, longs: &[u64]) {
        self.0.extend(longs.iter().flat_map(|x| x.to_le_bytes()));
    }

    fn section(&mut self, kind: u32, size: u32, n: u64, (run, thread): (u32, u32), ends: [u64; 2]) {
        self.words(&[kind, size]);
        self.longs(&[n]);
        self.words(&[run, thread]);
        self.longs(&ends);
    }

    /// One thread of a run: an iteration takes 1000 ns, of thread 1 twice that.
    fn stamps(&mut self, run: u32, thread: u32, mut at: u64) {
        let mut list = Vec::new();
        if thread == 0 {
            list.push((at, 0, 0xff_ffff)); // makes the team
        }
        at += 100 + 50 * u64::from(thread);
        list.push((at, 0, (1 << 24) | 0xff_ffff)); // begins
        list.push((at, 0, 3 << 24)); // loop 0
        for i in 1..=ITERATIONS {
            list.push((at, i, 4 << 24));
            at += 1000 * u64::from(thread + 1);
        }
        at += u64::from(run % 2) * 20;
        list.push((at, ITERATIONS, 5 << 24)); // is done with the loop, with all
        list.push((at, 0, (2 << 24) | 0xff_ffff));
        self.section(3, 24, list.len() as u64, (run, thread), [list[0].0, at]);
        for (time, begun, kind) in list {
            self.longs(&[time, begun]);
            self.words(&[kind, 0]);
        }
    }
}

fn make_record(path: &Path, runs: u32) {
    let region = format!("region \"sums\" \"sums.c\":7 team 2 runs {runs} lost 0 by bind\nend\n");
    std::fs::write(path, format!("pluss-record 3\nline 64\n{region}")).unwrap();
    let mut trace = Trace::new();
    for run in 0..runs {
        let from = 1000 + 100_000 * u64::from(run);
        trace.stamps(run, 0, from);
        trace.stamps(run, 1, from);
        trace.section(1, 8, 1, (run, 2), [from - 10, from + 90_000]);
        trace.words(&[0, 1]); // of block 0, with time stamps
    }
    trace.section(6, 8, 1, (0, 0), [1, 1_000_001]);
    trace.longs(&[1_000_000]);
    std::fs::write(beside(path, "trace"), trace.0).unwrap();
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}.{suffix}", path.display()))
}

#[test]
fn recorded_files_to_a_machine_file() {
    let path = std::env::temp_dir().join(format!("pluss-calibration-{}", std::process::id()));
    let nest = pluss::Nest::parse(NEST).unwrap();
    let mut calibration = pluss::Calibration::new(&[]).unwrap();
    for runs in [4, 6] {
        make_record(&path, runs);
        let record = pluss::Record::read(&path).unwrap();
        calibration.add(&record, &[&nest]).unwrap();
        assert!(calibration.add(&record, &[]).is_ok(), "it names no file: nothing is added");
    }
    assert_eq!(calibration.least_runs().unwrap(), 10);
    let fitted = calibration.finish().unwrap();
    let regions = fitted.regions();
    assert_eq!(regions.len(), 1);
    let sums = &regions[0];
    assert_eq!((&*sums.region, sums.file.as_deref(), sums.line), ("sums", Some("sums.c"), 7));
    assert_eq!((sums.team, sums.runs, sums.discarded), (2, 10, 0));
    let slow = 2000.0 / 64.0; // ns an access of thread 1
    assert!((sums.access_ns - 0.75 * slow).abs() < 0.02 * slow, "{sums:?}");
    assert!((sums.rates[0] - 2.0_f64.sqrt()).abs() < 0.01, "{sums:?}");
    assert!(sums.sigma > 0.0 && sums.sigma < 0.02, "{sums:?}");

    for file in [&path, &beside(&path, "trace")] {
        std::fs::remove_file(file).unwrap();
    }
    if !pluss::has_feature("read.json") {
        return; // machine files are JSON
    }
    let kept = beside(&path, "json");
    let mut machine = pluss::MachineFile::read(&kept).unwrap(); // not there yet
    assert!(machine.put(&fitted, "a test", 5.0).is_err(), "no time slice is as short as that");
    machine.put(&fitted, "a test", 4e6).unwrap();
    std::fs::write(&kept, machine.to_json().unwrap()).unwrap();
    assert_eq!(
        pluss::MachineFile::read(&kept).unwrap().to_json().unwrap(),
        machine.to_json().unwrap()
    );
    let curves = nest
        .predict()
        .set("threads", 2)
        .set("machine", kept.display())
        .set("progress", "rates")
        .run()
        .unwrap();
    let engine = curves.get(0).unwrap().engine().to_owned();
    assert!(engine.contains("+rates+loops of pluss-calibration-"), "{engine}");
    std::fs::remove_file(kept).unwrap();
}

#[test]
fn nothing_to_calibrate_with() {
    let mut calibration = pluss::Calibration::new(&[("region", "sums")]).unwrap();
    assert_eq!(calibration.least_runs().unwrap(), 0);
    assert_eq!(calibration.finish().err().unwrap().status(), pluss::Status::NotFound);
    assert!(pluss::Calibration::new(&[("region", "a"), ("threads", "x")]).is_err());
}
