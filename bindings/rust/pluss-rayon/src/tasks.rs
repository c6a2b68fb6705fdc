// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees of tasks: `join`, `scope` and iterators without an index that tell who ran which task, and when.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
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
    /// Whether it is a share of the items of an iterator without an index, not a task of the program.
    pub is_share: bool,
    /// Items of the iterator that it took; 0 of other tasks.
    pub items: usize,
    /// Tasks with the same parent are in the order of this where one thread executes them all: of a join
    /// the left one first, of those that are spawned the latest.
    pub order: usize,
    /// The number of its tree: that of the outermost `join`, scope or iterator that it is of. Of two that follow each other
    /// the later one has the greater number.
    pub tree: usize,
}

/// What a task is where it begins.
struct Made {
    parent: Option<Place>,
    /// As in [`Task`].
    order: usize,
    /// Its number if it is in no other task.
    tree: usize,
    is_share: bool,
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
    fn begin(watch: &'w Watch, made: Made) -> Option<Self> {
        if !watch.recording {
            return None;
        }
        let Made { parent, order, tree, is_share } = made;
        let (from, to) = (watch.now(), Duration::ZERO);
        let mut tasks = lock(&watch.told.tasks);
        let number = tasks.len();
        let thread = rayon::current_thread_index();
        let tree = match parent {
            Some(Place::Task(outer)) => tasks.get(outer).map_or(tree, |task| task.tree),
            _ => tree,
        };
        tasks.push(Task { parent, thread, from, to, is_share, items: 0, order, tree });
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

/// Trees of tasks that are in no loop, as the loops that they are in a nest, each with its number: its leaves, the tasks that
/// made none, are the iterations, in the order of one thread.
fn loops_of_trees(tasks: &[Task]) -> BTreeMap<usize, Run> {
    let mut children: HashMap<Option<Place>, Vec<usize>> = HashMap::new();
    for (number, task) in tasks.iter().enumerate().filter(|(_, task)| !task.is_share) {
        children.entry(task.parent).or_default().push(number);
    }
    for list in children.values_mut() {
        list.sort_unstable_by_key(|&number| Reverse(tasks[number].order));
    }
    // a stack: the first of the latest that were put on it comes next
    let mut next = children.remove(&None).unwrap_or_default();
    next.sort_by_key(|&number| Reverse(tasks[number].tree));
    let mut loops: BTreeMap<usize, Run> = BTreeMap::new();
    while let Some(number) = next.pop() {
        if let Some(list) = children.get(&Some(Place::Task(number))) {
            next.extend(list);
            continue;
        }
        let Task { thread, from, to, tree, .. } = tasks[number];
        let of = loops.entry(tree).or_insert_with(|| Run {
            items: 0,
            chunk: 1,
            length: 0,
            min_len: 1,
            max_len: Some(1),
            threads: rayon::current_num_threads(),
            parent: None,
            pieces: Vec::new(),
        });
        of.pieces.push(Piece { first: of.items, len: 1, thread, began: number, from, to });
        of.items += 1;
        of.length += 1;
    }
    loops
}

impl Watch {
    /// The loops and the trees of tasks that are in no other, in the order in which they began. `None`: one of
    /// them is an iterator without an index, of which it is not known which items a share has.
    pub(crate) fn outermost(&self) -> Option<Vec<Run>> {
        let tasks = self.tasks();
        if tasks.iter().any(|task| task.is_share && task.parent.is_none()) {
            return None;
        }
        let mut loops = loops_of_trees(&tasks);
        let numbers: Vec<usize> = lock(&self.told.runs).iter().map(|log| log.number).collect();
        let runs = numbers.into_iter().zip(self.runs());
        loops.extend(runs.filter(|(_, run)| run.parent.is_none()));
        Some(loops.into_values().collect())
    }

    /// Numbers of so many tasks or loops, for their order.
    pub(crate) fn number_tasks(&self, tasks: usize) -> usize {
        self.told.made.fetch_add(tasks, Ordering::Relaxed)
    }

    /// As [`rayon::join`], of two tasks that the watch is told about.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let (parent, tree) = (self.place(), self.number_tasks(2));
        let made = |order| Made { parent, order, tree, is_share: false };
        let first = || {
            let _running = Running::begin(self, made(tree));
            a()
        };
        let second = || {
            let _running = Running::begin(self, made(tree + 1));
            b()
        };
        rayon::join(first, second)
    }

    /// As [`rayon::scope`], with a scope whose tasks the watch is told about. What executes `body` is a task, too: those
    /// that it spawns are in it.
    pub fn scope<'scope, R: Send>(&self, body: impl FnOnce(&Scope<'_, 'scope>) -> R + Send) -> R {
        self.raw_scope(|inner| body(&Scope { inner, watch: self.clone() }))
    }

