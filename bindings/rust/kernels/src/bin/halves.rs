// SPDX-License-Identifier: GPL-3.0-or-later
//! A sum by recursive halves: halves M, M times 8 numbers.
use kernels::{argument, numbers};

#[pluss_rayon::kernel]
fn halves(x: &[f64]) -> f64 {
    if x.len() <= 8 {
        return x.iter().sum();
    }
    let (a, b) = x.split_at(x.len() / 2);
    let (a, b) = rayon::join(|| halves(a), || halves(b));
    a + b
}

fn main() {
    println!("{}", halves(&numbers(8 * argument(1))));
}
