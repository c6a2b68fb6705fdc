// SPDX-License-Identifier: GPL-3.0-or-later
//! A five-point stencil that exchanges two buffers: stencil N STEPS.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn stencil(n: usize, steps: usize, from: &mut Vec<f64>, to: &mut Vec<f64>) {
    for _ in 0..steps {
        to.par_chunks_exact_mut(n).enumerate().skip(1).take(n - 2).for_each(|(i, to)| {
            for j in 1..n - 1 {
                let sides = from[i * n + j - 1] + from[i * n + j + 1];
                to[j] = 0.25 * (sides + from[(i - 1) * n + j] + from[(i + 1) * n + j]);
            }
        });
        std::mem::swap(from, to);
    }
}

fn main() {
    let (n, steps) = (argument(1), argument(2));
    let (mut from, mut to) = (numbers(n * n), numbers(n * n));
    stencil(n, steps, &mut from, &mut to);
    println!("{}", from[n + 1] + to[n + 1]);
}
