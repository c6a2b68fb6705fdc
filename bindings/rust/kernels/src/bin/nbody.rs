// SPDX-License-Identifier: GPL-3.0-or-later
//! Forces between all bodies: nbody N.
use kernels::{argument, numbers};
use rayon::prelude::*;

#[pluss_rayon::kernel]
fn nbody(body: &[[f64; 4]], force: &mut [[f64; 3]]) {
    force.par_iter_mut().zip(body).for_each(|(force, p)| {
        let mut sum = [0.0; 3];
        for q in body {
            let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
            let weight = q[3] * p[3] / (square * square.sqrt());
            for (sum, d) in sum.iter_mut().zip(d) {
                *sum += weight * d;
            }
        }
        *force = sum;
    });
}

fn main() {
    let n = argument(1);
    let body = numbers(4 * n).chunks(4).map(|b| [b[0], b[1], b[2], b[3]]).collect::<Vec<_>>();
    let mut force = vec![[0.0; 3]; n];
    nbody(&body, &mut force);
    println!("{}", force[n - 1][0]);
}
