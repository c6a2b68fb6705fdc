// SPDX-License-Identifier: GPL-3.0-or-later
//! Miss ratio curves.

use std::fmt;
use std::ptr;
use std::sync::Arc;

use pluss_sys as sys;

use crate::context::{blank, c_string, maybe_text, text, Context, Free, Handle};
use crate::engine::{ask, Options};
use crate::error::{Diagnostic, Error, Result, Status};
use crate::record::File;
use crate::report::Report;

impl Free for sys::pluss_result {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_result_free takes it back ("Owner").
        unsafe { sys::pluss_result_free(raw) }
    }
}

impl Free for sys::pluss_comparison {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_comparison_free takes it back ("Owner").
        unsafe { sys::pluss_comparison_free(raw) }
    }
}

/// The curves of one call, one a number of threads, in the order asked.
#[derive(Clone)]
pub struct Curves {
    pub(crate) owner: Arc<Handle<sys::pluss_result>>,
    notes: Arc<[Diagnostic]>,
}

/// Miss ratios of a fully associative LRU cache that the team shares, for every size.
#[derive(Clone)]
pub struct Curve {
    owner: Arc<Handle<sys::pluss_result>>,
    number: usize,
}

/// A point of a [`Curve`]: the miss ratio from this size up to the next point's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// Cache size in lines.
    pub size_lines: f64,
    /// Misses / all accesses.
    pub miss_ratio: f64,
}

/// Where shared caches begin to pay, in bytes of all caches of a team together
/// ([`Curves::capacities`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capacities {
    /// C_max: from there on no access with a distance misses.
    pub max_bytes: u64,
    /// C_core: from there on a shared cache misses hardly more often than with one thread. `None`:
    /// at all sizes, or there is no curve of one thread.
    pub core_bytes: Option<u64>,
    /// C_share: from there on it misses less often than private caches do. `None`: at no size.
    pub share_bytes: Option<u64>,
}

/// The sizes at which two curves are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Grid {
    /// 8 sizes an octave from 1 line to the footprint of the second.
    #[default]
    Strict,
    /// 4 an octave from 1 line to 32 MB.
    Paper,
}

/// How two curves differ: the first less the second, miss ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Difference {
    /// Mean of the absolute values.
    pub mean_abs: f64,
    /// The largest absolute value.
    pub max_abs: f64,
    /// Mean.
    pub mean_signed: f64,
    /// The size of the largest.
    pub max_at_lines: u64,
    /// The grid's first size.
    pub first_lines: u64,
    /// The grid's last size.
    pub last_lines: u64,
    /// Sizes compared.
    pub sizes: usize,
}

