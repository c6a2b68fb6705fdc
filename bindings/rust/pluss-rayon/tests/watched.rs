// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watched loops run as they would, and tell the truth about it.
use pluss_rayon::{Place, Run, Watch, WatchExt, WatchSliceExt, WatchedExt, WatchedTasksExt};
use rayon::prelude::*;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Pieces are disjoint and cover all items, within the lengths asked for.
fn check_pieces(run: &Run) {
    let mut next = 0;
    for piece in &run.pieces {
        assert_eq!(piece.first, next);
        assert!(piece.len <= run.max_len.unwrap_or(usize::MAX), "{piece:?}");
        assert!(piece.len >= run.min_len.min(run.items), "{piece:?}");
        assert!(piece.thread.is_some_and(|thread| thread < run.threads), "{piece:?}");
        next += piece.len;
    }
    assert_eq!(next, run.items);
    let mut began: Vec<usize> = run.pieces.iter().map(|piece| piece.began).collect();
    began.sort_unstable();
    assert!(began.into_iter().eq(0..run.pieces.len()));
}

#[test]
fn chunks_mut_with_enumerate_run_unchanged() {
    for threads in [1, 2, 4] {
        let watch = Watch::recording();
        let mut watched = vec![0usize; 1003];
        let mut plain = watched.clone();
        let body = |(i, chunk): (usize, &mut [usize])| {
            for (k, x) in chunk.iter_mut().enumerate() {
                *x = 1000 * i + k;
            }
        };
        pool(threads)
            .install(|| watched.watch(&watch).par_chunks_mut(17).enumerate().for_each(body));
        plain.par_chunks_mut(17).enumerate().for_each(body);
        assert_eq!(watched, plain);
        let run = watch.last().expect("a run");
        assert_eq!((run.items, run.chunk, run.length, run.threads), (59, 17, 1003, threads));
        check_pieces(&run);
    }
}

/// The thread that is told is the thread that ran the item.
#[test]
fn threads_are_the_real_ones() {
    let watch = Watch::recording();
    let seen: Vec<Option<usize>> = pool(3).install(|| {
        (0..4000usize)
            .watch(&watch)
            .into_par_iter()
            .map(|_| rayon::current_thread_index())
            .collect()
    });
    let run = watch.last().expect("a run");
    check_pieces(&run);
    for piece in &run.pieces {
        assert!(seen[piece.first..piece.first + piece.len].iter().all(|t| *t == piece.thread));
    }
}

#[test]
fn lengths_are_kept_and_told() {
    let watch = Watch::recording();
    let sum: u64 = pool(4).install(|| {
        (0..10_000u32)
            .watch(&watch)
            .into_par_iter()
            .with_min_len(16)
            .with_max_len(100)
            .map(u64::from)
            .sum()
    });
    assert_eq!(sum, 10_000 * 9_999 / 2);
    let run = watch.last().expect("a run");
    assert_eq!((run.items, run.min_len, run.max_len), (10_000, 16, Some(100)));
    check_pieces(&run);
    assert!(run.pieces.len() >= 100);
}

#[test]
fn reading_chunks_and_zipping() {
    let watch = Watch::recording();
    let data: Vec<u32> = (0..100).collect();
    let mut out = vec![0u32; 10];
    data.watch_ref(&watch)
        .par_chunks(10)
        .zip(out.par_iter_mut())
        .for_each(|(chunk, sum)| *sum = chunk.iter().sum());
    assert_eq!(out.iter().sum::<u32>(), 4950);
    check_pieces(&watch.last().expect("a run"));
}

#[test]
fn without_recording_there_are_no_pieces() {
    let watch = Watch::new();
    (0..100u32).watch(&watch).into_par_iter().for_each(|_| ());
    assert!(watch.last().expect("a run").pieces.is_empty());
    watch.clear();
    assert_eq!(watch.last(), None);
}

#[test]
fn an_empty_loop() {
    let watch = Watch::recording();
    let mut none: [u8; 0] = [];
    none.watch(&watch).par_chunks_mut(8).for_each(|_| panic!("an item"));
    let run = watch.last().expect("a run");
    assert_eq!((run.items, run.length), (0, 0));
    check_pieces(&run);
}

