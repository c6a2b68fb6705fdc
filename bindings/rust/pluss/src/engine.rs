// SPDX-License-Identifier: GPL-3.0-or-later
//! The engines, and what can be asked of them.

use std::ffi::CStr;
use std::mem::size_of;
use std::ops::{ControlFlow, Range};
use std::ptr;
use std::str::FromStr;

use pluss_sys as sys;

use crate::calibration::MachineFile;
use crate::context::{blank, c_string, maybe_text, text, Ask, Context, Handle};
use crate::curve::Curves;
use crate::error::{Diagnostic, Error, Result};
use crate::intervals::PrivateIntervals;
use crate::nest::Nest;
use crate::record::Timelines;

/// A schedule put in place of what the nest says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleKind {
    /// Dealt out in turn.
    Static,
    /// To whoever asks.
    Dynamic,
    /// To whoever asks, ever smaller shares.
    Guided,
}

/// How far the threads have come when: a law with its numbers.
///
/// From its text, as `pluss predict --help` lists the laws, or by a function each. The engines
/// check the numbers.
///
/// ```
/// use pluss::Progress;
/// assert_eq!("rates:0.03:500:1".parse(), Ok(Progress::rates(0.03).with_skew(500.0, 1.0)));
/// assert!("lately".parse::<Progress>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    law: &'static CStr,
    accesses: f64,
    cores: u32,
    sigma: f64,
    skew: f64,
    spread: f64,
    wake: f64,
    access: f64,
}

/// Uniform.
impl Default for Progress {
    fn default() -> Self {
        Self::of(c"uniform")
    }
}

impl Progress {
    fn of(law: &'static CStr) -> Self {
        Self {
            law,
            accesses: 0.0,
            cores: 0,
            sigma: 0.0,
            skew: 0.0,
            spread: 0.0,
            wake: 0.0,
            access: 0.0,
        }
    }

    /// Each thread at a rate of its own, log-normal with this sigma, from 0 to 10.
    pub fn rates(sigma: f64) -> Self {
        Self { sigma, ..Self::of(c"rates") }
    }

    /// All threads but one, any, start late after a barrier, by a log-normal time of this median,
    /// in accesses, and standard deviation of the logarithm, from 0 to 10. Of
    /// [`rates`](Self::rates) alone; "rates" as text has both as on real machines: the curve is
    /// then a mean over runs; see [`Curve::spread`](crate::Curve::spread).
    pub fn with_skew(self, median: f64, spread: f64) -> Self {
        Self { skew: median, spread, ..self }
    }

    /// Any thread, a geometric number of accesses of this mean, at least 1, at once.
    pub fn burst(mean: f64) -> Self {
        Self { accesses: mean, ..Self::of(c"burst") }
    }

    /// One access each in turn.
    pub fn round_robin() -> Self {
        Self::of(c"round-robin")
    }

    /// Each thread anywhere in its phase: the bound opposite to round robin; predicted only.
    pub fn mixed() -> Self {
        Self::of(c"mixed")
    }

    /// One thread's phase after another's; simulated only.
    pub fn sequential() -> Self {
        Self::of(c"sequential")
    }

    /// More threads than cores, which run one after another for this many accesses each.
    pub fn slices(accesses: f64, cores: u32) -> Self {
        Self { accesses, cores, ..Self::of(c"slices") }
    }

    /// Rayon's threads on so many cores (0: one for each), which sleep when a loop begins, are awake
    /// these nanoseconds after they are woken (median), and take others for an access; simulated only.
    pub fn pool(wake: f64, access: f64, cores: u32) -> Self {
        Self { wake, access, cores, ..Self::of(c"pool") }
    }

    fn raw(&self) -> sys::pluss_progress {
        sys::pluss_progress {
            size: size_of::<sys::pluss_progress>(),
            law: self.law.as_ptr(),
            accesses: self.accesses,
            cores: self.cores,
            sigma: self.sigma,
            skew: self.skew,
            skew_spread: self.spread,
            rates: ptr::null(),
            n_rates: 0,
            stall_rate: 0.0,
            stall: 0.0,
            loops: ptr::null(),
            n_loops: 0,
            timelines: ptr::null(),
            origin: ptr::null(),
            by_default: 0,
            wake: self.wake,
            access: self.access,
        }
    }
}