impl Curves {
    pub(crate) fn new(handle: Handle<sys::pluss_result>, notes: Vec<Diagnostic>) -> Self {
        Self { owner: Arc::new(handle), notes: notes.into() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        // SAFETY: the result is alive and only read.
        unsafe { sys::pluss_result_count(self.owner.raw()) }
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// By number; `None` past the end.
    pub fn get(&self, number: usize) -> Option<Curve> {
        (number < self.len()).then(|| Curve { owner: self.owner.clone(), number })
    }

    /// All, in order.
    pub fn iter(&self) -> Iter {
        Iter { curves: self.clone(), next: 0 }
    }

    /// Notes and warnings of the call.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.notes
    }

    fn write(&self, format: &str) -> Result<String> {
        let raw = self.owner.raw();
        // SAFETY: the result is alive and only read; NULL: default options; what is given is ours.
        Report::make(|ctx, out| unsafe { sys::pluss_result_report(ctx, raw, ptr::null(), out) })?
            .to_format(format)
    }

    /// Each of these curves against that of `truth` with the same region, values, threads and
    /// threads that share a cache. `Status::NotFound`: there are none.
    pub fn compare(&self, truth: &Curves, grid: Grid) -> Result<Comparison> {
        let context = Context::new(None)?;
        let options = sys::pluss_compare_options {
            size: size_of::<sys::pluss_compare_options>(),
            grid: grid.raw(),
            a_name: ptr::null(),
            b_name: ptr::null(),
        };
        let (a, b) = (self.owner.raw(), truth.owner.raw());
        // SAFETY: both results are alive and only read; what is given is ours.
        let call = |ctx, out| unsafe { sys::pluss_result_compare(ctx, a, b, &options, out) };
        let raw = context.make(call)?;
        let notes = context.diagnostics();
        Ok(Comparison { owner: Handle::new(raw, context), notes })
    }

    /// Why something that was asked for is not among them; `None`: all is.
    pub fn missing(&self) -> Option<Status> {
        // SAFETY: the result is alive and only read.
        let status = unsafe { sys::pluss_result_get_missing(self.owner.raw()) };
        (status != sys::PLUSS_OK).then(|| Status::from_raw(status))
    }

    /// The only one who has these; no copy of them and no curve is left.
    fn alone(&mut self) -> Result<&mut Handle<sys::pluss_result>> {
        let text = "other copies or curves of these are alive";
        Arc::get_mut(&mut self.owner)
            .ok_or_else(|| Error::new(Status::InvalidArgument, text.to_owned()))
    }

    /// Moves others behind these. Of neither there is a copy or a [`Curve`] left.
    pub fn append(&mut self, other: Curves) -> Result<()> {
        self.take(other, sys::pluss_result_append)
    }

    /// Adds profiles of other runs of the same programs; others are moved. Curves are then those of
    /// the profiles.
    pub fn merge_profiles(&mut self, other: Curves) -> Result<()> {
        self.take(other, sys::pluss_profile_merge)
    }

    fn take(
        &mut self,
        mut other: Curves,
        call: unsafe extern "C" fn(
            *mut sys::pluss_context,
            *mut sys::pluss_result,
            *mut sys::pluss_result,
        ) -> sys::pluss_status,
    ) -> Result<()> {
        self.alone()?;
        other.alone()?;
        let notes = self.notes.iter().chain(other.notes.iter()).cloned().collect();
        let owner = Arc::into_inner(other.owner).expect("nobody else has it");
        self.alone()?.take(owner, call)?;
        self.notes = notes;
        Ok(())
    }

    /// Takes all levels but those of this name ("L2") out. No copy is left.
    pub fn keep_level(&mut self, name: &str) -> Result<()> {
        let (name, context) = (c_string(name)?, Context::new(None)?);
        // SAFETY: the result is ours alone, and the name alive.
        let status = unsafe {
            sys::pluss_result_keep_level(context.raw(), self.alone()?.raw_mut(), name.as_ptr())
        };
        context.check(status)
    }

    /// Puts levels in place of those that are there, out of the curves and profiles alone: the
    /// caches of the options ("cache") that as many threads share as in a curve, fully associative,
    /// with the curve's misses at their sizes. No copy is left.
    pub fn derive_levels(&mut self, options: &[(&str, &str)]) -> Result<()> {
        let context = Context::new(None)?;
        let set = Options::new(&context)?;
        for (name, text) in options {
            set.set(name, text)?;
        }
        let result = self.alone()?.raw_mut();
        // SAFETY: the result is ours alone, and the options alive.
        let status =
            unsafe { sys::pluss_result_derive_levels(context.raw(), result, set.raw.as_ptr()) };
        context.check(status)
    }

    /// C_max, C_core and C_share of a curve by its number. `None`: it is not of a cache that all of
    /// several threads share, or there is none of their private caches from the same engine.
    pub fn capacities(&self, number: usize) -> Option<Capacities> {
        let mut raw = blank!(pluss_capacities);
        // SAFETY: the result is alive and only read, and `raw` has its size set.
        let status =
            unsafe { sys::pluss_result_get_capacities(self.owner.raw(), number, &mut raw) };
        let some = |bytes| (bytes > 0).then_some(bytes);
        (status == sys::PLUSS_OK).then(|| Capacities {
            max_bytes: raw.max_bytes,
            core_bytes: some(raw.core_bytes),
            share_bytes: some(raw.share_bytes),
        })
    }

    /// Curves by a model that scales (the option `model`; scale-overlap), from locality profiles
    /// with 2 and 4 threads (the option `sharing` of simulations), for the threads and caches of
    /// the options.
    pub fn scale(&self, options: &[(&str, &str)]) -> Result<Curves> {
        // SAFETY: the result is alive and only read; what is given is ours.
        ask(options, |ctx, options, out| unsafe {
            sys::pluss_result_scale(ctx, self.owner.raw(), options, out)
        })
        .map(|(handle, notes)| Curves::new(handle, notes))
    }

    /// A report on the whole (docs/report.md): regions, worst first, with misses by level,
    /// references, why, and what to try; `"html"` is a page. For so many of the regions changes
    /// are looked for among the nests of the files.
    pub fn overview(&self, title: &str, files: &[&File], advised: u32) -> Result<Report> {
        let title = c_string(title)?;
        let nests: Vec<_> = files.iter().map(|file| file.raw()).collect();
        let mut options = blank!(pluss_overview_options);
        (options.title, options.sources) = (title.as_ptr(), 1);
        (options.nests, options.n_nests) = (nests.as_ptr(), nests.len());
        options.advised = advised;
        let raw = self.owner.raw();
        // SAFETY: the result, the nests and the options are alive and only read.
        Report::make(|ctx, out| unsafe { sys::pluss_overview_report(ctx, raw, &options, out) })
    }

    /// All there is about a line of a source: misses of its references at each level, and why.
    pub fn report_line(&self, file: &str, line: u32) -> Result<Report> {
        let (file, raw) = (c_string(file)?, self.owner.raw());
        // SAFETY: the result and the text are alive and only read.
        Report::make(|ctx, out| unsafe {
            sys::pluss_line_report(ctx, raw, file.as_ptr(), line, out)
        })
    }

    /// A table for a person.
    pub fn to_table(&self) -> Result<String> {
        self.write("text")
    }

    /// Whole curves, one line a point.
    pub fn to_csv(&self) -> Result<String> {
        self.write("csv")
    }

    /// Whole curves, for [`Curves::from_json`] and for `pluss compare`.
    pub fn to_json(&self) -> Result<String> {
        self.write("json")
    }

    /// The profiles that the curves were made from, histograms of reuse distances or intervals by
    /// reference, where the request kept them; for [`Curves::from_json`] and `pluss compare`.
    pub fn profiles_to_json(&self) -> Result<String> {
        let raw = self.owner.raw();
        // SAFETY: the result is alive and only read; what is given is ours.
        Report::make(|ctx, out| unsafe { sys::pluss_profile_report(ctx, raw, out) })?.to_json()
    }

    /// Reads what [`Curves::to_json`], [`Curves::profiles_to_json`] or the command `pluss` wrote.
    pub fn from_json(json: &str) -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: the text has that many bytes and need not end in NUL; NULL: no file name; what
        // is given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_result_read(ctx, json.as_ptr().cast(), json.len(), ptr::null(), out)
        })?;
        let notes = context.diagnostics();
        Ok(Self::new(Handle::new(raw, context), notes))
    }
}

