// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a `#[kernel]` calls in a build to be traced: a parallel iterator that marks its loop and its
//! iterations. The marks are libpluss-trace's, which such a build is linked with.
//!
//! What is generic here is compiled in the crate of the kernel, and so its accesses are traced where
//! they are in an iteration; what is not is compiled in this one, and is never traced.
#![allow(unsafe_code)] // calls of C

use std::cell::Cell;
use std::ffi::{c_char, c_void, CStr};
use std::iter::FusedIterator;

use rayon::iter::plumbing::{
    bridge, Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer,
};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

extern "C" {
    fn pluss_trace_loop_begin();
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
    /// What the task of `join` that this thread executes has left.
    static TASK: Cell<Option<Numbers>> = const { Cell::new(None) };
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
}

impl Drop for Loop {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: it takes no pointers.
        unsafe { pluss_trace_loop_end() }
    }
}

/// The same parallel iterator, which marks the loop that it becomes. A loop in an iteration of
/// another belongs to that iteration, and is not marked. MOVES: taking an item is a part of its
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
        bridge(self, consumer)
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
        bridge(self, consumer)
    }

    #[inline(never)]
    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        if is_iterating() {
            return self.base.with_producer(callback);
        }
        let _loop = Loop::begin();
        self.base.with_producer(Callback::<_, MOVES> { callback })
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

/// A parallel iterator without an index: its splits tell the order of its items.
pub fn for_each<I: IntoParallelIterator>(items: I, body: impl Fn(I::Item) + Send + Sync) {
    let items = items.into_par_iter();
    if is_iterating() {
        return items.for_each(body);
    }
    let _loop = Loop::begin();
    items.drive_unindexed(ForEach { body: &body, numbers: Cell::new(Numbers::ALL) });
}

struct NoResult;

impl Reducer<()> for NoResult {
    fn reduce(self, _left: (), _right: ()) {}
}

struct ForEach<'f, F> {
    body: &'f F,
    numbers: Cell<Numbers>,
}

impl<'f, T, F: Fn(T) + Sync> Consumer<T> for ForEach<'f, F> {
    type Folder = ForEachItem<'f, F>;
    type Reducer = NoResult;
    type Result = ();

    fn split_at(self, _index: usize) -> (Self, Self, NoResult) {
        let left = UnindexedConsumer::<T>::split_off_left(&self);
        (left, self, NoResult)
    }

    fn into_folder(self) -> Self::Folder {
        ForEachItem { body: self.body, next: self.numbers.get().first }
    }

    fn full(&self) -> bool {
        false
    }
}

impl<T, F: Fn(T) + Sync> UnindexedConsumer<T> for ForEach<'_, F> {
    fn split_off_left(&self) -> Self {
        let (left, right) = self.numbers.get().split();
        self.numbers.set(right);
        Self { body: self.body, numbers: Cell::new(left) }
    }

    fn to_reducer(&self) -> NoResult {
        NoResult
    }
}

struct ForEachItem<'f, F> {
    body: &'f F,
    next: u64,
}

impl<T, F: Fn(T)> Folder<T> for ForEachItem<'_, F> {
    type Result = ();

    /// Apart from the code that makes items, as in [`MarkedProducer`].
    #[inline(never)]
    fn consume(mut self, item: T) -> Self {
        begin_iteration(self.next);
        (self.body)(item);
        end_iteration();
        self.next += 1;
        self
    }

    fn complete(self) {}

    fn full(&self) -> bool {
        false
    }
}

/// As [`rayon::join`]. The outermost one is a loop; what a task executes before, between and after
/// its own joins is an iteration each.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    match task() {
        Some(numbers) => {
            end_iteration();
            let (inner, rest) = numbers.split();
            let results = join_tasks(inner, a, b);
            begin_task(rest);
            results
        }
        None if is_iterating() => rayon::join(a, b),
        None => {
            let _loop = Loop::begin();
            join_tasks(Numbers::ALL, a, b)
        }
    }
}

fn join_tasks<A: Send, B: Send>(
    numbers: Numbers,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (left, right) = numbers.split();
    rayon::join(|| execute(left, a), || execute(right, b))
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
fn task() -> Option<Numbers> {
    TASK.get()
}

/// The task goes on with the first of its numbers.
#[inline(never)]
fn begin_task(Numbers { first, end }: Numbers) {
    TASK.set(Some(Numbers { first: first + u64::from(first < end), end }));
    begin_iteration(first);
}

#[inline(never)]
fn end_task(outer: Option<Numbers>) {
    TASK.set(outer);
}
