// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a `#[kernel]` calls in a build to be traced: a parallel iterator that marks its loop and its
//! iterations. The marks are libpluss-trace's, which such a build is linked with.
//!
//! What is generic here is compiled in the crate of the kernel, and so its accesses are traced where
//! they are in an iteration; what is not is compiled in this one, and is never traced.
#![allow(unsafe_code)] // calls of C

use std::cell::Cell;
use std::ffi::{c_char, c_void, CStr};
use std::hint::black_box;
use std::iter::FusedIterator;

use rayon::iter::plumbing::{
    bridge as drive_indexed, Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer,
};
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelBridge, ParallelIterator,
};
use rayon::Scope;

extern "C" {
    fn pluss_trace_loop_begin();
    fn pluss_trace_tree_begin();
    fn pluss_trace_queue_begin();
    fn pluss_trace_loop_end();
    fn pluss_trace_iterations_begin(first: u64, end: u64);
    fn pluss_trace_iterations_end();
    fn pluss_trace_name(address: *const c_void, name: *const c_char);
}

/// What the slice is called in the nest, if it is a block of the heap as a whole.
#[inline(never)]
pub fn name<T>(slice: &[T], name: &CStr) {
    // SAFETY: the address is only looked at as a number; the name ends with a zero.
    unsafe { pluss_trace_name(slice.as_ptr().cast(), name.as_ptr()) }
}

thread_local! {
    /// Whether this thread executes an iteration.
    static ITERATES: Cell<bool> = const { Cell::new(false) };
    /// The task of `join` or `scope` that this thread executes.
    static TASK: Cell<Option<Task>> = const { Cell::new(None) };
}

#[inline(never)]
fn is_iterating() -> bool {
    ITERATES.get()
}

#[inline(never)]
fn begin_iteration(number: u64) {
    ITERATES.set(true);
    // SAFETY: it takes no pointers.
    unsafe { pluss_trace_iterations_begin(number, number + 1) }
}

#[inline(never)]
fn end_iteration() {
    ITERATES.set(false);
    // SAFETY: it takes no pointers.
    unsafe { pluss_trace_iterations_end() }
}

/// Numbers of iterations that are left to a task: they are in the order of one thread.
#[derive(Clone, Copy)]
struct Numbers {
    first: u64,
    end: u64,
}

impl Numbers {
    const ALL: Self = Self { first: 0, end: 1 << 62 };

    fn split(self) -> (Self, Self) {
        let middle = self.first + (self.end - self.first) / 2;
        (Self { end: middle, ..self }, Self { first: middle, ..self })
    }
}

/// A task of `join` or `scope`.
#[derive(Clone, Copy)]
struct Task {
    left: Numbers,
    /// How many numbers it had when it began, or went on after a join.
    whole: u64,
    /// Tasks that it spawned since.
    spawned: u64,
}

impl Task {
    /// Numbers of the next task that it spawns: of those left the last, as a thread alone executes the
    /// latest first. Shares are those of Elias's gamma code, so that two tasks have as few digits
    /// as a join, and thousands have enough.
    fn spawn(&mut self) -> Numbers {
        self.spawned += 1;
        let share = self.whole >> (2 * self.spawned.ilog2() + 1).min(63);
        let Numbers { first, end } = self.left;
        self.left.end = end.saturating_sub(share).max(first);
        Numbers { first: self.left.end, end }
    }
}

/// A parallel loop while it is executed. It is in the code of the loop's own instance, by which the
/// library tells loops apart.
struct Loop;

impl Loop {
    #[inline(always)]
    fn begin() -> Self {
        // SAFETY: it takes no pointers.
        unsafe { pluss_trace_loop_begin() };
        Self
    }

    /// A tree of tasks, which are executed one by one.
    #[inline(always)]
    fn begin_tree() -> Self {
        // SAFETY: it takes no pointers.
        unsafe { pluss_trace_tree_begin() };
        Self
    }