impl FromStr for Progress {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self> {
        let (s, context) = (c_string(s)?, Context::new(None)?);
        let mut raw = Self::default().raw();
        // SAFETY: the context and the text are alive; `raw` has its size set.
        let status = unsafe { sys::pluss_progress_parse(context.raw(), s.as_ptr(), &mut raw) };
        context.check(status)?;
        Ok(Self {
            // SAFETY: names of laws are static.
            law: unsafe { CStr::from_ptr(raw.law) },
            accesses: raw.accesses,
            cores: raw.cores,
            sigma: raw.sigma,
            skew: raw.skew,
            spread: raw.skew_spread,
            wake: raw.wake,
            access: raw.access,
        })
    }
}

/// Iterations of a parallel loop that one thread executed in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The loop's number, as [`Nest::loops`] counts.
    pub loop_number: u32,
    /// The thread's number in its team.
    pub thread: u32,
    /// Which execution of the loop this was, from 0, over the whole program.
    pub time: u64,
    /// Numbered from 0 in the order of the sequential loop.
    pub iterations: Range<u64>,
}

impl Chunk {
    /// The pieces of watched runs of one loop, its executions in this order; each thread's in the
    /// order in which they began. Empty unless the watch was
    /// [recording](pluss_rayon::Watch::recording).
    #[cfg(feature = "rayon")]
    pub fn of_runs<'r>(
        loop_number: u32,
        runs: impl IntoIterator<Item = &'r pluss_rayon::Run>,
    ) -> Vec<Self> {
        let mut chunks = Vec::new();
        for (time, run) in runs.into_iter().enumerate() {
            let mut pieces = run.pieces.clone();
            pieces.sort_unstable_by_key(|piece| piece.began);
            chunks.extend(pieces.into_iter().map(|piece| Self {
                loop_number,
                thread: piece.thread.unwrap_or(0) as u32,
                time: time as u64,
                iterations: piece.first as u64..(piece.first + piece.len) as u64,
            }));
        }
        chunks
    }

    pub(crate) fn of(raw: &sys::pluss_chunk) -> Self {
        Self {
            loop_number: raw.r#loop,
            thread: raw.thread,
            time: raw.time,
            iterations: raw.lo..raw.hi,
        }
    }

    fn raw(&self) -> sys::pluss_chunk {
        sys::pluss_chunk {
            r#loop: self.loop_number,
            thread: self.thread,
            time: self.time,
            lo: self.iterations.start,
            hi: self.iterations.end,
        }
    }
}

/// A model: its name, and one line about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// For [`Predict::model`].
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
}

impl Model {
    /// The models there are, the default first.
    pub fn all() -> impl Iterator<Item = Model> {
        (0..).map_while(|i| {
            let mut raw = sys::pluss_model_info {
                size: size_of::<sys::pluss_model_info>(),
                name: ptr::null(),
                summary: ptr::null(),
                scales: 0,
            };
            // SAFETY: `raw` has its size set; the strings are static.
            unsafe {
                if sys::pluss_model_get(i, &mut raw) != sys::PLUSS_OK {
                    return None;
                }
                Some(Model { name: text(raw.name), summary: text(raw.summary) })
            }
        })
    }
}

/// What all engines are asked: texts of options, in the order in which they are set, and what is no
/// text.
struct Common<'n> {
    nest: &'n Nest,
    texts: Vec<(String, String)>,
    threads: Vec<u32>,
    chunks: Vec<sys::pluss_chunk>,
    caches: Vec<sys::pluss_cache>,
    progress: Option<Progress>,
    timelines: Option<&'n Timelines>,
    levels: Option<&'n MachineFile>,
    ways: Vec<&'n MachineFile>,
    ask: Option<Box<Ask<'n>>>,
}

impl<'n> Common<'n> {
    fn new(nest: &'n Nest) -> Self {
        Self {
            nest,
            texts: Vec::new(),
            threads: Vec::new(),
            chunks: Vec::new(),
            caches: Vec::new(),
            progress: None,
            timelines: None,
            levels: None,
            ways: Vec::new(),
            ask: None,
        }
    }

    fn set(&mut self, name: &str, text: impl ToString) {
        self.texts.push((name.to_owned(), text.to_string()));
    }

