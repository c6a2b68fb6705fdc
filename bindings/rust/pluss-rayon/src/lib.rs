// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rayon loops that tell how they are split over threads, and otherwise run unchanged.
//!
//! ```
//! use pluss_rayon::{Watch, WatchExt, WatchSliceExt};
//! use rayon::prelude::*;
//!
//! let watch = Watch::recording();
//! let mut data = vec![0u64; 1000];
//! data.watch(&watch).par_chunks_mut(64).enumerate().for_each(|(i, chunk)| chunk.fill(i as u64));
//! (0..500).watch(&watch).into_par_iter().with_min_len(8).for_each(|_| ());
//!
//! let runs = watch.runs();
//! assert_eq!((runs[0].items, runs[0].chunk, runs[0].length), (16, 64, 1000));
//! assert_eq!((runs[1].items, runs[1].min_len), (500, 8));
//! assert_eq!(runs[0].pieces.iter().map(|p| p.len).sum::<usize>(), 16);
//! assert_eq!(data[999], 15);
//! ```
//!
//! A watched loop borrows as the plain one does. Two loops over the same data at once, which would
//! be a data race, do not compile:
//!
//! ```compile_fail,E0499
//! # use pluss_rayon::{Watch, WatchSliceExt};
//! # use rayon::prelude::*;
//! # let watch = Watch::new();
//! let mut data = [0u64; 64];
//! let one = data.watch(&watch).par_chunks_mut(8);
//! let other = data.watch(&watch).par_chunks_mut(8);
//! rayon::join(|| one.for_each(|c| c.fill(1)), || other.for_each(|c| c.fill(2)));
//! ```

#![deny(unsafe_code)]

pub mod marks;

pub use pluss_macros::rayon_kernel as kernel;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::iter::plumbing::{
    bridge, Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer,
};
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, MaxLen, MinLen, ParallelIterator,
};
use rayon::slice::{Chunks, ChunksMut, ParallelSlice, ParallelSliceMut};

/// Where watched loops tell how they ran. Clones share what they are told.
#[derive(Clone, Default)]
pub struct Watch {
    runs: Arc<Mutex<Vec<Arc<Log>>>>,
    recording: bool,
}

/// A loop that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// What the loop ran over: chunks, or indices.
    pub items: usize,
    /// Elements of a chunk (the last one may have fewer); 1 for a loop over indices.
    pub chunk: usize,
    /// Elements, or indices, in all.
    pub length: usize,
    /// Least items of a piece, as set by `with_min_len`; 1 if not.
    pub min_len: usize,
    /// Most items of a piece, as set by `with_max_len`.
    pub max_len: Option<usize>,
    /// Threads of the pool that ran it.
    pub threads: usize,
    /// What each thread ran, in order of the items; empty unless [`Watch::recording`].
    pub pieces: Vec<Piece>,
}

/// Items that one thread ran in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The first item.
    pub first: usize,
    /// How many.
    pub len: usize,
    /// The thread's number in the pool; `None`: a thread of no pool.
    pub thread: Option<usize>,
    /// Its place in the order in which the pieces of the loop began.
    pub began: usize,
}

struct Log {
    run: Run,
    pieces: Mutex<Vec<Piece>>,
    recording: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // a panic in a loop's body does not harm a list
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Keeps the number and size of chunks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the pieces and their threads, too: a lock is taken once a piece.
    pub fn recording() -> Self {
        Self { recording: true, ..Self::default() }
    }

    /// The loops that began so far, in the order in which they began.
    pub fn runs(&self) -> Vec<Run> {
        lock(&self.runs)
            .iter()
            .map(|log| {
                let mut run = log.run.clone();
                run.pieces = lock(&log.pieces).clone();
                run.pieces.sort_unstable();
                run
            })
            .collect()
    }

    /// The last of them.
    pub fn last(&self) -> Option<Run> {
        self.runs().pop()
    }

    /// Forgets all.
    pub fn clear(&self) {
        lock(&self.runs).clear();
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.runs()).finish()
    }
}

/// `.watch(&watch)` on slices and ranges.
pub trait WatchExt {
    /// The next loop over this tells `watch` about itself.
    fn watch(self, watch: &Watch) -> Watching<'_, Self>
    where
        Self: Sized,
    {
        Watching { what: self, watch }
    }
}

impl<T> WatchExt for Range<T> where Range<T>: IntoParallelIterator {}

/// `.watch(&watch)` on what a slice can be borrowed from.
pub trait WatchSliceExt<T> {
    /// The next loop over the chunks tells `watch` about itself.
    fn watch<'s>(&'s mut self, watch: &'s Watch) -> Watching<'s, &'s mut [T]>;
    /// The same of chunks that are only read.
    fn watch_ref<'s>(&'s self, watch: &'s Watch) -> Watching<'s, &'s [T]>;
}

