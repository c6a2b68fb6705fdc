// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watched loops run as they would, and tell the truth about it.
use pluss_rayon::{Run, Watch, WatchExt, WatchSliceExt};
use rayon::prelude::*;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Pieces are disjoint and cover all items, within the lengths asked for.
fn check_pieces(run: &Run) {
    let mut next = 0;
    for piece in &run.pieces {
        assert_eq!(piece.first, next);
        assert!(piece.len <= run.max_len.unwrap_or(usize::MAX), "{piece:?}");
        assert!(piece.len >= run.min_len.min(run.items), "{piece:?}");
        assert!(piece.thread.is_some_and(|thread| thread < run.threads), "{piece:?}");
        next += piece.len;
    }
    assert_eq!(next, run.items);
    let mut began: Vec<usize> = run.pieces.iter().map(|piece| piece.began).collect();
    began.sort_unstable();
    assert!(began.into_iter().eq(0..run.pieces.len()));
}

#[test]
fn chunks_mut_with_enumerate_run_unchanged() {
    for threads in [1, 2, 4] {
        let watch = Watch::recording();
        let mut watched = vec![0usize; 1003];
        let mut plain = watched.clone();
        let body = |(i, chunk): (usize, &mut [usize])| {
            for (k, x) in chunk.iter_mut().enumerate() {
                *x = 1000 * i + k;
            }
        };
        pool(threads)
            .install(|| watched.watch(&watch).par_chunks_mut(17).enumerate().for_each(body));
        plain.par_chunks_mut(17).enumerate().for_each(body);
        assert_eq!(watched, plain);
        let run = watch.last().expect("a run");
        assert_eq!((run.items, run.chunk, run.length, run.threads), (59, 17, 1003, threads));
        check_pieces(&run);
    }
}

/// The thread that is told is the thread that ran the item.
#[test]
fn threads_are_the_real_ones() {
    let watch = Watch::recording();
    let seen: Vec<Option<usize>> = pool(3).install(|| {
        (0..4000usize)
            .watch(&watch)
            .into_par_iter()
            .map(|_| rayon::current_thread_index())
            .collect()
    });
    let run = watch.last().expect("a run");
    check_pieces(&run);
    for piece in &run.pieces {
        assert!(seen[piece.first..piece.first + piece.len].iter().all(|t| *t == piece.thread));
    }
}

#[test]
fn lengths_are_kept_and_told() {
    let watch = Watch::recording();
    let sum: u64 = pool(4).install(|| {
        (0..10_000u32)
            .watch(&watch)
            .into_par_iter()
            .with_min_len(16)
            .with_max_len(100)
            .map(u64::from)
            .sum()
    });
    assert_eq!(sum, 10_000 * 9_999 / 2);
    let run = watch.last().expect("a run");
    assert_eq!((run.items, run.min_len, run.max_len), (10_000, 16, Some(100)));
    check_pieces(&run);
    assert!(run.pieces.len() >= 100);
}

#[test]
fn reading_chunks_and_zipping() {
    let watch = Watch::recording();
    let data: Vec<u32> = (0..100).collect();
    let mut out = vec![0u32; 10];
    data.watch_ref(&watch)
        .par_chunks(10)
        .zip(out.par_iter_mut())
        .for_each(|(chunk, sum)| *sum = chunk.iter().sum());
    assert_eq!(out.iter().sum::<u32>(), 4950);
    check_pieces(&watch.last().expect("a run"));
}

#[test]
fn without_recording_there_are_no_pieces() {
    let watch = Watch::new();
    (0..100u32).watch(&watch).into_par_iter().for_each(|_| ());
    assert!(watch.last().expect("a run").pieces.is_empty());
    watch.clear();
    assert_eq!(watch.last(), None);
}

#[test]
fn an_empty_loop() {
    let watch = Watch::recording();
    let mut none: [u8; 0] = [];
    none.watch(&watch).par_chunks_mut(8).for_each(|_| panic!("an item"));
    let run = watch.last().expect("a run");
    assert_eq!((run.items, run.length), (0, 0));
    check_pieces(&run);
}