    /// Calls an engine with the options; what it makes, and the context, disarmed.
    fn call<T>(
        self,
        engine: unsafe extern "C" fn(
            *mut sys::pluss_context,
            *const sys::pluss_nest,
            *const sys::pluss_options,
            *mut *mut T,
        ) -> sys::pluss_status,
    ) -> Result<(ptr::NonNull<T>, Context<'static>)> {
        let context = Context::new(self.ask)?;
        let options = Options::new(&context)?;
        for (name, text) in &self.texts {
            options.set(name, text)?;
        }
        // SAFETY: the options and the arrays, with their lengths, are alive, and what is given is
        // copied ("owns what it is given").
        unsafe {
            let (ctx, raw) = (context.raw(), options.raw.as_ptr());
            if !self.threads.is_empty() {
                let (list, n) = (self.threads.as_ptr(), self.threads.len());
                context.check(sys::pluss_options_set_threads(ctx, raw, list, n))?;
            }
            if !self.chunks.is_empty() {
                let (list, n) = (self.chunks.as_ptr(), self.chunks.len());
                context.check(sys::pluss_options_set_chunks(ctx, raw, list, n))?;
            }
            if !self.caches.is_empty() {
                let (list, n) = (self.caches.as_ptr(), self.caches.len());
                context.check(sys::pluss_options_set_caches(ctx, raw, list, n))?;
            }
            if let Some(progress) = self.progress {
                context.check(sys::pluss_options_set_progress(ctx, raw, &progress.raw()))?;
            }
            if let Some(timelines) = self.timelines {
                let mut progress = Progress::of(c"recorded").raw();
                progress.timelines = timelines.raw();
                context.check(sys::pluss_options_set_progress(ctx, raw, &progress))?;
            }
            if let Some(levels) = self.levels {
                context.check(sys::pluss_options_set_levels(ctx, raw, levels.raw()))?;
            }
            for ways in self.ways {
                context.check(sys::pluss_options_add_ways(ctx, raw, ways.raw()))?;
            }
        }
        // SAFETY: the options are alive and only read, so is the nest ("Threads": with a context of
        // this call's own); what is given is ours.
        let call = |ctx, out| unsafe { engine(ctx, self.nest.raw(), options.raw.as_ptr(), out) };
        let made = context.make(call)?;
        drop(options);
        Ok((made, context.disarm()))
    }
}

/// A call with options by name and text; what it makes, and what it said.
pub(crate) fn ask<T: crate::context::Free>(
    options: &[(&str, &str)],
    call: impl FnOnce(
        *mut sys::pluss_context,
        *const sys::pluss_options,
        *mut *mut T,
    ) -> sys::pluss_status,
) -> Result<(Handle<T>, Vec<Diagnostic>)> {
    let context = Context::new(None)?;
    let set = Options::new(&context)?;
    for (name, text) in options {
        set.set(name, text)?;
    }
    let raw = context.make(|ctx, out| call(ctx, set.raw.as_ptr(), out))?;
    drop(set);
    let notes = context.diagnostics();
    Ok((Handle::new(raw, context), notes))
}

/// An option of requests, as [`Predict::set`] takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// "threads"
    pub name: &'static str,
    /// Of its text; `None`: a flag, "0" or "1".
    pub syntax: Option<&'static str>,
    /// One line.
    pub summary: &'static str,
    /// Texts add up, else the last one counts.
    pub adds: bool,
}

impl OptionInfo {
    /// Those there are.
    pub fn all() -> Vec<Self> {
        let get = |i| {
            let mut raw = blank!(pluss_option_info);
            // SAFETY: `raw` has its size set; the strings are static.
            unsafe {
                (sys::pluss_option_get(i, &mut raw) == sys::PLUSS_OK).then(|| Self {
                    name: text(raw.name),
                    syntax: maybe_text(raw.syntax),
                    summary: text(raw.summary),
                    adds: raw.adds != 0,
                })
            }
        };
        (0..).map_while(get).collect()
    }
}

/// A law of thread progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LawInfo {
    /// "burst"
    pub name: &'static str,
    /// As text has it: "burst:MEAN".
    pub syntax: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The model clock can follow it.
    pub predicted: bool,
    /// Simulations can.
    pub simulated: bool,
}

impl LawInfo {
    /// Those there are, "uniform" first.
    pub fn all() -> Vec<Self> {
        let get = |i| {
            let mut raw = blank!(pluss_progress_info);
            // SAFETY: `raw` has its size set; the strings are static.
            unsafe {
                (sys::pluss_progress_get(i, &mut raw) == sys::PLUSS_OK).then(|| Self {
                    name: text(raw.name),
                    syntax: text(raw.syntax),
                    summary: text(raw.summary),
                    predicted: raw.predicted != 0,
                    simulated: raw.simulated != 0,
                })
            }
        };
        (0..).map_while(get).collect()
    }
}

