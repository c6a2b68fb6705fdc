// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is recorded, against a plain count of the same accesses.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pluss_trace::{Record, Shape, Site};
use rayon::prelude::*;

/// The record is one for the whole program: tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    pluss_trace::take().expect("nothing is running");
    turn
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// First touches and intervals by reference, counted by hand.
#[derive(Default)]
struct Counter {
    last: HashMap<usize, u64>,
    clock: u64,
    first: BTreeMap<u32, u64>,
    bins: BTreeMap<u32, BTreeMap<u64, u64>>,
}

impl Counter {
    fn touch<T>(&mut self, reference: u32, element: &T) {
        self.clock += 1;
        let line = std::ptr::from_ref(element) as usize / 64;
        match self.last.insert(line, self.clock) {
            None => *self.first.entry(reference).or_default() += 1,
            Some(before) => {
                let bins = self.bins.entry(reference).or_default();
                *bins.entry(self.clock - before).or_default() += 1;
            }
        }
    }
}

#[test]
fn a_team_of_one_is_counted_exactly() {
    let _turn = turn();
    let n = 20;
    let a: Vec<f64> = (0..n * n).map(|i| i as f64).collect();
    let b = a.clone();
    let mut c = vec![0.0; n * n];
    let site = Site::new("mul", &[Shape::of::<f64>(); 4]);
    pool(1).install(|| {
        site.run(|run| {
            c.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
                run.enter(|thread| {
                    let (a, b) = (thread.reads(0, &a), thread.reads(1, &b));
                    let mut row = thread.updates(2, 3, row);
                    for j in 0..n {
                        for k in 0..n {
                            let product = a[i * n + k] * b[k * n + j];
                            row[j] += product;
                        }
                    }
                })
            });
        });
    });
    let record = pluss_trace::take().expect("a record");
    let region = &record.regions[0];
    assert_eq!((region.name.as_str(), region.team, region.runs, region.lost), ("mul", 1, 1, 0));
    assert!(region.file.ends_with("traced.rs"));

    let mut counter = Counter::default();
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                counter.touch(0, &a[i * n + k]);
                counter.touch(1, &b[k * n + j]);
                counter.touch(2, &c[i * n + j]);
                counter.touch(3, &c[i * n + j]);
            }
        }
    }
    assert_eq!(region.accesses(), counter.clock);
    for reference in 0..4 {
        let (first, bins) = region.reference(reference);
        assert_eq!(first, counter.first.get(&reference).copied().unwrap_or(0));
        assert_eq!(bins, counter.bins.remove(&reference).unwrap_or_default());
    }
    assert_eq!(c[0], (0..n).map(|k| a[k] * b[k * n]).sum::<f64>());
}

#[test]
fn no_access_of_a_team_is_lost() {
    let _turn = turn();
    let site = Site::new("fill", &[Shape::of::<u64>()]);
    let mut data = vec![0u64; 64 * 1024];
    for threads in [2, 4] {
        let pool = pool(threads);
        for _ in 0..5 {
            pool.install(|| {
                site.run(|run| {
                    data.par_chunks_mut(64).for_each(|chunk| {
                        run.enter(|thread| {
                            let mut chunk = thread.writes(0, chunk);
                            for i in 0..chunk.len() {
                                chunk[i] = i as u64;
                            }
                        })
                    });
                });
            });
        }
    }
    let record = pluss_trace::take().expect("a record");
    assert_eq!(record.regions.len(), 2); // a team each
    for region in &record.regions {
        assert_eq!(region.runs, 5);
        assert_eq!(region.lost, 0);
        assert_eq!(region.accesses(), 5 * 64 * 1024);
        // all reuse is within a line: 8 elements, 7 of them again
        let (first, bins) = region.reference(0);
        let again: u64 = bins.values().sum();
        assert_eq!(first + again, 5 * 64 * 1024);
        assert!(bins.get(&1).copied().unwrap_or(0) >= 5 * 64 * 1024 * 7 / 8 - 5 * 1024);
    }
}