/// Whatever makes the items, and wherever it is watched.
#[test]
fn any_indexed_iterator_is_watched() {
    let a: Vec<usize> = (0..1000).collect();
    for threads in [1, 3] {
        let watch = Watch::recording();
        pool(threads).install(|| {
            let plain: Vec<usize> = a.par_windows(3).map(|w| w[0] + w[2]).collect();
            let windows: Vec<usize> =
                a.par_windows(3).watched(&watch).map(|w| w[0] + w[2]).collect();
            let mapped: Vec<usize> =
                a.par_windows(3).map(|w| w[0] + w[2]).watched(&watch).collect();
            assert_eq!((&windows, &mapped), (&plain, &plain));

            let mut b = vec![0; 1000];
            b.par_iter_mut().zip(a.par_iter().rev()).enumerate().watched(&watch).for_each(
                |(i, (b, a))| *b = i + a, // 999 each
            );
            assert!(b.iter().all(|&b| b == 999));
            let zipped: usize =
                b.par_iter().watched(&watch).zip(a.par_iter()).map(|(b, a)| b + a).sum();
            assert_eq!(zipped, 999 * 1000 + 499_500);
            let exact = a
                .par_chunks_exact(7)
                .watched(&watch)
                .with_min_len(4)
                .rev()
                .map(<[usize]>::len)
                .sum::<usize>();
            assert_eq!(exact, 994);
            let sum: usize = a.clone().into_par_iter().with_max_len(10).watched(&watch).sum();
            assert_eq!(sum, 499_500);
        });
        let runs = watch.runs();
        let items: Vec<usize> = runs.iter().map(|run| run.items).collect();
        assert_eq!(items, [998, 998, 1000, 1000, 142, 1000]);
        runs.iter().for_each(check_pieces);
        assert_eq!((runs[4].min_len, runs[5].max_len), (4, Some(10)));
    }
}

/// A piece lasts while its items are run, and one thread does not run two at a time.
#[test]
fn pieces_have_times() {
    let watch = Watch::recording();
    let wait = std::time::Duration::from_micros(200);
    pool(2)
        .install(|| (0..16).into_par_iter().watched(&watch).for_each(|_| std::thread::sleep(wait)));
    let run = watch.last().expect("a run");
    for piece in &run.pieces {
        assert!(piece.to >= piece.from + piece.len as u32 * wait, "{piece:?}");
        for other in
            run.pieces.iter().filter(|other| other.thread == piece.thread && *other != piece)
        {
            assert!(other.to <= piece.from || piece.to <= other.from, "{piece:?} {other:?}");
        }
    }
}

#[test]
fn loops_in_loops_know_the_piece_that_began_them() {
    let watch = Watch::recording();
    pool(3).install(|| {
        (0..5).into_par_iter().with_max_len(1).watched(&watch).for_each(|_| {
            (0..10).into_par_iter().watched(&watch).for_each(|_| ());
        });
    });
    let runs = watch.runs();
    assert_eq!((runs.len(), runs[0].parent), (6, None));
    let mut firsts: Vec<usize> = runs[1..]
        .iter()
        .map(|run| match run.parent {
            Some(Place::Piece { run: 0, first }) => first,
            other => panic!("{other:?}"),
        })
        .collect();
    firsts.sort_unstable();
    assert_eq!(firsts, [0, 1, 2, 3, 4]);
    // another watch has no part in it
    let other = Watch::recording();
    (0..1).into_par_iter().watched(&watch).for_each(|_| {
        (0..1).into_par_iter().watched(&other).for_each(|_| ());
    });
    assert_eq!(other.last().expect("a run").parent, None);
}

fn halves(watch: &Watch, x: &[u64]) -> u64 {
    if x.len() < 10 {
        return x.iter().sum();
    }
    let (a, b) = x.split_at(x.len() / 2);
    let (a, b) = watch.join(|| halves(watch, a), || halves(watch, b));
    a + b
}

