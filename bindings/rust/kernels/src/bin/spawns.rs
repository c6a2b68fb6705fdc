// SPDX-License-Identifier: GPL-3.0-or-later
//! A tree of spawned tasks: spawns N M, N tasks that double M numbers each.
use kernels::{argument, numbers};
use rayon::Scope;

#[pluss_rayon::kernel]
fn spawn_halves<'s>(m: usize, x: &'s mut [f64], scope: &Scope<'s>) {
    if x.len() <= m {
        return x.iter_mut().for_each(|x| *x *= 2.0);
    }
    let (left, right) = x.split_at_mut(x.len() / 2);
    scope.spawn(move |scope| spawn_halves(m, left, scope));
    scope.spawn(move |scope| spawn_halves(m, right, scope));
}

#[pluss_rayon::kernel]
fn spawns(m: usize, x: &mut [f64]) {
    rayon::scope(|scope| spawn_halves(m, x, scope));
}

fn main() {
    let (n, m) = (argument(1), argument(2));
    let mut x = numbers(n * m);
    spawns(m, &mut x);
    println!("{}", x[1]);
}