impl fmt::Debug for Curves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// Iterator over [`Curves`].
pub struct Iter {
    curves: Curves,
    next: usize,
}

impl Iterator for Iter {
    type Item = Curve;

    fn next(&mut self) -> Option<Curve> {
        let curve = self.curves.get(self.next)?;
        self.next += 1;
        Some(curve)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.curves.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter {}

impl IntoIterator for &Curves {
    type Item = Curve;
    type IntoIter = Iter;
    fn into_iter(self) -> Iter {
        self.iter()
    }
}

impl IntoIterator for Curves {
    type Item = Curve;
    type IntoIter = Iter;
    fn into_iter(self) -> Iter {
        Iter { curves: self, next: 0 }
    }
}

impl Curve {
    pub(crate) fn raw(&self) -> *const sys::pluss_curve {
        // SAFETY: the result is alive and only read, and the number is below its count.
        unsafe { sys::pluss_result_get(self.owner.raw(), self.number) }
    }

    fn info(&self) -> sys::pluss_curve_info {
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut info: sys::pluss_curve_info = unsafe { std::mem::zeroed() };
        info.size = size_of::<sys::pluss_curve_info>();
        // SAFETY: the curve is alive and only read; `info` has its size set.
        let status = unsafe { sys::pluss_curve_get_info(self.raw(), &mut info) };
        assert_eq!(status, sys::PLUSS_OK, "a curve's info");
        info
    }

    /// The region's name; `"a+b"` for a program of several.
    pub fn region(&self) -> &str {
        // SAFETY: lives, unchanged, as long as the result ("Owner"), which `self` keeps alive.
        unsafe { text(self.info().region) }
    }

    /// Source file of the region.
    pub fn file(&self) -> Option<&str> {
        // SAFETY: as in `region`.
        unsafe { maybe_text(self.info().file) }
    }

    /// Number of threads.
    pub fn team(&self) -> u32 {
        self.info().team
    }

    /// Exact, not predicted.
    pub fn is_simulated(&self) -> bool {
        self.info().simulated != 0
    }

    /// The model's name, or the interleaving's.
    pub fn engine(&self) -> &str {
        // SAFETY: as in `region`.
        unsafe { text(self.info().engine) }
    }

    /// The law of thread progress: its name and who chose it, `("rates", "option")`; `None` where a
    /// report of before does not tell.
    pub fn progress(&self) -> Option<(&str, &str)> {
        let info = self.info();
        // SAFETY: as in `region`.
        unsafe { Some((maybe_text(info.progress)?, text(info.progress_from))) }
    }

    /// The numbers of the law, by name: `("sigma", 0.03)`.
    pub fn progress_numbers(&self) -> Vec<(&str, f64)> {
        let info = self.info();
        // SAFETY: as in `region`; there are that many.
        let numbers = unsafe { lent(info.progress_numbers, info.n_progress_numbers) };
        // SAFETY: as in `region`.
        numbers.iter().map(|n| (unsafe { text(n.name) }, n.value)).collect()
    }

    /// Bytes of a line.
    pub fn line_bytes(&self) -> u32 {
        self.info().line_bytes
    }

    /// Distinct lines.
    pub fn footprint_lines(&self) -> u64 {
        self.info().footprint_lines
    }

    /// All accesses.
    pub fn accesses(&self) -> f64 {
        self.info().accesses
    }

    /// Constructs that are missing from the curve.
    pub fn unknowns(&self) -> u32 {
        self.info().unknowns
    }

    /// Values of the symbols.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = (&str, i64)> {
        let info = self.info();
        // SAFETY: so many bindings, with their names, live as long as the result ("Owner"), which
        // `self` keeps alive.
        let bindings = unsafe { lent(info.bindings, info.n_bindings) };
        // SAFETY: as above.
        bindings.iter().map(|b| (unsafe { text(b.name) }, b.value))
    }

    /// Sizes of the points in lines, ascending from 0.
    pub fn sizes_lines(&self) -> &[f64] {
        let info = self.info();
        // SAFETY: so many numbers live, unchanged, as long as the result, which `self` keeps alive.
        unsafe { lent(info.size_lines, info.n_points) }
    }

    /// Miss ratios of the points, not rising from 1.
    pub fn miss_ratios(&self) -> &[f64] {
        let info = self.info();
        // SAFETY: as in `sizes_lines`.
        unsafe { lent(info.miss, info.n_points) }
    }

    /// The points, by ascending size.
    pub fn points(&self) -> impl ExactSizeIterator<Item = Point> + '_ {
        self.sizes_lines()
            .iter()
            .zip(self.miss_ratios())
            .map(|(&size_lines, &miss_ratio)| Point { size_lines, miss_ratio })
    }

