// SPDX-License-Identifier: GPL-3.0-or-later
//! What the examples have in common: arrays that begin on a cache line, as the nests say, and the
//! comparison of a traced run with a prediction.

use std::fs::File;
use std::io::Write;
use std::ops::Range;

use pluss::rayon::Watch;
use pluss::{Chunk, Curves, Nest, PrivateIntervals};
use pluss_trace::Region;

/// Numbers that begin on a cache line.
pub struct Aligned {
    data: Vec<f64>,
    first: usize,
    len: usize,
}

impl Aligned {
    pub fn new(len: usize, value: impl Fn(usize) -> f64) -> Self {
        let mut data = vec![0.0; len + 8];
        let first = data.as_ptr().align_offset(64);
        for i in 0..len {
            data[first + i] = value(i);
        }
        Self { data, first, len }
    }

    pub fn get(&self) -> &[f64] {
        &self.data[self.first..self.first + self.len]
    }

    pub fn get_mut(&mut self) -> &mut [f64] {
        &mut self.data[self.first..self.first + self.len]
    }
}

/// Who executed what of the nest's parallel loop, in the runs with this many threads.
fn executed(nest: &Nest, watch: &Watch, threads: usize) -> Vec<Chunk> {
    let number = nest.loops().position(|l| l.schedule.is_some()).expect("a parallel loop");
    let runs = watch.runs();
    Chunk::of_runs(number as u32, runs.iter().filter(|run| run.threads == threads))
}

/// The share of the accesses whose private reuse interval is another one than predicted: half the
/// sum of the differences of all bins, first touches being one.
pub fn distance(private: &PrivateIntervals, traced: &Region) -> f64 {
    let (mut differ, mut all) = (0.0, 0.0);
    for (i, histogram) in private.iter().enumerate() {
        let (first, mut bins) = traced.reference(i as u32);
        differ += (first as f64 - histogram.cold - histogram.thread_first).abs();
        for (interval, weight) in histogram.bins() {
            differ += (weight - bins.remove(&interval).unwrap_or(0) as f64).abs();
        }
        differ += bins.values().sum::<u64>() as f64;
        all += histogram.accesses();
    }
    differ / 2.0 / all
}

/// For other programs: the nest, who executed what, and the traced histograms, as FILE.nest,
/// FILE.chunks and FILE.pri.
fn save(
    nest: &Nest,
    bindings: &[(&str, i64)],
    chunks: &[Chunk],
    traced: &Region,
    file: &str,
) -> std::io::Result<()> {
    std::fs::write(format!("{file}.nest"), nest.to_string())?;
    let mut out = File::create(format!("{file}.chunks"))?;
    writeln!(out, "team {}", traced.team)?;
    for (name, value) in bindings {
        writeln!(out, "symbol {name} {value}")?;
    }
    for Chunk { loop_number, thread, time, iterations: Range { start, end } } in chunks {
        writeln!(out, "chunk {loop_number} {thread} {time} {start} {end}")?;
    }
    let mut out = File::create(format!("{file}.pri"))?;
    for i in 0..nest.refs().len() as u32 {
        let (first, bins) = traced.reference(i);
        write!(out, "ref {i} first {first}")?;
        for (interval, count) in bins {
            write!(out, " {interval}:{count}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Predicted miss ratios, a column a number of threads.
pub fn print_curves(curves: &Curves) {
    print!("{:>9}", "bytes");
    for curve in curves {
        print!("{:>10}", format!("T={}", curve.team()));
    }
    println!();
    for size in (10..=22).step_by(2).map(|power| 1_u64 << power) {
        print!("{size:>9}");
        for curve in curves {
            print!("{:>10.5}", curve.miss_ratio(size));
        }
        println!();
    }
}

/// Compares a traced run with two predictions: that of the nest, whose schedule draws who executes
/// what, and that of the assignment that the run really had, which must be met exactly.
pub fn report(
    nest: &Nest,
    bindings: &[(&str, i64)],
    traced: &Region,
    watch: &Watch,
) -> Result<(), Box<dyn std::error::Error>> {
    let request = || {
        let request = nest.private_intervals().threads([traced.team]);
        bindings.iter().fold(request, |request, (name, value)| request.bind(*name, *value))
    };
    let chunks = executed(nest, watch, traced.team as usize);
    if let Some(folder) = std::env::args().nth(1) {
        let file = format!("{folder}/{}-{}", traced.name, traced.team);
        save(nest, bindings, &chunks, traced, &file)?;
    }
    let pieces = chunks.len();
    let drawn = distance(&request().run()?, traced);
    let replayed = distance(&request().recorded(chunks).run()?, traced);
    println!(
        "traced run, {} thread{}: {} accesses in {pieces} pieces; another reuse interval than \
         predicted: {:.4} % of them, for the recorded assignment {:.4} %",
        traced.team,
        if traced.team == 1 { "" } else { "s" },
        traced.accesses(),
        100.0 * drawn,
        100.0 * replayed
    );
    assert_eq!(traced.lost, 0, "accesses were lost");
    // Not one access: what is left of sums of thirds is far below.
    let different = replayed * traced.accesses() as f64;
    assert!(different < 1e-6, "the run differs from the prediction for its own assignment");
    assert!(traced.team > 1 || drawn == 0.0, "a team of one differs from its prediction");
    Ok(())
}

pub fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}
