// SPDX-License-Identifier: GPL-3.0-or-later
//! Loops over other sources than slices, and one in another: sources N M.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn sources(m: usize, a: &mut [f64], b: &mut [f64]) {
    a.chunks_mut(m).par_bridge().for_each(|a| a.iter_mut().for_each(|a| *a += 1.0));
    (0..b.len() as u64 / 2).into_par_iter().for_each(|i| {
        std::hint::black_box(b[2 * i as usize]);
    });
    b.par_chunks_mut(m).zip(a.par_chunks(m)).for_each(|(b, a)| {
        b.par_iter_mut().zip(a).for_each(|(b, a)| *b *= a);
    });
}

fn main() {
    let (n, m) = (argument(1), argument(2));
    let (mut a, mut b) = (numbers(n * m), numbers(n * m));
    sources(m, &mut a, &mut b);
    println!("{}", b[n]);
}
