// SPDX-License-Identifier: GPL-3.0-or-later
//! One step of k-means in the plane: kmeans N K, N points and K means.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn kmeans(point: &[[f64; 2]], mean: &[[f64; 2]], sum: &mut [[f64; 3]], own: &mut [u32]) {
    own.par_iter_mut().zip(point).for_each(|(own, p)| {
        let (mut best, mut least) = (0, f64::INFINITY);
        for (k, m) in mean.iter().enumerate() {
            let distance = (p[0] - m[0]).powi(2) + (p[1] - m[1]).powi(2);
            if distance < least {
                (best, least) = (k as u32, distance);
            }
        }
        *own = best;
    });
    for (p, &k) in point.iter().zip(own.iter()) {
        let sum = &mut sum[k as usize];
        sum[0] += p[0];
        sum[1] += p[1];
        sum[2] += 1.0;
    }
}

fn main() {
    let (n, k) = (argument(1), argument(2));
    let points = numbers(2 * n).chunks(2).map(|p| [p[0] * p[1], p[1]]).collect::<Vec<_>>();
    let mut sum = vec![[0.0; 3]; k];
    kmeans(&points, &points[..k], &mut sum, &mut vec![0; n]);
    println!("{}", sum[0][2]);
}