/// Owns a `pluss_options` of a context.
pub(crate) struct Options<'c, 'p> {
    pub(crate) raw: ptr::NonNull<sys::pluss_options>,
    context: &'c Context<'p>,
}

impl<'c, 'p> Options<'c, 'p> {
    pub(crate) fn new(context: &'c Context<'p>) -> Result<Self> {
        // SAFETY: the context is alive; the options are ours.
        let raw = context.make(|ctx, out| unsafe { sys::pluss_options_new(ctx, out) })?;
        Ok(Self { raw, context })
    }

    pub(crate) fn set(&self, name: &str, text: &str) -> Result<()> {
        let (name, text) = (c_string(name)?, c_string(text)?);
        // SAFETY: the context, the options and the texts, which are copied, are alive.
        let status = unsafe {
            sys::pluss_options_set(
                self.context.raw(),
                self.raw.as_ptr(),
                name.as_ptr(),
                text.as_ptr(),
            )
        };
        self.context.check(status)
    }
}

impl Drop for Options<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: ours, and its context is alive.
        unsafe { sys::pluss_options_free(self.raw.as_ptr()) }
    }
}

macro_rules! common {
    ($($request:ident),*) => {$(
        impl<'n> $request<'n> {
            /// Numbers of threads; 1 where none is given.
            pub fn threads(mut self, threads: impl IntoIterator<Item = u32>) -> Self {
                self.common.threads.extend(threads);
                self
            }

            /// Any option by its name and text, as the command and `pluss_options_set` take it:
            /// `set("schedule", "static,4")`. What is wrong is told by `run`.
            pub fn set(mut self, name: &str, text: impl ToString) -> Self {
                self.common.set(name, text);
                self
            }

            /// A symbol's value; `"region.symbol"` where a name is not enough.
            pub fn bind(mut self, symbol: impl Into<String>, value: i64) -> Self {
                self.common.set("define", format!("{}={value}", symbol.into()));
                self
            }

            /// Bytes of a cache line, a power of two; 64 unless told.
            pub fn line_bytes(mut self, bytes: u32) -> Self {
                self.common.set("line", bytes);
                self
            }

            /// Of what is drawn at random; below 2^63.
            pub fn seed(mut self, seed: u64) -> Self {
                self.common.set("seed", seed);
                self
            }

            /// Puts a schedule in place of those written; chunk 0: none given.
            pub fn schedule(mut self, kind: ScheduleKind, chunk: u32) -> Self {
                let name = match kind {
                    ScheduleKind::Static => "static",
                    ScheduleKind::Dynamic => "dynamic",
                    ScheduleKind::Guided => "guided",
                };
                let text = if chunk == 0 { name.to_owned() } else { format!("{name},{chunk}") };
                self.common.set("schedule", text);
                self
            }

            /// Replays who executed what, in place of the schedules of the loops that this is
            /// about: of each thread and execution in the order of their execution, every iteration
            /// once. A loop that is executed more often than that begins again with the first.
            pub fn recorded(mut self, chunks: impl IntoIterator<Item = Chunk>) -> Self {
                self.common.chunks.extend(chunks.into_iter().map(|chunk| chunk.raw()));
                self
            }

            /// The levels of a machine's caches, beside the curves.
            pub fn levels(mut self, of: &'n MachineFile) -> Self {
                self.common.levels = Some(of);
                self
            }

            /// Levels whose ways are not told take those of this machine's level of the same name;
            /// of several machines, of the first that has it.
            pub fn ways(mut self, of: &'n MachineFile) -> Self {
                self.common.ways.push(of);
                self
            }

            /// Threads progress as they did in recorded runs of this nest.
            pub fn timelines(mut self, of: &'n Timelines) -> Self {
                self.common.timelines = Some(of);
                self
            }

            /// Called now and then with the stage's name, the share of it that is done (negative:
            /// not known) and the steps done; `Break` ends the call with
            /// [`Status::Cancelled`](crate::Status::Cancelled). A panic goes on after the call.
            pub fn ask(
                mut self,
                ask: impl FnMut(&str, f64, u64) -> ControlFlow<()> + 'n,
            ) -> Self {
                self.common.ask = Some(Box::new(ask));
                self
            }
        }
    )*};
}
common!(Predict, Simulate, Private);