#[test]
fn a_task_that_is_stolen_while_another_waits_is_recorded() {
    let _turn = turn();
    let site = Site::new("nested", &[Shape::of::<u8>()]);
    let data = vec![1u8; 4096];
    let sum: u32 = pool(2).install(|| {
        site.run(|run| {
            (0..64usize)
                .into_par_iter()
                .map(|i| {
                    run.enter(|thread| {
                        let mine = thread.reads(0, &data[64 * i..64 * (i + 1)]);
                        // waits inside, and may meanwhile run another item on this thread
                        let inner: u32 = (0..8).into_par_iter().sum();
                        u32::from(mine[0]) + inner - 28
                    })
                })
                .sum()
        })
    });
    assert_eq!(sum, 64);
    let record = pluss_trace::take().expect("a record");
    assert_eq!(record.regions[0].accesses(), 64);
    assert_eq!(record.regions[0].lost, 0);
}

#[test]
fn a_panic_ends_the_run() {
    let _turn = turn();
    let site = Site::new("panics", &[Shape::of::<u8>()]);
    let data = [0u8; 8];
    let caught = std::panic::catch_unwind(|| {
        site.run(|run| {
            run.enter(|thread| {
                let data = thread.reads(0, &data);
                data[8]
            })
        })
    });
    assert!(caught.is_err());
    let record = pluss_trace::take().expect("no run is left open");
    assert_eq!(record.regions[0].accesses(), 0); // the index was checked first
}

/// The accesses of a site's blocks, and what they lost.
fn told(record: &Record, name: &str) -> (u64, u64, u64) {
    let regions = record.regions.iter().filter(|region| region.name == name);
    regions.fold((0, 0, 0), |sum, region| {
        (sum.0 + region.runs, sum.1 + region.accesses(), sum.2 + region.lost)
    })
}

#[test]
#[allow(clippy::forget_non_drop)] // as users may
fn what_is_forgotten_in_a_thread_leaves_it_as_it_was() {
    let _turn = turn();
    let site = Site::new("forgets", &[Shape::of::<u64>()]);
    let data = vec![1u64; 1 << 12];
    pool(1).install(|| {
        site.run(|run| {
            run.enter(|thread| {
                let x = thread.reads(0, &data);
                let _ = x[0];
                std::mem::forget(x);
            });
        });
        site.run(|run| {
            run.enter(|thread| {
                let x = thread.reads(0, &data);
                assert_eq!((0..data.len()).map(|i| x[i]).sum::<u64>(), data.len() as u64);
            });
        });
    });
    let record = pluss_trace::take().expect("a record");
    assert_eq!(told(&record, "forgets"), (2, 1 + data.len() as u64, 0));
}

#[test]
fn runs_within_runs_keep_their_accesses_apart() {
    let _turn = turn();
    let (a, b) = (Site::new("a", &[Shape::of::<u64>()]), Site::new("b", &[Shape::of::<u64>(); 2]));
    let data = vec![1u64; 64];
    let (outer, inner) = (pool(2), pool(2));
    outer.install(|| {
        a.run(|ra| {
            inner.install(|| {
                b.run(|rb| {
                    inner.broadcast(|_| {
                        ra.enter(|ta| {
                            let x = ta.reads(0, &data);
                            rb.enter(|tb| {
                                let y = tb.reads(1, &data);
                                let _ = (y[0], x[0], y[1]); // b's in a: two of them lost
                            });
                            let _ = x[1];
                        });
                        rb.enter(|tb| tb.reads(0, &data)[0]);
                    });
                });
            });
        });
    });
    // none of that is left behind
    inner.install(|| {
        b.run(|rb| {
            inner.broadcast(|_| rb.enter(|thread| thread.reads(0, &data)[0]));
        });
    });
    let record = pluss_trace::take().expect("a record");
    let ((a_runs, a_told, a_lost), (b_runs, b_told, b_lost)) =
        (told(&record, "a"), told(&record, "b"));
    assert_eq!((a_runs, a_told + a_lost), (1, 4));
    assert_eq!((b_runs, b_told + b_lost), (2, 2 * 3 + 2));
    assert!(b_lost >= 4);
}

#[test]
fn a_run_within_a_thread_is_not_recorded_but_the_thread_goes_on() {
    let _turn = turn();
    let (a, b) = (Site::new("a", &[Shape::of::<u8>()]), Site::new("b", &[Shape::of::<u8>()]));
    let data = [0u8; 8];
    pool(1).install(|| {
        a.run(|ra| {
            b.run(|rb| rb.enter(|thread| thread.reads(0, &data)[0])); // serial
            ra.enter(|ta| {
                let x = ta.reads(0, &data);
                let _ = x[0];
                b.run(|rb| {
                    rb.enter(|tb| tb.reads(0, &data)[0]);
                    ra.enter(|again| again.reads(0, &data)[2]);
                });
                let _ = x[3];
            });
        });
    });
    let record = pluss_trace::take().expect("a record");
    assert_eq!(record.regions.len(), 1);
    assert_eq!(told(&record, "a"), (1, 3, 0));
}