    /// Threads take the next item each.
    #[inline(always)]
    fn begin_queue() -> Self {
        // SAFETY: it takes no pointers.
        unsafe { pluss_trace_queue_begin() };
        Self
    }
}

impl Drop for Loop {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: it takes no pointers.
        unsafe { pluss_trace_loop_end() }
    }
}

/// The same parallel iterator, which marks the loop that it becomes. A loop in an iteration of
/// another belongs to that iteration: it is not marked, and the same thread executes it. MOVES: taking an item is a part of its
/// iteration, as it may be read from memory; otherwise only its address is computed.
pub fn marked<I: IndexedParallelIterator, const MOVES: bool>(base: I) -> Marked<I, MOVES> {
    Marked { base }
}

/// See [`marked`].
#[must_use = "parallel iterators are lazy"]
pub struct Marked<I, const MOVES: bool> {
    base: I,
}

impl<I: IndexedParallelIterator, const MOVES: bool> ParallelIterator for Marked<I, MOVES> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.drive(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.base.len())
    }
}

impl<I: IndexedParallelIterator, const MOVES: bool> IndexedParallelIterator for Marked<I, MOVES> {
    fn len(&self) -> usize {
        self.base.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        if is_iterating() {
            return drive_alone(self.base, consumer);
        }
        drive_indexed(self, consumer)
    }

    #[inline(never)]
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        if is_iterating() {
            return with_whole_producer(self.base, callback);
        }
        let _loop = Loop::begin();
        self.base.with_producer(Callback::<_, MOVES> { callback })
    }
}

/// One thread takes all items, as a part of its iteration. (Apart from the function that loops over
/// them: what it does not execute of this is then not known.)
#[inline(never)]
fn drive_alone<I: IndexedParallelIterator, C: Consumer<I::Item>>(
    base: I,
    consumer: C,
) -> C::Result {
    base.with_producer(Alone { consumer })
}

/// The same where others drive what this is a part of.
#[inline(never)]
fn with_whole_producer<I, CB>(base: I, callback: CB) -> CB::Output
where
    I: IndexedParallelIterator,
    CB: ProducerCallback<I::Item>,
{
    base.with_min_len(usize::MAX).with_producer(callback)
}

struct Alone<C> {
    consumer: C,
}

impl<T, C: Consumer<T>> ProducerCallback<T> for Alone<C> {
    type Output = C::Result;

    fn callback<P: Producer<Item = T>>(self, base: P) -> C::Result {
        base.fold_with(self.consumer.into_folder()).complete()
    }
}

struct Callback<CB, const MOVES: bool> {
    callback: CB,
}

impl<T, CB: ProducerCallback<T>, const MOVES: bool> ProducerCallback<T> for Callback<CB, MOVES> {
    type Output = CB::Output;

    fn callback<P: Producer<Item = T>>(self, base: P) -> CB::Output {
        self.callback.callback(MarkedProducer::<_, MOVES> { base, first: 0 })
    }
}

struct MarkedProducer<P, const MOVES: bool> {
    base: P,
    first: u64,
}

impl<P: Producer, const MOVES: bool> Producer for MarkedProducer<P, MOVES> {
    type Item = P::Item;
    type IntoIter = Iterations<P::IntoIter, MOVES>;

    fn into_iter(self) -> Self::IntoIter {
        let base = self.base.into_iter();
        let end = self.first + base.len() as u64;
        Iterations { base, next: self.first, end }
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(index);
        let first = self.first;
        (Self { base: left, first }, Self { base: right, first: first + index as u64 })
    }

    /// Apart from Rayon's own code: what iterations do not execute is then known for the user's.
    #[inline(never)]
    fn fold_with<F: Folder<P::Item>>(self, folder: F) -> F {
        folder.consume_iter(self.into_iter())
    }
}

