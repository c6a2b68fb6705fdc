// SPDX-License-Identifier: GPL-3.0-or-later
//! What the examples have in common: arrays that begin on a cache line, as the nests say, and the
//! comparison of a traced run with a prediction.

use pluss::{Curves, Error, Nest};
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

/// The share of the accesses whose private reuse interval is another one than predicted: half the
/// sum of the differences of all bins, first touches being one.
pub fn distance(nest: &Nest, bindings: &[(&str, i64)], traced: &Region) -> Result<f64, Error> {
    let mut private = nest.private_intervals().threads([traced.team]);
    for (name, value) in bindings {
        private = private.bind(*name, *value);
    }
    let (mut differ, mut all) = (0.0, 0.0);
    for (i, histogram) in private.run()?.iter().enumerate() {
        let (first, mut bins) = traced.reference(i as u32);
        differ += (first as f64 - histogram.cold - histogram.thread_first).abs();
        for (interval, weight) in histogram.bins() {
            differ += (weight - bins.remove(&interval).unwrap_or(0) as f64).abs();
        }
        differ += bins.values().sum::<u64>() as f64;
        all += histogram.accesses();
    }
    Ok(differ / 2.0 / all)
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

/// Says how near a traced run came to the prediction. A team of one must be met exactly.
pub fn report(nest: &Nest, bindings: &[(&str, i64)], traced: &Region) -> Result<(), Error> {
    let distance = distance(nest, bindings, traced)?;
    println!(
        "traced run, {} thread{}: {} accesses, {:.4} % of them with another reuse interval than predicted",
        traced.team,
        if traced.team == 1 { "" } else { "s" },
        traced.accesses(),
        100.0 * distance
    );
    assert_eq!(traced.lost, 0, "accesses were lost");
    assert!(traced.team > 1 || distance == 0.0, "a team of one differs from its prediction");
    Ok(())
}

pub fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}