    /// Standard error of the miss ratio, the mean over all sizes, where the model sampled.
    pub fn mean_error(&self) -> Option<f64> {
        let info = self.info();
        (info.n_error_points > 0).then_some(info.mean_error)
    }

    /// Standard errors of the miss ratio, by ascending size; none where the model did not sample.
    pub fn errors(&self) -> impl ExactSizeIterator<Item = Point> + '_ {
        let info = self.info();
        // SAFETY: as in `sizes_lines`.
        let sizes = unsafe { lent(info.error_size_lines, info.n_error_points) };
        // SAFETY: as in `sizes_lines`.
        let errors = unsafe { lent(info.error, info.n_error_points) };
        sizes.iter().zip(errors).map(|(&size_lines, &miss_ratio)| Point { size_lines, miss_ratio })
    }

    /// How much a single run's miss ratio differs from the curve's, a mean over runs: standard
    /// deviations at the sizes of [`errors`](Self::errors), without what sampling leaves. Told with
    /// rates, and with uniform progress where [`Predict::spread`](crate::Predict::spread) asks for
    /// it; else none.
    pub fn spread(&self) -> impl ExactSizeIterator<Item = Point> + '_ {
        let info = self.info();
        let n = if info.spread.is_null() { 0 } else { info.n_error_points };
        // SAFETY: as in `sizes_lines`.
        let sizes = unsafe { lent(info.error_size_lines, n) };
        // SAFETY: as in `sizes_lines`.
        let spread = unsafe { lent(info.spread, n) };
        sizes.iter().zip(spread).map(|(&size_lines, &miss_ratio)| Point { size_lines, miss_ratio })
    }

    /// The miss ratio of a cache of this many bytes; only whole lines count.
    pub fn miss_ratio(&self, cache_bytes: u64) -> f64 {
        // SAFETY: the curve is alive and only read.
        unsafe { sys::pluss_curve_at(self.raw(), cache_bytes) }
    }

    /// How this curve differs from another of the same line size.
    pub fn compare(&self, other: &Curve, grid: Grid) -> Result<Difference> {
        let context = Context::new(None)?;
        let (grid, mut raw) = (grid.raw(), no_difference());
        // SAFETY: both curves are alive and only read; `raw` has its size set.
        let status = unsafe {
            sys::pluss_curve_compare(context.raw(), self.raw(), other.raw(), grid, &mut raw)
        };
        context.check(status)?;
        Ok(Difference::new(&raw))
    }
}

