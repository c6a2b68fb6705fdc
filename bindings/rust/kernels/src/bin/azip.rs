// SPDX-License-Identifier: GPL-3.0-or-later
//! Two arrays of ndarray by its macro, and the rows of one: azip N M.
use kernels::{argument, numbers};
use ndarray::parallel::prelude::*;
use ndarray::{par_azip, Array2, Axis};

#[pluss_rayon::kernel]
fn azip(a: &mut Array2<f64>, b: &Array2<f64>) {
    par_azip!((a in a.rows_mut(), b in b.rows()) for (a, b) in a.into_iter().zip(b) { *a += b });
    a.axis_iter_mut(Axis(0)).into_par_iter().for_each(|mut a| a.map_inplace(|a| *a *= 2.0));
}

fn main() {
    let (n, m) = (argument(1), argument(2));
    let array = || Array2::from_shape_vec((n, m), numbers(n * m)).expect("its length");
    let mut a = array();
    azip(&mut a, &array());
    println!("{}", a[[n - 1, m - 1]]);
}