/// Tasks of a tree: two for each join, in the time of their parent.
#[test]
fn joins_are_a_tree() {
    let x: Vec<u64> = (0..1000).collect();
    for threads in [1, 4] {
        let watch = Watch::recording();
        assert_eq!(pool(threads).install(|| halves(&watch, &x)), 499_500);
        let tasks = watch.tasks();
        let mut children = vec![0; tasks.len()];
        for task in &tasks {
            assert!(task.thread.is_some_and(|thread| thread < threads) && task.from <= task.to);
            match task.parent {
                None => (),
                Some(Place::Task(i)) => {
                    children[i] += 1;
                    assert!(tasks[i].from <= task.from && task.to <= tasks[i].to);
                }
                Some(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(tasks.iter().filter(|task| task.parent.is_none()).count(), 2);
        assert!(children.iter().all(|&n| n == 0 || n == 2));
        assert_eq!(tasks.len(), 2 * (128 - 1)); // leaves of 7 or 8
    }
    let silent = Watch::new();
    assert_eq!((halves(&silent, &x), silent.tasks().len()), (499_500, 0));
}

#[test]
fn scopes_have_tasks() {
    let watch = Watch::recording();
    let count = std::sync::atomic::AtomicUsize::new(0);
    let add = || count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    watch.scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|scope| {
                add();
                scope.spawn(|_| {
                    add();
                });
            });
        }
    });
    assert_eq!(count.into_inner(), 6);
    let tasks = watch.tasks();
    let of = |place| tasks.iter().filter(|task| task.parent == place).count();
    // what executes the scope's body spawns three of the six
    assert_eq!((tasks.len(), of(None), of(Some(Place::Task(0)))), (7, 1, 3));
}

/// What panics ends, and what is executed afterwards is not a part of it.
#[test]
fn panics_end_pieces_and_tasks() {
    let watch = Watch::recording();
    let run = || (0..1).into_par_iter().watched(&watch).for_each(|_| panic!("on purpose"));
    assert!(
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool(1).install(run))).is_err()
    );
    let piece = watch.last().expect("a run").pieces[0];
    assert!(piece.to >= piece.from);
    (0..1).into_par_iter().watched(&watch).for_each(|_| ());
    assert_eq!(watch.last().expect("a run").parent, None);
}

/// Shares of what has no index are tasks, which together take every item.
#[test]
fn iterators_without_an_index_have_tasks() {
    for threads in [1, 3] {
        let watch = Watch::recording();
        let check = |expected: usize| {
            let tasks = watch.tasks();
            watch.clear();
            assert_eq!(tasks.iter().map(|task| task.items).sum::<usize>(), expected);
            assert!(tasks.iter().all(|task| task.from <= task.to && task.thread.is_some()));
            tasks
        };
        pool(threads).install(|| {
            let sum: u64 = (0..1000_u64).into_par_iter().watched_tasks(&watch).sum();
            assert_eq!(sum, 499_500);
            let tasks = check(1000);
            assert!(threads == 1 || tasks.len() > 1 && tasks.iter().all(|task| task.items < 1000));
            let mut seen: Vec<u32> = (0..100).par_bridge().watched_tasks(&watch).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..100));
            check(100);
            watch.join(|| (0..10_u64).into_par_iter().watched_tasks(&watch).count(), || ());
            let parents = check(10).into_iter().filter(|task| task.items > 0);
            assert!(parents.clone().count() > 0);
            assert!(parents.into_iter().all(|task| matches!(task.parent, Some(Place::Task(_)))));
        });
    }
}

/// Tasks of Rayon's own scope.
#[test]
fn tasks_of_any_scope_are_watched() {
    let watch = Watch::recording();
    rayon::scope(|scope| {
        watch.spawn(scope, |scope| watch.spawn(scope, |_| ()));
        watch.spawn(scope, |_| ());
    });
    let tasks = watch.tasks();
    let inner = tasks.iter().filter_map(|task| task.parent).collect::<Vec<_>>();
    assert!(tasks.len() == 3 && inner.len() == 1 && matches!(inner[0], Place::Task(_)));
}