    /// The same with Rayon's own scope.
    pub(crate) fn raw_scope<'scope, R: Send>(
        &self,
        body: impl FnOnce(&rayon::Scope<'scope>) -> R + Send,
    ) -> R {
        let (parent, order) = (self.place(), self.number_tasks(1));
        rayon::scope(|inner| {
            let _running =
                Running::begin(self, Made { parent, order, tree: order, is_share: false });
            body(inner)
        })
    }

    /// As [`rayon::Scope::spawn`], of a task that the watch is told about.
    pub fn spawn<'scope>(
        &self,
        scope: &rayon::Scope<'scope>,
        body: impl FnOnce(&rayon::Scope<'scope>) + Send + 'scope,
    ) {
        let (watch, parent) = (self.clone(), self.place());
        let tree = self.number_tasks(1);
        scope.spawn(move |scope| {
            let order = usize::MAX - tree;
            let _running = Running::begin(&watch, Made { parent, order, tree, is_share: false });
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
        let (parent, tree) = (watch.place(), watch.number_tasks(1));
        items.drive_unindexed(WatchedConsumer { base, watch: &watch, parent, tree })
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

struct WatchedConsumer<'w, C> {
    base: C,
    watch: &'w Watch,
    parent: Option<Place>,
    tree: usize,
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
        let Self { parent, tree, .. } = self;
        let order = self.watch.number_tasks(1);
        let running = Running::begin(self.watch, Made { parent, order, tree, is_share: true });
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
    use crate::{Run, Watch, WatchedExt, WatchedTasksExt};
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    use rayon::ThreadPoolBuilder;
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

    fn threads_of(run: &Run) -> Vec<Option<usize>> {
        run.pieces.iter().map(|piece| piece.thread).collect()
    }

    #[test]
    fn leaves_of_joins_are_in_the_order_of_one_thread() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for _ in 0..20 {
            let (watch, seen) = (Watch::recording(), Mutex::default());
            pool.install(|| halves(&watch, 0, 500, &seen));
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            let loops = watch.outermost().unwrap();
            let [run] = &loops[..] else { panic!("{} loops", loops.len()) };
            assert_eq!(threads_of(run), seen.iter().map(|&(_, thread)| thread).collect::<Vec<_>>());
            assert_eq!((run.items, run.pieces[7].first), (seen.len(), 7));
            assert!(run.pieces.iter().all(|piece| piece.from <= piece.to));
        }
    }

    #[test]
    fn spawned_tasks_are_from_the_latest_to_the_first() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let watch = Watch::recording();
        pool.install(|| {
            watch.scope(|scope| {
                for _ in 0..5 {
                    scope.spawn(|scope| (0..3).for_each(|_| scope.spawn(|_| ())));
                }
            });
        });
        let loops = watch.outermost().unwrap();
        assert_eq!((loops.len(), loops[0].items), (1, 15));
        assert!(loops[0].pieces.windows(2).all(|two| two[0].to <= two[1].from));
    }

    #[test]
    fn trees_and_loops_that_follow_each_other_are_loops_in_their_order() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for _ in 0..20 {
            let (watch, first, last) = (Watch::recording(), Mutex::default(), Mutex::default());
            pool.install(|| {
                halves(&watch, 0, 90, &first);
                (0..7).into_par_iter().watched(&watch).for_each(|_| ());
                watch.scope(|scope| (0..5).for_each(|_| scope.spawn(|_| ())));
                watch.scope(|scope| (0..6).for_each(|_| scope.spawn(|_| ())));
                halves(&watch, 0, 60, &last);
            });
            let loops = watch.outermost().unwrap();
            let items: Vec<_> = loops.iter().map(|run| run.items).collect();
            let (first, mut last) = (first.into_inner().unwrap(), last.into_inner().unwrap());
            assert_eq!(items, [first.len(), 7, 5, 6, last.len()]);
            last.sort_unstable();
            assert_eq!(
                threads_of(&loops[4]),
                last.iter().map(|&(_, thread)| thread).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn what_is_in_an_iteration_or_a_task_is_a_part_of_it() {
        let watch = Watch::recording();
        (0..3).into_par_iter().watched(&watch).for_each(|_| {
            watch.join(|| (), || ());
        });
        let inner = || (0..9u64).into_par_iter().watched_tasks(&watch).for_each(|_| ());
        watch.join(inner, || ());
        let items: Vec<_> = watch.outermost().unwrap().iter().map(|run| run.items).collect();
        assert_eq!(items, [3, 2]);
    }

    #[test]
    fn shares_of_what_has_no_index_are_no_chunks() {
        let watch = Watch::recording();
        assert_eq!(watch.outermost(), Some(Vec::new()));
        (0..9u64).into_par_iter().watched_tasks(&watch).for_each(|_| ());
        assert_eq!(watch.outermost(), None);
    }
}
