// SPDX-License-Identifier: GPL-3.0-or-later
//! A five-point stencil over time steps that exchange two buffers.

use pluss::nest;
use pluss::rayon::{Watch, WatchSliceExt};
use pluss_trace::{Shape, Site};
use rayon::prelude::*;

mod shared;
use shared::{pool, print_curves, report, Aligned};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (steps, n) = (4, 96);
    let site = Site::new("stencil", &[Shape::of::<f64>(); 6]);
    let watch = Watch::recording();
    for threads in [1, 2, 4] {
        let mut from = Aligned::new(n * n, |i| (i % 13) as f64);
        let mut to = Aligned::new(n * n, |i| (i % 13) as f64);
        pool(threads).install(|| {
            site.run(|run| {
                for _ in 0..steps {
                    let old = from.get();
                    let inner = &mut to.get_mut()[n..n * (n - 1)];
                    inner.watch(&watch).par_chunks_mut(n).enumerate().for_each(|(row, new)| {
                        run.enter(|thread| {
                            let i = row + 1;
                            let centre = thread.reads(0, old);
                            let (west, east) = (thread.reads(1, old), thread.reads(2, old));
                            let (south, north) = (thread.reads(3, old), thread.reads(4, old));
                            let mut new = thread.writes(5, new);
                            for j in 1..n - 1 {
                                let at = i * n + j;
                                new[j] = 0.2
                                    * (centre[at]
                                        + west[at - 1]
                                        + east[at + 1]
                                        + south[at + n]
                                        + north[at - n]);
                            }
                        })
                    });
                    std::mem::swap(&mut from, &mut to);
                }
            });
        });
        assert!(from.get().iter().all(|x| (0.0..=12.0).contains(x)));
    }

    let run = watch.last().expect("a run");
    println!("stencil: {} rows of {} elements, {} times", run.items, run.chunk, steps);
    let nest = nest! {
        region stencil(steps, n) {
            array f64 A[n][n], B[n][n];
            for t in 0..steps {
                parallel for i in 1..(n - 1), schedule(rayon, run.min_len) {
                    for j in 1..(n - 1) {
                        read A[i][j]; read A[i][j - 1]; read A[i][j + 1];
                        read A[i + 1][j]; read A[i - 1][j]; write B[i][j];
                    }
                }
                swap A, B;
            }
        }
    }?;
    let bindings = [("steps", steps as i64), ("n", n as i64)];
    let mut predict = nest.predict().threads([1, 2, 4]).model("cri");
    for (name, value) in bindings {
        predict = predict.bind(name, value);
    }
    print_curves(&predict.run()?);
    for region in &pluss_trace::take()?.regions {
        report(&nest, &bindings, region, &watch)?;
    }
    Ok(())
}
