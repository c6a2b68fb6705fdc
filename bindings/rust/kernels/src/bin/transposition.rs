// SPDX-License-Identifier: GPL-3.0-or-later
//! A transposition: transposition N.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn transposition(n: usize, a: &[f64], b: &mut [f64]) {
    b.par_chunks_mut(n).enumerate().for_each(|(i, b)| {
        for (j, b) in b.iter_mut().enumerate() {
            *b = a[j * n + i];
        }
    });
}

fn main() {
    let n = argument(1);
    let mut b = numbers(n * n);
    transposition(n, &numbers(n * n), &mut b);
    println!("{}", b[n]);
}
