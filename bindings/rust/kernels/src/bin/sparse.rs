// SPDX-License-Identifier: GPL-3.0-or-later
//! A sparse matrix, compressed by rows, times a vector: sparse N, about N / 4 elements a row.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn sparse(start: &[usize], column: &[u32], value: &[f64], x: &[f64], y: &mut [f64]) {
    y.par_iter_mut().zip(start.par_windows(2)).for_each(|(y, ends)| {
        let row = ends[0]..ends[1];
        *y = column[row.clone()].iter().zip(&value[row]).map(|(&j, v)| v * x[j as usize]).sum();
    });
}

fn main() {
    let n = argument(1);
    let (mut start, mut column, mut state) = (vec![0], Vec::new(), 1_u32);
    for _ in 0..n {
        for j in 0..n as u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 30 == 0 {
                column.push(j);
            }
        }
        start.push(column.len());
    }
    let mut y = numbers(n);
    sparse(&start, &column, &numbers(column.len()), &numbers(n), &mut y);
    println!("{}", y[n - 1]);
}