/// One item after the other; what is between two is the first one's iteration.
struct Iterations<I, const MOVES: bool> {
    base: I,
    next: u64,
    end: u64,
}

impl<I: ExactSizeIterator, const MOVES: bool> Iterations<I, MOVES> {
    #[inline(always)]
    fn take(
        &mut self,
        number: u64,
        item: impl FnOnce(&mut I) -> Option<I::Item>,
    ) -> Option<I::Item> {
        if MOVES {
            begin_iteration(number);
            return item(&mut self.base);
        }
        let item = item(&mut self.base);
        begin_iteration(number);
        item
    }
}

impl<I: ExactSizeIterator, const MOVES: bool> Iterator for Iterations<I, MOVES> {
    type Item = I::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<I::Item> {
        end_iteration();
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        self.take(self.next - 1, I::next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.base.size_hint()
    }
}

impl<I, const MOVES: bool> DoubleEndedIterator for Iterations<I, MOVES>
where
    I: ExactSizeIterator + DoubleEndedIterator,
{
    #[inline(always)]
    fn next_back(&mut self) -> Option<I::Item> {
        end_iteration();
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        self.take(self.end, I::next_back)
    }
}

impl<I: ExactSizeIterator, const MOVES: bool> ExactSizeIterator for Iterations<I, MOVES> {}
impl<I: ExactSizeIterator, const MOVES: bool> FusedIterator for Iterations<I, MOVES> {}

impl<I, const MOVES: bool> Drop for Iterations<I, MOVES> {
    #[inline(always)]
    fn drop(&mut self) {
        end_iteration();
    }
}

/// A chain of a kernel; whether it has an index is its type's to say.
pub struct Chain<I, const MOVES: bool> {
    base: I,
}

/// See [`marked`] for MOVES.
pub fn chain<I, const MOVES: bool>(base: I) -> Chain<I, MOVES> {
    Chain { base }
}

impl<I: IndexedParallelIterator, const MOVES: bool> Chain<I, MOVES> {
    /// The chain, marked; comes before [`Unindexed::mark`], as methods of types do.
    pub fn mark(self) -> Marked<I, MOVES> {
        marked(self.base)
    }
}

/// What marks a chain that has no index.
pub trait Unindexed {
    /// The same chain.
    type Marked: ParallelIterator;
    /// The chain, marked.
    fn mark(self) -> Self::Marked;
}

impl<I: ParallelIterator, const MOVES: bool> Unindexed for Chain<I, MOVES> {
    type Marked = MarkedTree<I>;

    fn mark(self) -> MarkedTree<I> {
        MarkedTree { base: self.base }
    }
}

/// A parallel iterator without an index, which marks its loop: its splits tell the order of its items.
#[must_use = "parallel iterators are lazy"]
pub struct MarkedTree<I> {
    base: I,
}

impl<I: ParallelIterator> ParallelIterator for MarkedTree<I> {
    type Item = I::Item;

    #[inline(never)]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        if is_iterating() {
            // as one thread would, which no splits of Rayon's change
            let items: Vec<I::Item> = self.base.collect();
            return consumer.into_folder().consume_iter(items).complete();
        }
        let _loop = Loop::begin();
        self.base.drive_unindexed(Numbered { base: consumer, numbering: Cell::new(Numbers::ALL) })
    }
}

/// As `par_for_each` of ndarray, of what it is called of.
pub fn for_each<I: IntoParallelIterator>(items: I, body: impl Fn(I::Item) + Send + Sync) {
    MarkedTree { base: items.into_par_iter() }.for_each(body);
}

/// As [`rayon::iter::ParallelBridge::par_bridge`]: an iteration is an item, whoever takes it.
pub fn bridge<I: Iterator<Item: Send> + Send>(items: I) -> Bridge<I> {
    Bridge { items }
}

/// See [`bridge`].
#[must_use = "parallel iterators are lazy"]
pub struct Bridge<I> {
    items: I,
}

