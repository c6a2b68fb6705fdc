// SPDX-License-Identifier: GPL-3.0-or-later
//! A matrix of nalgebra, column by column: matrix N M.
use kernels::{argument, numbers};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn matrix(a: &mut DMatrix<f64>, x: &DVector<f64>) {
    a.par_column_iter_mut().for_each(|mut column| {
        for i in 0..column.len() {
            column[i] += x[i];
        }
    });
}

fn main() {
    let (n, m) = (argument(1), argument(2));
    let mut a = DMatrix::from_vec(n, m, numbers(n * m));
    matrix(&mut a, &DVector::from_vec(numbers(n)));
    println!("{}", a[(n - 1, m - 1)]);
}
