// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a `#[kernel]` calls in a build to be watched: its loops tell one watch of the program. When the
//! kernel ends, how they were cut and who ran what is printed to standard error, and written as a
//! record (docs/record-format.md) into the file that `PLUSS_WATCH` names: chunks of the loops of the
//! nest that `PLUSS_WATCH_LOOPS` numbers, by turns, and their times; a tree of tasks is a loop whose chunks are its leaves. With `PLUSS_WATCH_PINNED` each
//! thread of the pool runs on one processor.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Once};
use std::time::Duration;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::{Scope, ThreadPoolBuilder};

use crate::{Run, Watch, Watched, WatchedExt, WatchedTasks, WatchedTasksExt};

static WATCH: LazyLock<Watch> = LazyLock::new(Watch::recording);
/// Kernels that are executed now.
static EXECUTED: AtomicUsize = AtomicUsize::new(0);
static PINNED: Once = Once::new();

/// A chain of a kernel; whether it has an index is its type's to say.
pub struct Chain<I> {
    base: I,
}

/// A chain to be watched.
pub fn chain<I>(base: I) -> Chain<I> {
    Chain { base }
}

impl<I: IndexedParallelIterator> Chain<I> {
    /// The chain, watched; comes before [`Unindexed::watch`], as methods of types do.
    pub fn watch(self) -> Watched<I> {
        self.base.watched(&WATCH)
    }
}

/// What watches a chain that has no index.
pub trait Unindexed {
    /// The same chain.
    type Watched: ParallelIterator;
    /// The chain, watched.
    fn watch(self) -> Self::Watched;
}

impl<I: ParallelIterator> Unindexed for Chain<I> {
    type Watched = WatchedTasks<I>;

    fn watch(self) -> WatchedTasks<I> {
        self.base.watched_tasks(&WATCH)
    }
}

/// As [`Scope::spawn`], watched.
pub fn spawn<'s>(scope: &Scope<'s>, body: impl FnOnce(&Scope<'s>) + Send + 's) {
    WATCH.spawn(scope, body);
}

/// As [`rayon::scope()`], watched.
pub fn scope<'s, R: Send>(body: impl FnOnce(&Scope<'s>) -> R + Send) -> R {
    WATCH.raw_scope(body)
}

/// As [`rayon::join`], watched.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    WATCH.join(a, b)
}

/// Threads of the global pool are pinned, each to one processor, by turns.
fn pin_pool() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let pin = move |thread: usize| {
        let this = fs::read_link("/proc/thread-self").unwrap_or_default();
        let number = this.file_name().unwrap_or_default();
        let processor = (thread % processors).to_string();
        let command = Command::new("taskset").args(["-p", "-c", &processor]).arg(number).output();
        if !command.is_ok_and(|output| output.status.success()) {
            eprintln!("thread {thread} cannot be pinned by taskset");
        }
    };
    if let Err(error) = ThreadPoolBuilder::new().start_handler(pin).build_global() {
        eprintln!("threads are not pinned: {error}");
    }
    rayon::broadcast(|_| ()); // the loops begin when all are
}

/// A kernel while it is executed; one in another is a part of that.
pub struct Kernel {
    name: &'static str,
}

impl Kernel {
    /// A kernel of this name begins.
    pub fn begin(name: &'static str) -> Self {
        if EXECUTED.fetch_add(1, Ordering::SeqCst) == 0
            && env::var_os("PLUSS_WATCH_PINNED").is_some()
        {
            PINNED.call_once(pin_pool);
        }
        Self { name }
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if EXECUTED.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        let (runs, tasks, outermost) = (WATCH.runs(), WATCH.tasks(), WATCH.outermost());
        WATCH.clear();
        eprint!("{}", describe(self.name, &runs, tasks.len()));
        let Some(path) = env::var_os("PLUSS_WATCH") else { return };
        let Some(outermost) = outermost else {
            eprintln!("{}: a loop without an index has no chunks: there is no record", self.name);
            return;
        };
        let loops = env::var("PLUSS_WATCH_LOOPS").unwrap_or_default();
        let loops: Vec<u32> = loops.split(',').filter_map(|number| number.parse().ok()).collect();
        if let Err(error) = fs::write(&path, record(&outermost, &loops)) {
            eprintln!("{}: {error}", path.to_string_lossy());
        }
    }
}

fn us(time: Duration) -> f64 {
    1e6 * time.as_secs_f64()
}

/// A line for each loop, and one for each of its threads.
fn describe(name: &str, runs: &[Run], tasks: usize) -> String {
    let mut text = format!("{name}: {} loops, {tasks} tasks\n", runs.len());
    for (i, run) in runs.iter().enumerate() {
        let begin = run.pieces.iter().map(|piece| piece.from).min().unwrap_or_default();
        let _ = writeln!(
            text,
            "  loop {i}: {} items in {} pieces, {} threads",
            run.items,
            run.pieces.len(),
            run.threads
        );
        let mut threads = BTreeMap::new();
        for piece in &run.pieces {
            let (items, pieces, from, to) =
                threads.entry(piece.thread).or_insert((0, 0, Duration::MAX, Duration::ZERO));
            *items += piece.len;
            *pieces += 1;
            *from = piece.from.min(*from);
            *to = piece.to.max(*to);
        }
        for (thread, (items, pieces, from, to)) in threads {
            let thread = thread.map_or("none".into(), |thread| thread.to_string());
            let (from, to) = (us(from - begin), us(to.saturating_sub(begin)));
            let _ = writeln!(
                text,
                "    thread {thread}: {items} items in {pieces} pieces, {from:.1} to {to:.1} us"
            );
        }
    }
    text
}

/// Chunks of these loops, and when they were executed. Without numbers of loops there are none.
fn record(runs: &[Run], loops: &[u32]) -> String {
    let team = runs.iter().map(|run| run.threads).max().unwrap_or(1);
    let pieces = runs.iter().flat_map(|run| &run.pieces);
    let start = pieces.map(|piece| piece.from).min().unwrap_or_default();
    let mut text = String::from("pluss-record 3\nline 64\nlost-runs 0\n");
    let _ = writeln!(text, "region \"folded\" \"\":0 team {team} runs 1 lost 0 by bind");
    for thread in 0..team {
        let _ = writeln!(text, "thread {thread} accesses 0 lost 0");
    }
    for (i, run) in runs.iter().enumerate().take(if loops.is_empty() { 0 } else { usize::MAX }) {
        let mut pieces = run.pieces.clone();
        pieces.sort_unstable_by_key(|piece| piece.began);
        let mut threads: BTreeMap<usize, (String, String)> = BTreeMap::new();
        for piece in pieces {
            let (chunks, times) = threads.entry(piece.thread.unwrap_or(0)).or_default();
            let _ = write!(chunks, " {}-{}", piece.first, piece.first + piece.len);
            let (from, to) = (piece.from - start, piece.to.saturating_sub(start));
            let _ = write!(times, " {}-{}", from.as_nanos(), to.as_nanos());
        }
        let (number, time) = (loops[i % loops.len()], i / loops.len());
        for (thread, (chunks, times)) in threads {
            let _ = writeln!(text, "chunks loop {number} time {time} thread {thread}{chunks}");
            let _ = writeln!(text, "times loop {number} time {time} thread {thread}{times}");
        }
    }
    text + "end\n"
}
