// SPDX-License-Identifier: GPL-3.0-or-later
//! C += A B, parallel over the rows of C.

use pluss::nest;
use pluss::rayon::{Watch, WatchSliceExt};
use pluss_trace::{Shape, Site};
use rayon::prelude::*;

mod shared;
use shared::{pool, print_curves, report, Aligned};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = 64;
    let (a, b) = (Aligned::new(n * n, |i| i as f64), Aligned::new(n * n, |i| (i % 7) as f64));
    let (a, b) = (a.get(), b.get());
    let site = Site::new("gemm", &[Shape::of::<f64>(); 4]);
    let watch = Watch::recording();
    for threads in [1, 2, 4] {
        let mut c = Aligned::new(n * n, |_| 0.0);
        pool(threads).install(|| {
            site.run(|run| {
                c.get_mut().watch(&watch).par_chunks_mut(n).enumerate().for_each(|(i, row)| {
                    run.enter(|thread| {
                        let (a, b) = (thread.reads(0, a), thread.reads(1, b));
                        let mut row = thread.updates(2, 3, row);
                        for j in 0..n {
                            for k in 0..n {
                                row[j] += a[i * n + k] * b[k * n + j];
                            }
                        }
                    })
                });
            });
        });
        let sum: f64 = (0..n).map(|k| a[k] * b[k * n + 1]).sum();
        assert_eq!(c.get()[1], sum);
    }

    let run = watch.last().expect("a run");
    println!("gemm: {} rows of {} elements", run.items, run.chunk);
    let nest = nest! {
        region gemm(n) {
            array f64 A[n][n], B[n][n], C[n][n];
            parallel for i in 0..n, schedule(rayon, run.min_len) {
                for j in 0..n {
                    for k in 0..n { read A[i][k]; read B[k][j]; read C[i][j]; write C[i][j]; }
                }
            }
        }
    }?;
    let bindings = [("n", n as i64)];
    print_curves(&nest.predict().threads([1, 2, 4]).bind("n", n as i64).model("cri").run()?);
    for region in &pluss_trace::take()?.regions {
        report(&nest, &bindings, region, &watch)?;
    }
    Ok(())
}