impl<T> WatchSliceExt<T> for [T] {
    fn watch<'s>(&'s mut self, watch: &'s Watch) -> Watching<'s, &'s mut [T]> {
        Watching { what: self, watch }
    }

    fn watch_ref<'s>(&'s self, watch: &'s Watch) -> Watching<'s, &'s [T]> {
        Watching { what: self, watch }
    }
}

/// What is watched, before it becomes a loop.
#[must_use = "nothing is watched until a loop is made"]
pub struct Watching<'w, S> {
    what: S,
    watch: &'w Watch,
}

impl<'s, T: Sync> Watching<'s, &'s [T]> {
    /// As [`ParallelSlice::par_chunks`].
    pub fn par_chunks(self, size: usize) -> Watched<Chunks<'s, T>> {
        let length = self.what.len();
        Watched::new(self.what.par_chunks(size), self.watch, size, length)
    }
}

impl<'s, T: Send> Watching<'s, &'s mut [T]> {
    /// As [`ParallelSliceMut::par_chunks_mut`].
    pub fn par_chunks_mut(self, size: usize) -> Watched<ChunksMut<'s, T>> {
        let length = self.what.len();
        Watched::new(self.what.par_chunks_mut(size), self.watch, size, length)
    }
}

impl<T> Watching<'_, Range<T>>
where
    Range<T>: IntoParallelIterator,
    <Range<T> as IntoParallelIterator>::Iter: IndexedParallelIterator,
{
    /// As [`IntoParallelIterator::into_par_iter`].
    pub fn into_par_iter(self) -> Watched<<Range<T> as IntoParallelIterator>::Iter> {
        let base = self.what.into_par_iter();
        let length = base.len();
        Watched::new(base, self.watch, 1, length)
    }
}

/// A parallel iterator that tells its [`Watch`] about the loop when it runs.
#[must_use = "parallel iterators are lazy"]
pub struct Watched<I> {
    base: I,
    watch: Watch,
    run: Run,
}

impl<I: IndexedParallelIterator> Watched<I> {
    fn new(base: I, watch: &Watch, chunk: usize, length: usize) -> Self {
        let run = Run {
            items: base.len(),
            chunk,
            length,
            min_len: 1,
            max_len: None,
            threads: 0,
            pieces: Vec::new(),
        };
        Self { base, watch: watch.clone(), run }
    }

    /// As [`IndexedParallelIterator::with_min_len`], told to the watch. (Set after another
    /// adapter it still holds, but only the pieces tell.)
    pub fn with_min_len(self, min: usize) -> Watched<MinLen<I>> {
        let min_len = self.run.min_len.max(min);
        Watched {
            base: self.base.with_min_len(min),
            watch: self.watch,
            run: Run { min_len, ..self.run },
        }
    }

    /// As [`IndexedParallelIterator::with_max_len`], told to the watch.
    pub fn with_max_len(self, max: usize) -> Watched<MaxLen<I>> {
        let max_len = Some(self.run.max_len.map_or(max, |old| old.min(max)));
        Watched {
            base: self.base.with_max_len(max),
            watch: self.watch,
            run: Run { max_len, ..self.run },
        }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for Watched<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.base.len())
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Watched<I> {
    fn len(&self) -> usize {
        self.base.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        let Self { base, watch, mut run } = self;
        run.threads = rayon::current_num_threads();
        let len = run.items;
        let log = Arc::new(Log { run, pieces: Mutex::new(Vec::new()), recording: watch.recording });
        lock(&watch.runs).push(log.clone());
        base.with_producer(Callback { callback, log, len })
    }
}

struct Callback<CB> {
    callback: CB,
    log: Arc<Log>,
    len: usize,
}

impl<T, CB: ProducerCallback<T>> ProducerCallback<T> for Callback<CB> {
    type Output = CB::Output;

    fn callback<P: Producer<Item = T>>(self, base: P) -> CB::Output {
        self.callback.callback(WatchedProducer { base, log: self.log, first: 0, len: self.len })
    }
}

struct WatchedProducer<P> {
    base: P,
    log: Arc<Log>,
    first: usize,
    len: usize,
}

impl<P> WatchedProducer<P> {
    fn begin(&self) {
        if self.log.recording && self.len > 0 {
            let mut pieces = lock(&self.log.pieces);
            let began = pieces.len();
            pieces.push(Piece {
                first: self.first,
                len: self.len,
                thread: rayon::current_thread_index(),
                began,
            });
        }
    }
}

impl<P: Producer> Producer for WatchedProducer<P> {
    type Item = P::Item;
    type IntoIter = P::IntoIter;

    fn into_iter(self) -> P::IntoIter {
        self.begin();
        self.base.into_iter()
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(index);
        let (first, len) = (self.first, self.len);
        (
            Self { base: left, log: self.log.clone(), first, len: index },
            Self { base: right, log: self.log, first: first + index, len: len - index },
        )
    }

    fn fold_with<F: Folder<Self::Item>>(self, folder: F) -> F {
        self.begin();
        self.base.fold_with(folder)
    }
}