fn no_difference() -> sys::pluss_difference {
    // SAFETY: all-zero is a value of this struct of numbers.
    let raw: sys::pluss_difference = unsafe { std::mem::zeroed() };
    sys::pluss_difference { size: size_of::<sys::pluss_difference>(), ..raw }
}

impl Difference {
    fn new(raw: &sys::pluss_difference) -> Self {
        Self {
            mean_abs: raw.mean_abs,
            max_abs: raw.max_abs,
            mean_signed: raw.mean_signed,
            max_at_lines: raw.max_at_lines,
            first_lines: raw.first_lines,
            last_lines: raw.last_lines,
            sizes: raw.n,
        }
    }
}

impl Grid {
    fn raw(self) -> sys::pluss_grid {
        match self {
            Grid::Strict => sys::PLUSS_GRID_STRICT,
            Grid::Paper => sys::PLUSS_GRID_PAPER,
        }
    }
}

/// A level of two results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelDifference {
    /// The region's name.
    pub region: String,
    /// "L1"
    pub name: String,
    /// Threads.
    pub threads: u32,
    /// That share a cache.
    pub threads_per_cache: u32,
    /// Misses of the first.
    pub misses: f64,
    /// Misses of the second.
    pub other_misses: f64,
    /// Misses / accesses of the first less those of the second.
    pub difference: f64,
    /// Its standard error; `None`: both are exact.
    pub error: Option<f64>,
}

/// What is the most of a [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Greatest {
    /// Pairs of curves.
    pub pairs: usize,
    /// Mean of the pairs' mean absolute differences.
    pub mean_abs: f64,
    /// The greatest of them.
    pub greatest_mean_abs: f64,
    /// Pairs of levels.
    pub levels: usize,
    /// The greatest absolute difference of their miss ratios.
    pub greatest_of_levels: f64,
}

/// How curves differ from others, pair by pair: [`Curves::compare`].
pub struct Comparison {
    owner: Handle<sys::pluss_comparison>,
    notes: Vec<Diagnostic>,
}

