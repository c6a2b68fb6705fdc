// SPDX-License-Identifier: GPL-3.0-or-later
//! Two trees of tasks, and a loop between them: trees M, M times 8 numbers.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn raise(x: &mut [f64]) {
    if x.len() <= 8 {
        return x.iter_mut().for_each(|x| *x += 1.0);
    }
    let (left, right) = x.split_at_mut(x.len() / 2);
    rayon::join(|| raise(left), || raise(right));
}

#[pluss_rayon::kernel]
fn trees(x: &mut [f64]) {
    raise(x);
    x.par_iter_mut().for_each(|x| *x *= 2.0);
    raise(x);
}

fn main() {
    let mut x = numbers(8 * argument(1));
    trees(&mut x);
    println!("{}", x[7]);
}
