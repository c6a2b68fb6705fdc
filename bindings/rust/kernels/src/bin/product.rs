// SPDX-License-Identifier: GPL-3.0-or-later
//! A matrix product: product N.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn product(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    c.par_chunks_mut(n).zip(a.par_chunks(n)).for_each(|(c, a)| {
        for k in 0..n {
            for j in 0..n {
                c[j] += a[k] * b[k * n + j];
            }
        }
    });
}

fn main() {
    let n = argument(1);
    let mut c = numbers(n * n);
    product(n, &numbers(n * n), &numbers(n * n), &mut c);
    println!("{}", c[n]);
}