impl<I: Iterator<Item: Send> + Send> ParallelIterator for Bridge<I> {
    type Item = I::Item;

    #[inline(never)]
    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        if is_iterating() {
            return consumer.into_folder().consume_iter(self.items).complete();
        }
        let _loop = Loop::begin_queue();
        let items = self.items.enumerate().par_bridge();
        items.drive_unindexed(Numbered { base: consumer, numbering: Cell::new(Given) })
    }
}

/// How items are numbered.
trait Numbering<T>: Copy + Send {
    type Item;
    /// For what comes first, and for the rest.
    fn halve(self) -> (Self, Self);
    /// The item and its number.
    fn number(&mut self, item: T) -> (u64, Self::Item);
}

impl<T> Numbering<T> for Numbers {
    type Item = T;

    fn halve(self) -> (Self, Self) {
        self.split()
    }

    fn number(&mut self, item: T) -> (u64, T) {
        self.first += 1;
        (self.first - 1, item)
    }
}

/// With items that bring their numbers.
#[derive(Clone, Copy)]
struct Given;

impl<T> Numbering<(usize, T)> for Given {
    type Item = T;

    fn halve(self) -> (Self, Self) {
        (self, self)
    }

    fn number(&mut self, (number, item): (usize, T)) -> (u64, T) {
        (number as u64, item)
    }
}

/// Takes each item in an iteration of its own.
struct Numbered<C, N> {
    base: C,
    numbering: Cell<N>,
}

impl<T, N: Numbering<T>, C: Consumer<N::Item>> Consumer<T> for Numbered<C, N> {
    type Folder = NumberedItems<C::Folder, N>;
    type Reducer = C::Reducer;
    type Result = C::Result;

    fn split_at(self, index: usize) -> (Self, Self, C::Reducer) {
        let (left, right, reducer) = self.base.split_at(index);
        let (first, rest) = self.numbering.get().halve();
        let of = |base, numbering| Self { base, numbering: Cell::new(numbering) };
        (of(left, first), of(right, rest), reducer)
    }

    fn into_folder(self) -> Self::Folder {
        NumberedItems { base: self.base.into_folder(), numbering: self.numbering.get() }
    }

    fn full(&self) -> bool {
        self.base.full()
    }
}

impl<T, N, C> UnindexedConsumer<T> for Numbered<C, N>
where
    N: Numbering<T>,
    C: UnindexedConsumer<N::Item>,
{
    fn split_off_left(&self) -> Self {
        let (first, rest) = self.numbering.get().halve();
        self.numbering.set(rest);
        Self { base: self.base.split_off_left(), numbering: Cell::new(first) }
    }

    fn to_reducer(&self) -> C::Reducer {
        self.base.to_reducer()
    }
}

struct NumberedItems<F, N> {
    base: F,
    numbering: N,
}

impl<T, N: Numbering<T>, F: Folder<N::Item>> Folder<T> for NumberedItems<F, N> {
    type Result = F::Result;

    /// Apart from the code that makes items, as in [`MarkedProducer`].
    #[inline(never)]
    fn consume(mut self, item: T) -> Self {
        let (number, item) = self.numbering.number(item);
        begin_iteration(number);
        let base = self.base.consume(item);
        end_iteration();
        Self { base, numbering: self.numbering }
    }

    fn complete(self) -> F::Result {
        self.base.complete()
    }

    fn full(&self) -> bool {
        self.base.full()
    }
}

/// As [`rayon::join`]. The outermost one is a loop; what a task executes before, between and after
/// its own joins is an iteration each.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    match task() {
        Some(Task { left, .. }) => around(left, |numbers| join_tasks(numbers, a, b)),
        None if is_iterating() => join_alone(a, b),
        None => {
            let _loop = Loop::begin_tree();
            join_tasks(Numbers::ALL, a, b)
        }
    }
}

