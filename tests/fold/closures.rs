// SPDX-License-Identifier: GPL-3.0-or-later
//! Closures to be folded, five of them Rayon's: closures NAME n m.
use rayon::prelude::*;

mod marks {
    extern "C" {
        fn pluss_trace_loop_begin();
        fn pluss_trace_loop_end();
        fn pluss_trace_iterations_begin(first: u64, end: u64);
        fn pluss_trace_iterations_end();
    }

    /// Executes a loop of Rayon.
    pub fn rayon_loop(body: impl FnOnce()) {
        // SAFETY: these take no pointers; one loop at a time begins and ends.
        unsafe { pluss_trace_loop_begin() };
        body();
        unsafe { pluss_trace_loop_end() };
    }

    /// Executes one iteration of it.
    #[inline(always)]
    pub fn iteration(i: usize, body: impl FnOnce()) {
        // SAFETY: these take no pointers.
        unsafe { pluss_trace_iterations_begin(i as u64, i as u64 + 1) };
        body();
        unsafe { pluss_trace_iterations_end() };
    }
}
use marks::{iteration, rayon_loop};

struct Data {
    a: Vec<f64>, // n x m
    b: Vec<f64>, // m x n
    x: Vec<f64>,
    y: Vec<f64>,
}

/// What is computed must be used.
#[inline(never)]
fn kernel(name: &str, n: usize, m: usize, d: &mut Data) -> f64 {
    let (a, b, x, y) = (&mut d.a, &d.b, &d.x, &mut d.y);
    match name {
        "dot" => return a.iter().zip(b).map(|(a, b)| a * b).sum(),
        "axpy" => y.iter_mut().zip(x).for_each(|(y, x)| *y += 3.0 * x),
        "vector" => y.iter_mut().zip(a.chunks(m)).for_each(|(y, row)| (0..m).for_each(|j| *y += row[j] * x[j])),
        "transpose" => a.chunks_mut(m).enumerate().for_each(|(i, row)| row.iter_mut().enumerate().for_each(|(j, a)| *a = b[j * n + i])),
        "triangle" => (0..n).for_each(|i| (0..i).for_each(|j| y[i] -= x[j] * y[j])),
        "par_axpy" => rayon_loop(|| y.par_iter_mut().zip(x).enumerate().for_each(|(i, (y, x))| iteration(i, || *y += 3.0 * x))),
        "par_vector" => rayon_loop(|| {
            y.par_iter_mut().zip(a.par_chunks(m)).enumerate().for_each(|(i, (y, row))| iteration(i, || (0..m).for_each(|j| *y += row[j] * x[j])));
        }),
        "par_transpose" => rayon_loop(|| {
            a.par_chunks_mut(m).enumerate().for_each(|(i, row)| iteration(i, || row.iter_mut().enumerate().for_each(|(j, a)| *a = b[j * n + i])));
        }),
        "par_product" => rayon_loop(|| {
            a.par_chunks_mut(m).enumerate().with_min_len(2).for_each(|(i, row)| {
                iteration(i, || {
                    for (j, c) in row.iter_mut().enumerate() {
                        for k in 0..n {
                            *c += x[k] * b[j * n + k];
                        }
                    }
                });
            });
        }),
        "par_steps" => {
            for _ in 0..m {
                rayon_loop(|| y.par_iter_mut().enumerate().for_each(|(i, y)| iteration(i, || (0..i + 1).for_each(|j| *y += x[j]))));
            }
        }
        _ => panic!("no such closure"),
    }
    a[n] + y[n - 1]
}

fn main() {
    let word: Vec<String> = std::env::args().collect();
    let (n, m): (usize, usize) = (word[2].parse().unwrap(), word[3].parse().unwrap());
    let mut data = Data { a: vec![1.0; n * m], b: vec![1.0; n * m], x: vec![1.0; n + m], y: vec![0.0; n] };
    println!("{}", kernel(&word[1], n, m, &mut data));
}