impl Comparison {
    /// The numbers of the two curves in what was compared, and how they differ.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, Difference)> + '_ {
        (0..).map_while(|i| {
            let mut raw = no_difference();
            // SAFETY: the comparison is alive and only read; `raw` has its size set.
            let status = unsafe { sys::pluss_comparison_get(self.owner.raw(), i, &mut raw) };
            (status == sys::PLUSS_OK).then(|| (raw.a, raw.b, Difference::new(&raw)))
        })
    }

    /// Of all pairs.
    pub fn greatest(&self) -> Greatest {
        let mut raw = blank!(pluss_comparison_info);
        // SAFETY: the comparison is alive and only read; `raw` has its size set.
        let status = unsafe { sys::pluss_comparison_get_info(self.owner.raw(), &mut raw) };
        assert_eq!(status, sys::PLUSS_OK, "a comparison's info");
        Greatest {
            pairs: raw.n,
            mean_abs: raw.mean_abs,
            greatest_mean_abs: raw.greatest_mean_abs,
            levels: raw.n_levels,
            greatest_of_levels: raw.greatest_of_levels,
        }
    }

    /// The levels that both have.
    pub fn levels(&self) -> impl Iterator<Item = LevelDifference> + '_ {
        (0..).map_while(|i| {
            let mut raw = blank!(pluss_level_difference);
            // SAFETY: the comparison is alive and only read; `raw` has its size set; the strings
            // live as long as the comparison, and are copied.
            unsafe {
                if sys::pluss_comparison_get_level(self.owner.raw(), i, &mut raw) != sys::PLUSS_OK {
                    return None;
                }
                Some(LevelDifference {
                    region: text(raw.region).to_owned(),
                    name: text(raw.name).to_owned(),
                    threads: raw.threads,
                    threads_per_cache: raw.threads_per_cache,
                    misses: raw.a_misses,
                    other_misses: raw.b_misses,
                    difference: raw.difference,
                    error: (raw.error >= 0.0).then_some(raw.error),
                })
            }
        })
    }

    /// From the first, the old one, to the second: misses of each level, and the references that
    /// changed most.
    pub fn changes(&self) -> Result<Report> {
        let raw = self.owner.raw();
        // SAFETY: the comparison is alive and only read.
        Report::make(|ctx, out| unsafe { sys::pluss_comparison_report_changes(ctx, raw, out) })
    }

    /// Warnings: the curves that stand against none.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.notes
    }

    fn write(&self, format: &str) -> Result<String> {
        let raw = self.owner.raw();
        // SAFETY: the comparison is alive and only read; what is given is ours.
        Report::make(|ctx, out| unsafe { sys::pluss_comparison_report(ctx, raw, out) })?
            .to_format(format)
    }

    /// A table for a person.
    pub fn to_table(&self) -> Result<String> {
        self.write("text")
    }

    /// As `pluss compare --json`.
    pub fn to_json(&self) -> Result<String> {
        self.write("json")
    }
}

/// # Safety
/// `n` values at `at` that live, unchanged, for `'a`; `at` may be NULL where `n` is 0.
pub(crate) unsafe fn lent<'a, T>(at: *const T, n: usize) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at, n) }
}

impl fmt::Debug for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curve")
            .field("region", &self.region())
            .field("team", &self.team())
            .field("engine", &self.engine())
            .field("footprint_lines", &self.footprint_lines())
            .field("points", &self.sizes_lines().len())
            .finish_non_exhaustive()
    }
}

/// With all of its points.
#[cfg(feature = "serde")]
impl serde::Serialize for Curve {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = to.serialize_struct("Curve", 9)?;
        out.serialize_field("region", self.region())?;
        out.serialize_field("team", &self.team())?;
        out.serialize_field("simulated", &self.is_simulated())?;
        out.serialize_field("engine", self.engine())?;
        out.serialize_field("line_bytes", &self.line_bytes())?;
        out.serialize_field("footprint_lines", &self.footprint_lines())?;
        out.serialize_field("accesses", &self.accesses())?;
        out.serialize_field("size_lines", self.sizes_lines())?;
        out.serialize_field("miss", self.miss_ratios())?;
        out.end()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Curves {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_seq(self)
    }
}
