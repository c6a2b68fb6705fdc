// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loops whose recorded runs the model of Rayon's pools is compared with (bindings/rust/kernels/accuracy.py):
//! `bodies ROWS LENGTH LEAST MOST COST STEPS` multiplies a matrix of ROWS rows of LENGTH by a vector,
//! STEPS times, with LEAST to MOST rows a piece (0: no limit); each product takes COST more divisions.

use std::env;

use pluss_rayon::watching::{chain, Kernel};
use rayon::prelude::*;

fn bodies(
    step: usize,
    (rows, length, cost): (usize, usize, usize),
    a: &[f64],
    x: &[f64],
    limits: (usize, usize),
    y: &mut [f64],
) {
    let row = |(y, a): (&mut f64, &[f64])| {
        let mut sum = step as f64;
        for (a, x) in a.iter().zip(x) {
            let mut product = a * x;
            for _ in 0..cost {
                product = 1.0 / (product + 1.5);
            }
            sum += product;
        }
        *y = sum;
    };
    let base = y[..rows].par_iter_mut().zip(a.par_chunks(length));
    let base = base.with_min_len(limits.0.max(1));
    if limits.1 == 0 {
        chain(base).watch().for_each(row);
    } else {
        chain(base.with_max_len(limits.1)).watch().for_each(row);
    }
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |i: usize| words[i].parse::<usize>().expect("a number");
    let (rows, length, limits, cost, steps) =
        (number(0), number(1), (number(2), number(3)), number(4), number(5));
    let (a, x, mut y) = (vec![1.25; rows * length], vec![0.5; length], vec![0.0; rows]);
    {
        let _kernel = Kernel::begin("bodies");
        for step in 0..steps {
            bodies(step, (rows, length, cost), &a, &x, limits, &mut y);
        }
    }
    println!("{}", y.iter().sum::<f64>());
}
