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
//! Any other indexed parallel iterator is watched by [`WatchedExt::watched`], wherever it stands in the chain, and a
//! tree of tasks by [`Watch::join`] and [`Watch::scope`]:
//!
//! ```
//! use pluss_rayon::{Place, Watch, WatchedExt};
//! use rayon::prelude::*;
//!
//! let watch = Watch::recording();
//! let (a, mut b) = (vec![1.0; 100], vec![0.0; 100]);
//! b.par_iter_mut().zip(&a).watched(&watch).for_each(|(b, a)| *b += a);
//! watch.join(|| a.par_windows(2).watched(&watch).for_each(|_| ()), || ());
//!
//! let (runs, tasks) = (watch.runs(), watch.tasks());
//! assert_eq!((runs[0].items, runs[0].parent), (100, None));
//! assert_eq!((runs[1].items, tasks.len()), (99, 2));
//! assert!(matches!(runs[1].parent, Some(Place::Task(i)) if tasks[i].parent.is_none()));
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
pub mod watching;

pub use pluss_macros::rayon_kernel as kernel;

mod tasks;
mod watched;

pub use tasks::{Scope, Task, WatchedTasks};
pub use watched::Watched;

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::{Chunks, ChunksMut, ParallelSlice, ParallelSliceMut};

/// Where watched loops tell how they ran. Clones share what they are told.
#[derive(Clone)]
pub struct Watch {
    told: Arc<Told>,
    recording: bool,
}

/// What a watch and its clones share.
struct Told {
    since: Instant,
    runs: Mutex<Vec<Arc<Log>>>,
    tasks: Mutex<Vec<Task>>,
    /// Tasks and loops that were made.
    made: AtomicUsize,
}

/// What a thread executes, where a loop or a task begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The piece of a loop that begins with this item.
    Piece {
        /// Its place in [`Watch::runs`].
        run: usize,
        /// The item.
        first: usize,
    },
    /// A task: its place in [`Watch::tasks`].
    Task(usize),
}

thread_local! {
    /// What the thread executes, and of which watch it is: its address.
    static PLACE: Cell<Option<(usize, Place)>> = const { Cell::new(None) };
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
    /// What the thread that began it executed, of what the same watch records.
    pub parent: Option<Place>,
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
    /// When it began, since the watch was made.
    pub from: Duration,
    /// When it ended; zero while it has not.
    pub to: Duration,
}

struct Log {
    run: Run,
    /// Of the order in which loops and trees of tasks began.
    number: usize,
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
        let (since, runs, tasks) = (Instant::now(), Mutex::default(), Mutex::default());
        let made = AtomicUsize::new(0);
        Self { told: Arc::new(Told { since, runs, tasks, made }), recording: false }
    }

    /// Keeps the pieces and tasks, with their threads and times, too: a lock is taken where one begins
    /// and where it ends.
    pub fn recording() -> Self {
        Self { recording: true, ..Self::new() }
    }

    fn now(&self) -> Duration {
        self.told.since.elapsed()
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.told) as usize
    }

    /// What this thread executes, of what this watch is told.
    fn place(&self) -> Option<Place> {
        let (watch, place) = PLACE.get()?;
        (watch == self.address()).then_some(place)
    }

    /// This thread begins this; what it executed until now.
    fn enter(&self, place: Place) -> Option<(usize, Place)> {
        PLACE.replace(Some((self.address(), place)))
    }

    /// The loops that began so far, in the order in which they began.
    pub fn runs(&self) -> Vec<Run> {
        lock(&self.told.runs)
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

    /// The tasks that began so far, in that order; empty unless [`Watch::recording`].
    pub fn tasks(&self) -> Vec<Task> {
        lock(&self.told.tasks).clone()
    }

    /// Forgets all. Of what is running only what begins afterwards is kept.
    pub fn clear(&self) {
        lock(&self.told.runs).clear();
        lock(&self.told.tasks).clear();
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self::new()
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

/// `.watched(&watch)` on every indexed parallel iterator.
pub trait WatchedExt: IndexedParallelIterator {
    /// The same iterator; its loop tells `watch` about itself, in items of this one.
    fn watched(self, watch: &Watch) -> Watched<Self> {
        let length = self.len();
        Watched::new(self, watch, 1, length)
    }
}

impl<I: IndexedParallelIterator> WatchedExt for I {}

/// `.watched_tasks(&watch)` on every parallel iterator, for those that have no index: `par_bridge`,
/// ranges of `u64`, ndarray's elements, what is filtered.
pub trait WatchedTasksExt: ParallelIterator {
    /// The same iterator; each share of its items that a thread takes in one go is a task.
    fn watched_tasks(self, watch: &Watch) -> WatchedTasks<Self> {
        WatchedTasks::new(self, watch)
    }
}

impl<I: ParallelIterator> WatchedTasksExt for I {}

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
