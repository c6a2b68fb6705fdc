// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parallel iterators whose producers tell where they are split, and who runs the pieces when.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::iter::plumbing::{
    bridge, Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer,
};
use rayon::iter::{IndexedParallelIterator, MaxLen, MinLen, ParallelIterator};

use crate::{lock, Log, Piece, Place, Run, Watch, PLACE};

/// A parallel iterator that tells its [`Watch`] about the loop when it runs.
#[must_use = "parallel iterators are lazy"]
pub struct Watched<I> {
    base: I,
    watch: Watch,
    run: Run,
}

impl<I: IndexedParallelIterator> Watched<I> {
    pub(crate) fn new(base: I, watch: &Watch, chunk: usize, length: usize) -> Self {
        let run = Run {
            items: base.len(),
            chunk,
            length,
            min_len: 1,
            max_len: None,
            threads: 0,
            parent: None,
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
        run.parent = watch.place();
        base.with_producer(Callback { callback, watch, run })
    }
}

struct Callback<CB> {
    callback: CB,
    watch: Watch,
    run: Run,
}

impl<T, CB: ProducerCallback<T>> ProducerCallback<T> for Callback<CB> {
    type Output = CB::Output;

    fn callback<P: Producer<Item = T>>(self, base: P) -> CB::Output {
        let Self { callback, watch, mut run } = self;
        run.min_len = run.min_len.max(base.min_len()); // those set before it was watched
        let most = run.max_len.unwrap_or(usize::MAX).min(base.max_len());
        run.max_len = (most < usize::MAX).then_some(most);
        let len = run.items;
        let (number, recording) = (watch.number_tasks(1), watch.recording);
        let log = Arc::new(Log { run, number, pieces: Mutex::default(), recording });
        let number = {
            let mut runs = lock(&watch.told.runs);
            runs.push(log.clone());
            runs.len() - 1
        };
        let of = Arc::new(Of { watch, log, number });
        callback.callback(WatchedProducer { base, of, first: 0, len })
    }
}

/// The loop that a piece is of.
struct Of {
    watch: Watch,
    log: Arc<Log>,
    number: usize,
}

struct WatchedProducer<P> {
    base: P,
    of: Arc<Of>,
    first: usize,
    len: usize,
}

/// A piece while it is run; `None`: nothing is recorded.
struct Running(Option<RunningPiece>);

struct RunningPiece {
    of: Arc<Of>,
    began: usize,
    outer: Option<(usize, Place)>,
}

impl Running {
    fn begin(of: Arc<Of>, first: usize, len: usize) -> Self {
        if !of.log.recording || len == 0 {
            return Self(None);
        }
        let outer = of.watch.enter(Place::Piece { run: of.number, first });
        let thread = rayon::current_thread_index();
        let (from, to) = (of.watch.now(), Duration::ZERO);
        let mut pieces = lock(&of.log.pieces);
        let began = pieces.len();
        pieces.push(Piece { first, len, thread, began, from, to });
        drop(pieces);
        Self(Some(RunningPiece { of, began, outer }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(RunningPiece { of, began, outer }) = self.0.take() {
            let now = of.watch.now();
            lock(&of.log.pieces)[began].to = now;
            PLACE.set(outer);
        }
    }
}

impl<P: Producer> Producer for WatchedProducer<P> {
    type Item = P::Item;
    type IntoIter = WatchedItems<P::IntoIter>;

    fn into_iter(self) -> Self::IntoIter {
        let running = Running::begin(self.of, self.first, self.len);
        WatchedItems { base: self.base.into_iter(), _running: running }
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
            Self { base: left, of: self.of.clone(), first, len: index },
            Self { base: right, of: self.of, first: first + index, len: len - index },
        )
    }

    fn fold_with<F: Folder<Self::Item>>(self, folder: F) -> F {
        let _running = Running::begin(self.of, self.first, self.len);
        self.base.fold_with(folder)
    }
}

/// The items of a piece, which ends when this is dropped.
struct WatchedItems<I> {
    base: I,
    _running: Running,
}

impl<I: Iterator> Iterator for WatchedItems<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.base.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.base.size_hint()
    }

    fn fold<B, F: FnMut(B, I::Item) -> B>(self, start: B, each: F) -> B {
        self.base.fold(start, each)
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for WatchedItems<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        self.base.next_back()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for WatchedItems<I> {}