#[test]
fn panics_leave_threads_and_runs_one_after_another() {
    let _turn = turn();
    let site = Site::new("unwinds", &[Shape::of::<u8>()]);
    let data = [0u8; 64];
    pool(2).install(|| {
        site.run(|run| {
            (0..64usize).into_par_iter().for_each(|i| {
                let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    run.enter(|thread| {
                        let x = thread.reads(0, &data);
                        let _ = x[i];
                        run.enter(|_| assert!(i % 2 == 0, "on purpose"));
                    })
                }));
                assert_eq!(caught.is_ok(), i % 2 == 0);
                run.enter(|thread| thread.reads(0, &data)[i]);
            });
        });
    });
    let record = pluss_trace::take().expect("a record");
    assert_eq!(told(&record, "unwinds"), (1, 128, 0));
}

#[test]
fn threads_that_end_and_other_pools_may_enter() {
    let _turn = turn();
    let site = Site::new("others", &[Shape::of::<u8>()]);
    let data = [0u8; 64];
    let other = pool(3);
    pool(2).install(|| {
        site.run(|run| {
            for _ in 0..4 {
                std::thread::scope(|scope| {
                    scope.spawn(|| run.enter(|thread| thread.reads(0, &data)[0]));
                });
            }
            other.broadcast(|_| run.enter(|thread| thread.reads(0, &data)[0]));
        });
    });
    let (runs, told, lost) = told(&pluss_trace::take().expect("a record"), "others");
    assert_eq!((runs, told + lost), (1, 4 + 3));
}

#[test]
fn taking_a_record_within_a_run_is_an_error() {
    let _turn = turn();
    let site = Site::new("r", &[]);
    assert!(site.run(|_| pluss_trace::take().is_err()));
}

#[test]
#[should_panic(expected = "reference 1 of a site with 1")]
fn a_reference_that_the_site_does_not_have() {
    let _turn = turn();
    Site::new("r", &[Shape::of::<u8>()]).run(|run| {
        run.enter(|thread| thread.reads(1, &[0u8]).len());
    });
}

#[test]
fn shapes() {
    assert_eq!(Shape::of::<f64>(), Shape::of::<u64>());
    assert_ne!(Shape::of::<f32>(), Shape::of::<f64>());
    assert_eq!(format!("{:?}", Shape::of::<[u8; 48]>()), "Shape { width: 48, stride_gcd: 16 }");
    assert_eq!(format!("{:?}", Shape::of::<[u8; 256]>()), "Shape { width: 256, stride_gcd: 64 }");
}

#[test]
fn faulty_records_are_refused_with_their_line() {
    let good =
        "pluss-record 3\nline 64\nlost-runs 0\nregion \"a\\\"b\" \"f.c\":7 team 2 runs 1 lost 0\n\
                symbol \"n\" -5\narray \"A\" 140725305188736\nthread 0 accesses 3 lost 0\n\
                thread 1 accesses 0 lost 0\npri thread 0 ref 2 first 1 1:1 9:1\nend\n";
    let record: Record = good.parse().expect("good");
    assert_eq!(record.regions[0].name, "a\"b");
    assert_eq!(record.regions[0].reference(2), (1, BTreeMap::from([(1, 1), (9, 1)])));
    let more = good.replacen(
        "region",
        "left-out \"r\" \"f.c\":8 team 2 runs 5 accesses 9 by profile\nnewer 1\nregion",
        1,
    );
    assert_eq!(more.parse::<Record>().map(|r| (r.left_out, r.regions.len())), Ok((5, 1)));
    for (line, old, new) in [
        (1, "pluss-record 3", "pluss-record 1"),
        (4, "\"f.c\":7", "\"f.c\" 7"),
        (4, "\"f.c\"", "\"f.c"),
        (4, "team 2", "team x"),
        (8, "thread 1", "thread 2"),
        (9, "9:1", "9-1"),
        (9, "first 1", "second 1"),
        (11, "end\n", ""),
        (10, "end\n", "end of it\n"),
    ] {
        let bad = good.replacen(old, new, 1);
        let error = bad.parse::<Record>().expect_err(new);
        assert!(error.line == line || error.line + 1 == line, "{new}: {error}");
    }
    assert!("".parse::<Record>().is_err());
}
