// SPDX-License-Identifier: GPL-3.0-or-later
//! Prefix sums in two passes over blocks: prefix BLOCKS M, M numbers a block.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn prefix(m: usize, x: &mut [f64], last: &mut [f64]) {
    x.par_chunks_mut(m).zip(last.par_iter_mut()).for_each(|(x, last)| {
        let mut sum = 0.0;
        for x in x {
            sum += *x;
            *x = sum;
        }
        *last = sum;
    });
    let mut sum = 0.0;
    for last in last.iter_mut() {
        sum += std::mem::replace(last, sum);
    }
    x.par_chunks_mut(m).zip(last.par_iter()).for_each(|(x, before)| {
        for x in x {
            *x += before;
        }
    });
}

fn main() {
    let (blocks, m) = (argument(1), argument(2));
    let mut x = numbers(blocks * m);
    prefix(m, &mut x, &mut numbers(blocks));
    println!("{}", x[blocks * m - 1]);
}
