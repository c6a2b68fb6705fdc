// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees of tasks: `join`, `scope` and iterators without an index that tell who ran which task, and when.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rayon::iter::plumbing::{Consumer, Folder, UnindexedConsumer};
use rayon::iter::ParallelIterator;

use crate::{lock, Piece, Place, Run, Watch, PLACE};

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
    /// Tasks with the same parent are in the order of this where one thread executes them all: of a join
    /// the left one first, of those that are spawned the latest.
    pub order: usize,
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
    fn begin(watch: &'w Watch, parent: Option<Place>, order: usize) -> Option<Self> {
        if !watch.recording {
            return None;
        }
        let (from, to) = (watch.now(), Duration::ZERO);
        let mut tasks = lock(&watch.told.tasks);
        let number = tasks.len();
        let thread = rayon::current_thread_index();
        tasks.push(Task { parent, thread, from, to, items: 0, order });
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

/// The tree of tasks as the loop that it is in a nest: its leaves, the tasks that made none, in the order
/// of one thread are its iterations. `None` without tasks, or where some are of an iterator.
pub(crate) fn loop_of_leaves(tasks: &[Task]) -> Option<Run> {
    let mut children: HashMap<Option<Place>, Vec<usize>> = HashMap::new();
    for (number, task) in tasks.iter().enumerate() {
        children.entry(task.parent).or_default().push(number);
    }
    if tasks.iter().any(|task| task.items > 0) || !children.contains_key(&None) {
        return None;
    }
    for list in children.values_mut() {
        list.sort_unstable_by_key(|&number| std::cmp::Reverse(tasks[number].order));
    }
    // a stack: the first of the latest that were put on it comes next
    let (mut next, mut pieces) = (children[&None].clone(), Vec::new());
    while let Some(number) = next.pop() {
        match children.get(&Some(Place::Task(number))) {
            Some(list) => next.extend(list),
            None => {
                let Task { thread, from, to, .. } = tasks[number];
                pieces.push(Piece { first: pieces.len(), len: 1, thread, began: number, from, to });
            }
        }
    }
    let (items, threads) = (pieces.len(), rayon::current_num_threads());
    Some(Run {
        items,
        chunk: 1,
        length: items,
        min_len: 1,
        max_len: Some(1),
        threads,
        parent: None,
        pieces,
    })
}

impl Watch {
    /// Numbers of so many tasks, for their order.
    fn number_tasks(&self, tasks: usize) -> usize {
        self.told.made.fetch_add(tasks, Ordering::Relaxed)
    }

    /// As [`rayon::join`], of two tasks that the watch is told about.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let (parent, order) = (self.place(), self.number_tasks(2));
        let first = || {
            let _running = Running::begin(self, parent, order);
            a()
        };
        let second = || {
            let _running = Running::begin(self, parent, order + 1);
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
        let order = usize::MAX - self.number_tasks(1);
        scope.spawn(move |scope| {
            let _running = Running::begin(&watch, parent, order);
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
        let running = Running::begin(self.watch, self.parent, self.watch.number_tasks(1));
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

#[cfg(test)]
mod tests {
    use super::{loop_of_leaves, Task};
    use crate::Watch;
    use std::sync::Mutex;

    /// Leaves of a tree of joins note themselves by what they are of the whole.
    fn halves(watch: &Watch, first: usize, end: usize, seen: &Mutex<Vec<(usize, Option<usize>)>>) {
        if end - first < 4 {
            seen.lock().unwrap().push((first, rayon::current_thread_index()));
            return;
        }
        let middle = first + (end - first) / 3;
        watch.join(|| halves(watch, first, middle, seen), || halves(watch, middle, end, seen));
    }

    #[test]
    fn leaves_of_joins_are_in_the_order_of_one_thread() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for _ in 0..20 {
            let (watch, seen) = (Watch::recording(), Mutex::default());
            pool.install(|| halves(&watch, 0, 500, &seen));
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            let run = loop_of_leaves(&watch.tasks()).unwrap();
            let threads: Vec<_> = run.pieces.iter().map(|piece| piece.thread).collect();
            assert_eq!(threads, seen.iter().map(|&(_, thread)| thread).collect::<Vec<_>>());
            assert_eq!((run.items, run.pieces[7].first), (seen.len(), 7));
            assert!(run.pieces.iter().all(|piece| piece.from <= piece.to));
        }
    }

    #[test]
    fn spawned_tasks_are_from_the_latest_to_the_first() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let watch = Watch::recording();
        pool.install(|| {
            watch.scope(|scope| {
                for _ in 0..5 {
                    scope.spawn(|scope| (0..3).for_each(|_| scope.spawn(|_| ())));
                }
            });
        });
        let run = loop_of_leaves(&watch.tasks()).unwrap();
        assert_eq!(run.items, 15);
        assert!(run.pieces.windows(2).all(|two| two[0].to <= two[1].from));
    }

    #[test]
    fn without_a_tree_there_is_no_loop() {
        assert!(loop_of_leaves(&[]).is_none());
        let mut tasks: Vec<Task> = {
            let watch = Watch::recording();
            watch.join(|| (), || ());
            watch.tasks()
        };
        tasks[0].items = 3;
        assert!(loop_of_leaves(&tasks).is_none());
    }
}
