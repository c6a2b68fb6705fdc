// SPDX-License-Identifier: GPL-3.0-or-later
//! What things cost: the median of several runs each, in microseconds. `make bench-rust`.

use std::time::Instant;

use pluss::rayon::{Watch, WatchSliceExt};
use pluss::{nest, Model};
use pluss_trace::{Shape, Site};
use rayon::prelude::*;

fn median(name: &str, mut work: impl FnMut()) {
    work();
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:<44}{:>14.1} us   {:>12.1} ... {:.1}", times[4], times[0], times[8]);
}

fn gemm() -> pluss::Nest {
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
    .expect("a nest")
}

fn main() {
    println!("{:<44}{:>17}   {:>12} ... most", "", "median", "least");
    median("build gemm's nest", || drop(gemm()));
    let nest = gemm();
    let text = nest.to_string();
    median("parse its text", || drop(pluss::Nest::parse(&text)));
    for model in Model::all().filter(|model| model.name != "extrapolate") {
        median(&format!("predict gemm 128 at T=4, {}", model.name), || {
            nest.predict().threads([4]).bind("n", 128).model(model.name).run().expect("a curve");
        });
    }
    median("simulate gemm 64 at T=4", || {
        nest.simulate().threads([4]).bind("n", 64).run().expect("a curve");
    });

    let n = 1 << 20;
    let mut data = vec![1.0f64; n];
    let body = |chunk: &mut [f64]| chunk.iter_mut().for_each(|x| *x = *x * 0.5 + 1.0);
    let (watch, recording) = (Watch::new(), Watch::recording());
    median("1 Mi elements in chunks of 1024, plain", || data.par_chunks_mut(1024).for_each(body));
    median("  watched", || {
        watch.clear();
        data.watch(&watch).par_chunks_mut(1024).for_each(body);
    });
    median("  watched and recording", || {
        recording.clear();
        data.watch(&recording).par_chunks_mut(1024).for_each(body);
    });
    let site = Site::new("bench", &[Shape::of::<f64>(); 2]);
    median("  traced", || {
        site.run(|run| {
            data.par_chunks_mut(1024).for_each(|chunk| {
                run.enter(|thread| {
                    let mut chunk = thread.updates(0, 1, chunk);
                    for i in 0..chunk.len() {
                        chunk[i] += 1.0;
                    }
                })
            });
        });
    });
}