/// A prediction to be made; [`Predict::run`] makes it.
#[must_use = "nothing happens until run()"]
pub struct Predict<'n> {
    common: Common<'n>,
}

impl<'n> Predict<'n> {
    pub(crate) fn new(nest: &'n Nest) -> Self {
        Self { common: Common::new(nest) }
    }

    /// Its name; see [`Model::all`].
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.common.set("model", name.into());
        self
    }

    /// Threads at which models that extrapolate collect private reuse intervals.
    pub fn collect_threads(mut self, threads: u32) -> Self {
        self.common.set("collect", threads);
        self
    }

    /// Mean standard error, a miss ratio, at which models that sample stop sampling.
    pub fn error_target(mut self, error: f64) -> Self {
        self.common.set("error", error);
        self
    }

    /// Elementary steps, of about ten nanoseconds, at least 1, that one curve may take. What needs more is walked if that takes fewer, else refused.
    pub fn effort(mut self, steps: u64) -> Self {
        self.common.set("effort", steps);
        self
    }

    /// Threads that the library works with, at most; by default as many as processors may be used. Results do not depend on it.
    pub fn workers(mut self, threads: u32) -> Self {
        self.common.set("workers", threads);
        self
    }

    /// Sizes in bytes at which the answer matters; the whole curve is given in any case.
    pub fn caches(mut self, bytes: impl IntoIterator<Item = u64>) -> Self {
        self.common.caches.extend(bytes.into_iter().map(|bytes| sys::pluss_cache {
            bytes,
            label: ptr::null(),
            threads: 0,
        }));
        self
    }

    /// How threads progress; other than uniformly by the model clock alone.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.common.progress = Some(progress);
        self
    }

    /// The curves tell why they fall where they do ([`Curve::knees`](crate::Curve::knees)); by the
    /// model clock alone.
    pub fn explain(mut self) -> Self {
        self.common.set("explain", 1);
        self
    }

    /// The curves tell how far single runs are from their mean
    /// ([`Curve::spread`](crate::Curve::spread)), with uniform progress too; by the model clock, in
    /// some ten times the time. A diagnostic says where it is not told.
    pub fn spread(mut self) -> Self {
        self.common.set("spread", 1);
        self
    }

    /// The profiles that curves are made from are kept
    /// ([`Curves::profiles_to_json`](crate::Curves::profiles_to_json)).
    pub fn profiles(mut self) -> Self {
        self.common.set("profiles", 1);
        self
    }

    /// One curve a number of threads, in their order.
    pub fn run(self) -> Result<Curves> {
        let (raw, context) = self.common.call(sys::pluss_predict)?;
        let notes = context.diagnostics();
        Ok(Curves::new(Handle::new(raw, context), notes))
    }
}

/// A simulation to be made; [`Simulate::run`] makes it.
#[must_use = "nothing happens until run()"]
pub struct Simulate<'n> {
    common: Common<'n>,
}

impl<'n> Simulate<'n> {
    pub(crate) fn new(nest: &'n Nest) -> Self {
        Self { common: Common::new(nest) }
    }

    /// The profiles that curves are made from are kept
    /// ([`Curves::profiles_to_json`](crate::Curves::profiles_to_json)).
    pub fn profiles(mut self) -> Self {
        self.common.set("profiles", 1);
        self
    }

    /// How threads progress, and so the order in which their accesses are merged.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.common.progress = Some(progress);
        self
    }

    /// One curve a number of threads, in their order. O(accesses log footprint).
    pub fn run(self) -> Result<Curves> {
        let (raw, context) = self.common.call(sys::pluss_simulate)?;
        let notes = context.diagnostics();
        Ok(Curves::new(Handle::new(raw, context), notes))
    }
}

/// Private reuse intervals to be collected, at the first number of threads;
/// [`Private::run`] collects them.
#[must_use = "nothing happens until run()"]
pub struct Private<'n> {
    common: Common<'n>,
}

impl<'n> Private<'n> {
    pub(crate) fn new(nest: &'n Nest) -> Self {
        Self { common: Common::new(nest) }
    }

    /// One histogram a reference.
    pub fn run(self) -> Result<PrivateIntervals> {
        let (raw, context) = self.common.call(sys::pluss_pri_collect)?;
        Ok(PrivateIntervals::new(Handle::new(raw, context)))
    }
}
