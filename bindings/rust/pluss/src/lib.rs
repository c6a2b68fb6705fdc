// SPDX-License-Identifier: GPL-3.0-or-later
//! How a parallel loop will use the caches of a machine, for any number of threads, before it is
//! run.
//!
//! A [`Nest`] describes which memory a parallel program touches, in which order, and how its
//! iterations are distributed over threads. It is written with [`nest!`], built call by call with
//! [`Nest::builder`], parsed from text, or read from an object file that the GCC plugin made.
//! [`Nest::predict`] gives the miss ratio [`Curve`]s of the shared cache, [`Nest::simulate`] the
//! exact ones of an interleaving, by walking every access, [`Nest::private_intervals`] the private
//! reuse intervals of each reference.
//!
//! ```
//! use pluss::{nest, Grid};
//!
//! let gemm = nest! {
//!     region gemm(ni, nj, nk) {
//!         array f64 A[ni][nk], B[nk][nj], C[ni][nj];
//!         parallel for i in 0..ni, schedule(static, 4) {
//!             for j in 0..nj {
//!                 for k in 0..nk { read A[i][k]; read B[k][j]; read C[i][j]; write C[i][j]; }
//!             }
//!         }
//!     }
//! }?;
//! let predicted = gemm.predict().threads([1, 4]).bind("ni", 32).bind("nj", 32).bind("nk", 32).model("cri").run()?;
//! let exact = gemm.simulate().threads([1, 4]).bind("ni", 32).bind("nj", 32).bind("nk", 32).run()?;
//! for (a, b) in predicted.iter().zip(&exact) {
//!     println!("{} threads, 32 KiB: {:.4}", a.team(), a.miss_ratio(32 << 10));
//!     assert!(a.compare(&b, Grid::Strict)?.mean_abs < 0.1);
//! }
//! # Ok::<(), pluss::Error>(())
//! ```
//!
//! # Rayon
//!
//! A loop that is watched ([`pluss_rayon`], here as `pluss::rayon`) runs as it would, and tells how
//! it was cut. Its nest has the schedule `rayon`, which models work stealing, or the assignment that
//! the run really had:
//!
//! ```
//! # #[cfg(feature = "rayon")] {
//! use pluss::rayon::{Watch, WatchSliceExt};
//! use pluss::{nest, Chunk};
//! use rayon::prelude::*;
//!
//! let (rows, width) = (40, 100);
//! let watch = Watch::recording();
//! let mut data = vec![1.0_f64; rows * width];
//! data.watch(&watch).par_chunks_mut(width).enumerate().for_each(|(i, row)| {
//!     row.iter_mut().for_each(|x| *x += i as f64);
//! });
//!
//! let run = watch.last().expect("a run");
//! let nest = nest! {
//!     region add(n) {
//!         array f64 A[n][width];
//!         parallel for i in 0..n, schedule(rayon, run.min_len) {
//!             for j in 0..width { update A[i][j]; }
//!         }
//!     }
//! }?;
//! let request = || nest.predict().threads([run.threads as u32]).bind("n", run.items as i64);
//! let modelled = request().run()?;
//! let replayed = request().recorded(Chunk::of_runs(0, [&run])).run()?;
//! for curve in [modelled.get(0).unwrap(), replayed.get(0).unwrap()] {
//!     assert!((curve.miss_ratio(1 << 20) - 1.0 / 16.0).abs() < 0.001); // first touches
//! }
//! # }
//! # Ok::<(), pluss::Error>(())
//! ```
//!
//! # Threads
//!
//! Every call makes a C context of its own, so what is finished ([`Nest`], [`Curves`],
//! [`PrivateIntervals`]) is never changed again and can be shared: they are `Send` and `Sync`. A
//! [`Builder`] is neither.
//!
//! # Misuse that does not compile
//!
//! Use after free:
//!
//! ```compile_fail,E0505
//! # let nest = pluss::Nest::parse("pluss-nest 1 region r").unwrap();
//! let regions = nest.regions();
//! drop(nest); // `regions` still borrows its strings
//! println!("{}", regions.count());
//! ```
//!
//! Double free: handles are not `Copy`, and freeing moves them.
//!
//! ```compile_fail,E0382
//! # let nest = pluss::Nest::parse("pluss-nest 1 region r").unwrap();
//! drop(nest);
//! drop(nest);
//! ```
//!
//! A data race: a builder does not leave its thread.
//!
//! ```compile_fail,E0277
//! let mut builder = pluss::Nest::builder("r");
//! std::thread::scope(|s| { s.spawn(|| builder.symbol("n")); });
//! ```

mod advice;
mod builder;
mod calibration;
mod context;
mod curve;
mod engine;
mod error;
mod expr;
mod gaps;
mod intervals;
mod knees;
mod levels;
mod macros;
mod nest;
mod record;
mod report;
mod sweep;

pub use advice::{Advice, Advised, Bound, Change, Time, Times};
pub use builder::{Array, Base, Builder, Element, Loop, Ref, Schedule};
pub use calibration::{Calibrated, Calibration, Machine, MachineCache, MachineFile, RegionFit};
pub use curve::{
    Capacities, Comparison, Curve, Curves, Difference, Greatest, Grid, LevelDifference, Point,
};
pub use engine::{
    Chunk, LawInfo, Model, OptionInfo, Predict, Private, Progress, ScheduleKind, Simulate,
};
pub use error::{Diagnostic, Error, Result, Severity, Status};
pub use expr::{Cond, Expr, Var};
pub use gaps::{Gaps, GapsTest, Tested};
pub use intervals::{Histogram, PrivateIntervals, Sharing};
pub use knees::{Carried, Knee, Reference, Reuse};
pub use levels::{Conflict, Level, LevelGroup, LevelReference, Misses, Padding, WaysFrom};
pub use nest::{
    ArrayInfo, Language, LoopInfo, Nest, RefInfo, RegionInfo, SymbolInfo, SymbolKind, UnknownInfo,
};
pub use record::{
    count_trace_threads, generate_trace, pack_trace, Block, File, Record, RecordInfo, Timelines,
    TimelinesInfo,
};
pub use report::{Format, Report};
pub use sweep::Sweep;

#[cfg(feature = "rayon")]
pub use pluss_macros::kernel;
#[cfg(feature = "rayon")]
pub use pluss_rayon as rayon;

#[doc(hidden)]
pub mod __private {
    pub use crate::macros::{element, range};
}

/// Whether the library can do something: `"read.elf"`, `"model.cri"`, `"build"`, ...
pub fn has_feature(name: &str) -> bool {
    let Ok(name) = std::ffi::CString::new(name) else { return false };
    // SAFETY: pluss_has_feature reads a NUL-terminated string; any name is allowed.
    unsafe { pluss_sys::pluss_has_feature(name.as_ptr()) != 0 }
}

/// The version of the library that is linked.
pub fn version() -> &'static str {
    // SAFETY: pluss_version gives a static string.
    unsafe { context::text(pluss_sys::pluss_version()) }
}
