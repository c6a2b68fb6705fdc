// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees of tasks: `join`, `scope` and iterators without an index that tell who ran which task, and when.

use std::time::Duration;

use rayon::iter::plumbing::{Consumer, Folder, UnindexedConsumer};
use rayon::iter::ParallelIterator;

use crate::{lock, Place, Watch, PLACE};

/// A task that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// What the thread that made it executed then, of what the same watch records.
    pub parent: Option<Place>,
    /// The thread that ran it, by its number in the pool; `None`: a thread of no pool.
    pub thread: Option<usize>,
    /// When it began, since the watch was made.
    pub from: Duration,
    /// When it ended; zero while it has not.
    pub to: Duration,
    /// Items of an iterator without an index that it took; 0 of other tasks.
    pub items: usize,
}

/// A task while it is run.
struct Running<'w> {
    watch: &'w Watch,
    number: usize,
    from: Duration,
    items: usize,
    outer: Option<(usize, Place)>,
}

impl<'w> Running<'w> {
    fn begin(watch: &'w Watch, parent: Option<Place>) -> Option<Self> {
        if !watch.recording {
            return None;
        }
        let (from, to) = (watch.now(), Duration::ZERO);
        let mut tasks = lock(&watch.told.tasks);
        let number = tasks.len();
        tasks.push(Task { parent, thread: rayon::current_thread_index(), from, to, items: 0 });
        drop(tasks);
        let outer = watch.enter(Place::Task(number));
        Some(Self { watch, number, from, items: 0, outer })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let now = self.watch.now();
        if let Some(task) = lock(&self.watch.told.tasks).get_mut(self.number) {
            if task.from == self.from {
                (task.to, task.items) = (now, self.items); // it was not forgotten meanwhile
            }
        }
        PLACE.set(self.outer);
    }
}

impl Watch {
    /// As [`rayon::join`], of two tasks that the watch is told about.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let parent = self.place();
        let first = || {
            let _running = Running::begin(self, parent);
            a()
        };
        let second = || {
            let _running = Running::begin(self, parent);
            b()
        };
        rayon::join(first, second)
    }

    /// As [`rayon::scope`], with a scope whose tasks the watch is told about.
    pub fn scope<'scope, R: Send>(&self, body: impl FnOnce(&Scope<'_, 'scope>) -> R + Send) -> R {
        rayon::scope(|inner| body(&Scope { inner, watch: self.clone() }))
    }

    /// As [`rayon::Scope::spawn`], of a task that the watch is told about.
    pub fn spawn<'scope>(
        &self,
        scope: &rayon::Scope<'scope>,
        body: impl FnOnce(&rayon::Scope<'scope>) + Send + 'scope,
    ) {
        let (watch, parent) = (self.clone(), self.place());
        scope.spawn(move |scope| {
            let _running = Running::begin(&watch, parent);
            body(scope);
        });
    }
}

/// Where tasks are spawned that end before [`Watch::scope`] does.
pub struct Scope<'s, 'scope> {
    inner: &'s rayon::Scope<'scope>,
    watch: Watch,
}

impl<'scope> Scope<'_, 'scope> {
    /// As [`rayon::Scope::spawn`].
    pub fn spawn(&self, body: impl FnOnce(&Scope<'_, 'scope>) + Send + 'scope) {
        let watch = self.watch.clone();
        self.watch.spawn(self.inner, move |inner| body(&Scope { inner, watch }));
    }
}

/// A parallel iterator without an index whose shares tell who took them; see
/// [`crate::WatchedTasksExt`].
#[must_use = "parallel iterators are lazy"]
pub struct WatchedTasks<I> {
    base: I,
    watch: Watch,
}

impl<I: ParallelIterator> WatchedTasks<I> {
    pub(crate) fn new(base: I, watch: &Watch) -> Self {
        Self { base, watch: watch.clone() }
    }
}

impl<I: ParallelIterator> ParallelIterator for WatchedTasks<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, base: C) -> C::Result {
        let Self { base: items, watch } = self;
        let parent = watch.place();
        items.drive_unindexed(WatchedConsumer { base, watch: &watch, parent })
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

struct WatchedConsumer<'w, C> {
    base: C,
    watch: &'w Watch,
    parent: Option<Place>,
}

impl<'w, T, C: Consumer<T>> Consumer<T> for WatchedConsumer<'w, C> {
    type Folder = WatchedFolder<'w, C::Folder>;
    type Reducer = C::Reducer;
    type Result = C::Result;

    fn split_at(self, index: usize) -> (Self, Self, C::Reducer) {
        let (left, right, reducer) = self.base.split_at(index);
        (Self { base: left, ..self }, Self { base: right, ..self }, reducer)
    }

    fn into_folder(self) -> Self::Folder {
        let running = Running::begin(self.watch, self.parent);
        WatchedFolder { base: self.base.into_folder(), running }
    }

    fn full(&self) -> bool {
        self.base.full()
    }
}

impl<T, C: UnindexedConsumer<T>> UnindexedConsumer<T> for WatchedConsumer<'_, C> {
    fn split_off_left(&self) -> Self {
        Self { base: self.base.split_off_left(), ..*self }
    }

    fn to_reducer(&self) -> C::Reducer {
        self.base.to_reducer()
    }
}

struct WatchedFolder<'w, F> {
    base: F,
    running: Option<Running<'w>>,
}

impl<T, F: Folder<T>> Folder<T> for WatchedFolder<'_, F> {
    type Result = F::Result;

    fn consume(mut self, item: T) -> Self {
        if let Some(running) = &mut self.running {
            running.items += 1;
        }
        Self { base: self.base.consume(item), ..self }
    }

    fn complete(self) -> F::Result {
        self.base.complete()
    }

    fn full(&self) -> bool {
        self.base.full()
    }
}
