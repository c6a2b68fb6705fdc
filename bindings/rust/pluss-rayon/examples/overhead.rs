// SPDX-License-Identifier: MIT OR Apache-2.0
//! What watching costs, in loops of 10,000 bodies of about 1 us: processor time, medians of 25 ratios
//! (or of as many as the argument says) of runs in turn. cargo run --release --example overhead (Linux)

use std::fs;
use std::hint::black_box;
use std::time::Duration;

use pluss_rayon::{Watch, WatchedExt};
use rayon::prelude::*;

fn body(x: &mut u64, turns: u32) {
    for _ in 0..turns {
        *x = black_box(*x).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
}

/// Processor time of all threads so far.
fn used() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").expect("threads");
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

fn time(work: impl FnOnce()) -> Duration {
    let start = used();
    work();
    used().saturating_sub(start) // a thread may have ended
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let mut data = vec![1; 10_000];
    let mut turns = 100;
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut quickest = |turns| {
        let mut run = || time(|| data.par_iter_mut().for_each(|x| body(x, turns)));
        alone.install(|| (0..5).map(|_| run()).min().expect("five"))
    };
    while quickest(turns) < Duration::from_millis(10) {
        turns += turns / 10;
    }
    let rounds = std::env::args().nth(1).map_or(25, |text| text.parse().expect("a number"));
    println!("{turns} turns a body; loops of 10,000 bodies, median of {rounds}");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for least in [1, 100] {
            let (watch, recording) = (Watch::new(), Watch::recording());
            let mut times = [(); 3].map(|()| Vec::new());
            for _ in 0..rounds {
                let items = &mut data;
                times[0].push(pool.install(|| {
                    time(|| items.par_iter_mut().with_min_len(least).for_each(|x| body(x, turns)))
                }));
                for (watch, times) in [&watch, &recording].into_iter().zip(&mut times[1..]) {
                    watch.clear();
                    times.push(pool.install(|| {
                        time(|| {
                            items
                                .par_iter_mut()
                                .with_min_len(least)
                                .watched(watch)
                                .for_each(|x| body(x, turns));
                        })
                    }));
                }
            }
            let pieces = recording.last().map_or(0, |run| run.pieces.len());
            let [plain, watched, recorded] = times;
            // whatever else the machine does meets the runs of one turn alike
            let cost = |with: Vec<Duration>| {
                let ratios =
                    with.iter().zip(&plain).map(|(with, plain)| with.div_duration_f64(*plain));
                100.0 * (median(ratios.collect()) - 1.0)
            };
            println!(
                "{threads} threads, pieces of {least} at least: watched {:+.2} %, recorded {:+.2} % ({pieces} pieces)",
                cost(watched),
                cost(recorded)
            );
        }
    }
}