/// A part of an iteration, which one thread executes.
#[inline(never)]
fn join_alone<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

fn join_tasks<A: Send, B: Send>(
    numbers: Numbers,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (left, right) = numbers.split();
    rayon::join(|| execute(left, a), || execute(right, b))
}

/// As [`rayon::scope()`], which is a loop as the outermost [`join`] is. What its body, or a task, executes
/// before, between and after its [`spawn`]s is an iteration each, in the order of one thread: first
/// the body, then the latest task.
pub fn scope<'s, R: Send>(body: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
    match task() {
        Some(Task { left, .. }) => around(left, |numbers| scope_tasks(numbers, body)),
        None if is_iterating() => rayon::scope(body),
        None => {
            let _loop = Loop::begin_tree();
            scope_tasks(Numbers::ALL, body)
        }
    }
}

fn scope_tasks<'s, R: Send>(numbers: Numbers, body: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
    rayon::scope(|scope| execute(numbers, || body(scope)))
}

/// As [`Scope::spawn`].
pub fn spawn<'s>(scope: &Scope<'s>, body: impl FnOnce(&Scope<'s>) + Send + 's) {
    match spawn_task() {
        Some((numbers, next)) => {
            end_iteration(); // the task goes to the heap and comes from there between iterations
            scope.spawn(move |scope| {
                let body = black_box(body);
                execute(numbers, || body(scope));
            });
            begin_iteration(next);
        }
        None => spawn_alone(scope, body),
    }
}

/// In an iteration of a loop it is a part of that; else it is in no scope that is marked. (Apart, as
/// [`drive_alone`] is.)
#[inline(never)]
fn spawn_alone<'s>(scope: &Scope<'s>, body: impl FnOnce(&Scope<'s>) + Send + 's) {
    if is_iterating() {
        body(scope);
    } else {
        scope.spawn(body);
    }
}

/// What is between two iterations of a task that has these numbers left.
#[inline(always)]
fn around<R>(left: Numbers, tasks: impl FnOnce(Numbers) -> R) -> R {
    end_iteration();
    let (inner, rest) = left.split();
    let result = tasks(inner);
    begin_task(rest);
    result
}

/// Apart from Rayon's own code, as in [`MarkedProducer`].
#[inline(never)]
fn execute<R>(numbers: Numbers, body: impl FnOnce() -> R) -> R {
    let outer = task();
    begin_task(numbers);
    let result = body();
    end_iteration();
    end_task(outer);
    result
}

#[inline(never)]
fn task() -> Option<Task> {
    TASK.get()
}

/// Numbers of the task that this one spawns, and the one that this goes on with.
#[inline(never)]
fn spawn_task() -> Option<(Numbers, u64)> {
    let mut task = TASK.get()?;
    let (numbers, next) = (task.spawn(), task.left.first);
    task.left.first += u64::from(next < task.left.end);
    TASK.set(Some(task));
    Some((numbers, next))
}

/// The task goes on with the first of its numbers.
#[inline(never)]
fn begin_task(Numbers { first, end }: Numbers) {
    let left = Numbers { first: first + u64::from(first < end), end };
    TASK.set(Some(Task { left, whole: left.end - left.first, spawned: 0 }));
    begin_iteration(first);
}

#[inline(never)]
fn end_task(outer: Option<Task>) {
    TASK.set(outer);
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Task};

    #[test]
    fn spawned_tasks_have_numbers_of_their_own() {
        let left = Numbers { first: 1, end: 1 << 62 };
        let mut task = Task { left, whole: left.end - left.first, spawned: 0 };
        let mut end = left.end;
        for i in 0..5000 {
            let Numbers { first, end: last } = task.spawn();
            assert_eq!(last, end, "the {i}th follows");
            assert!(last - first > 1 << 30, "the {i}th has {}", last - first);
            end = first;
        }
        assert!(task.left.first < task.left.end && task.left.end == end);
    }
}
