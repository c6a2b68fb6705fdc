// SPDX-License-Identifier: MIT OR Apache-2.0
//! How Rayon cuts loops of several lengths and limits with one thread, where nobody steals:
//! `items least most: first-end ...`, most 0 for none.

use pluss_rayon::{Run, Watch, WatchExt};
use rayon::prelude::*;

fn print(run: &Run) {
    let mut pieces = run.pieces.clone();
    pieces.sort_unstable_by_key(|piece| piece.began);
    print!("{} {} {}:", run.items, run.min_len, run.max_len.unwrap_or(0));
    for piece in pieces {
        print!(" {}-{}", piece.first, piece.first + piece.len);
    }
    println!();
}

fn main() -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let watch = Watch::recording();
    pool.install(|| {
        for items in [1, 2, 3, 7, 16, 94, 1000, 4097] {
            for least in [1, 2, 5, 60] {
                let range = || (0..items).watch(&watch).into_par_iter().with_min_len(least);
                range().for_each(|_| ());
                for most in [1, 3, 64, 500] {
                    range().with_max_len(most).for_each(|_| ());
                }
            }
        }
    });
    watch.runs().iter().for_each(print);
    Ok(())
}
