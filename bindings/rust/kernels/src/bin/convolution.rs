// SPDX-License-Identifier: GPL-3.0-or-later
//! A convolution of an image with a filter: convolution N M, M rows and columns of the filter.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn convolution(n: usize, m: usize, image: &[f64], filter: &[f64], out: &mut [f64]) {
    let width = n + m - 1;
    out.par_chunks_mut(n).zip(image.par_windows(width * m).step_by(width)).for_each(
        |(out, rows)| {
            for (j, out) in out.iter_mut().enumerate() {
                *out = 0.0;
                for (row, filter) in rows.chunks_exact(width).zip(filter.chunks_exact(m)) {
                    for (x, f) in row[j..j + m].iter().zip(filter) {
                        *out += x * f;
                    }
                }
            }
        },
    );
}

fn main() {
    let (n, m) = (argument(1), argument(2));
    let image = numbers((n + m - 1) * (n + m - 1));
    let mut out = numbers(n * n);
    convolution(n, m, &image, &numbers(m * m), &mut out);
    println!("{}", out[n]);
}
