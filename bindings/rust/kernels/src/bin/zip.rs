// SPDX-License-Identifier: GPL-3.0-or-later
//! Three arrays of ndarray, element by element: zip N M.
use kernels::{argument, numbers};
use ndarray::{Array2, Zip};

#[pluss_rayon::kernel]
fn zip(a: &Array2<f64>, b: &Array2<f64>, c: &mut Array2<f64>) {
    Zip::from(c.rows_mut()).and(a.rows()).and(b.columns()).par_for_each(|mut c, a, b| {
        c.zip_mut_with(&a, |c, a| *c += a);
        c.zip_mut_with(&b, |c, b| *c *= b);
    });
}

fn main() {
    let (n, m) = (argument(1), argument(2));
    let array =
        |n: usize, m: usize| Array2::from_shape_vec((n, m), numbers(n * m)).expect("its length");
    let mut c = array(n, m);
    zip(&array(n, m), &array(m, n), &mut c);
    println!("{}", c[[n - 1, m - 1]]);
}
