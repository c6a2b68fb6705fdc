// SPDX-License-Identifier: GPL-3.0-or-later
//! A matrix product to be folded: product n m.
#[inline(never)]
fn multiply(n: usize, m: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..m {
                c[i * n + j] += a[i * m + k] * b[k * n + j];
            }
        }
    }
}

fn main() {
    let size: Vec<usize> = std::env::args().skip(1).map(|s| s.parse().unwrap()).collect();
    let (n, m) = (size[0], size[1]);
    let (a, b, mut c) = (vec![1.0; n * m], vec![1.0; n * m], vec![0.0; n * n]);
    multiply(n, m, &a, &b, &mut c);
    println!("{}", c[n]);
}
