// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees of tasks: `join` and `scope` that tell who ran which task, and when.

use std::time::Duration;

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
}

/// A task while it is run.
struct Running<'w> {
    watch: &'w Watch,
    number: usize,
    from: Duration,
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
        tasks.push(Task { parent, thread: rayon::current_thread_index(), from, to });
        drop(tasks);
        let outer = watch.enter(Place::Task(number));
        Some(Self { watch, number, from, outer })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let now = self.watch.now();
        if let Some(task) = lock(&self.watch.told.tasks).get_mut(self.number) {
            if task.from == self.from {
                task.to = now; // it was not forgotten meanwhile
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
}

/// Where tasks are spawned that end before [`Watch::scope`] does.
pub struct Scope<'s, 'scope> {
    inner: &'s rayon::Scope<'scope>,
    watch: Watch,
}

impl<'scope> Scope<'_, 'scope> {
    /// As [`rayon::Scope::spawn`].
    pub fn spawn(&self, body: impl FnOnce(&Scope<'_, 'scope>) + Send + 'scope) {
        let (watch, parent) = (self.watch.clone(), self.watch.place());
        self.inner.spawn(move |inner| {
            let _running = Running::begin(&watch, parent);
            body(&Scope { inner, watch: watch.clone() });
        });
    }
}
