// SPDX-License-Identifier: GPL-3.0-or-later
//! The engines, and what can be asked of them.

use std::ffi::{CStr, CString};
use std::mem::size_of;
use std::ops::{ControlFlow, Range};
use std::ptr;
use std::str::FromStr;

use pluss_sys as sys;

use crate::context::{c_string, text, Ask, Context, Handle};
use crate::curve::Curves;
use crate::error::{Error, Result};
use crate::intervals::PrivateIntervals;
use crate::nest::Nest;

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
}

/// Uniform.
impl Default for Progress {
    fn default() -> Self {
        Self::of(c"uniform")
    }
}

impl Progress {
    fn of(law: &'static CStr) -> Self {
        Self { law, accesses: 0.0, cores: 0, sigma: 0.0, skew: 0.0, spread: 0.0 }
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

    /// More threads than cores, which run in turns of so many accesses.
    pub fn slices(accesses: f64, cores: u32) -> Self {
        Self { accesses, cores, ..Self::of(c"slices") }
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

/// What all engines are asked.
struct Common<'n> {
    nest: &'n Nest,
    threads: Vec<u32>,
    bindings: Vec<(String, i64)>,
    line_bytes: u32,
    seed: u64,
    schedule: Option<(ScheduleKind, i64)>,
    chunks: Vec<sys::pluss_chunk>,
    profiles: bool,
    progress: Progress,
    ask: Option<Box<Ask<'n>>>,
}

impl<'n> Common<'n> {
    fn new(nest: &'n Nest) -> Self {
        Self {
            nest,
            threads: Vec::new(),
            bindings: Vec::new(),
            line_bytes: 0,
            seed: 0,
            schedule: None,
            chunks: Vec::new(),
            profiles: false,
            progress: Progress::default(),
            ask: None,
        }
    }

    /// Calls an engine with the options; what it makes, and the context, disarmed.
    fn call<T>(
        self,
        set: impl FnOnce(&mut sys::pluss_options),
        engine: unsafe extern "C" fn(
            *mut sys::pluss_context,
            *const sys::pluss_nest,
            *const sys::pluss_options,
            *mut *mut T,
        ) -> sys::pluss_status,
    ) -> Result<(ptr::NonNull<T>, Context<'static>)> {
        let names: Vec<CString> =
            self.bindings.iter().map(|(name, _)| c_string(name)).collect::<Result<_>>()?;
        let bindings: Vec<sys::pluss_binding> = names
            .iter()
            .zip(&self.bindings)
            .map(|(name, (_, value))| sys::pluss_binding { name: name.as_ptr(), value: *value })
            .collect();
        let (schedule, chunk) = match self.schedule {
            _ if !self.chunks.is_empty() => (sys::PLUSS_SCHEDULE_RECORDED, 0),
            None => (sys::PLUSS_SCHEDULE_AS_WRITTEN, 0),
            Some((ScheduleKind::Static, chunk)) => (sys::PLUSS_SCHEDULE_STATIC, chunk),
            Some((ScheduleKind::Dynamic, chunk)) => (sys::PLUSS_SCHEDULE_DYNAMIC, chunk),
            Some((ScheduleKind::Guided, chunk)) => (sys::PLUSS_SCHEDULE_GUIDED, chunk),
        };
        let progress = self.progress.raw();
        let mut options = sys::pluss_options {
            size: size_of::<sys::pluss_options>(),
            teams: self.threads.as_ptr(),
            n_teams: self.threads.len(),
            bindings: bindings.as_ptr(),
            n_bindings: bindings.len(),
            line_bytes: self.line_bytes,
            seed: self.seed,
            schedule,
            chunk,
            model: ptr::null(),
            collect_team: 0,
            error_target: 0.0,
            cache_bytes: ptr::null(),
            n_caches: 0,
            progress: &progress,
            chunks_done: self.chunks.as_ptr(),
            n_chunks_done: self.chunks.len(),
            explain: 0,
            threads_per_cache: ptr::null(),
            n_threads_per_cache: 0,
            effort: 0,
            spread: 0,
            profiles: self.profiles.into(),
        };
        set(&mut options);
        let context = Context::new(self.ask)?;
        // SAFETY: the options are whole, their size set, with so many teams and bindings, which
        // live for the call; the nest is alive and only read ("Threads": with a context of this
        // call's own); what is given is ours.
        let made =
            context.make(|ctx, out| unsafe { engine(ctx, self.nest.raw(), &options, out) })?;
        Ok((made, context.disarm()))
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

            /// A symbol's value; `"region.symbol"` where a name is not enough.
            pub fn bind(mut self, symbol: impl Into<String>, value: i64) -> Self {
                self.common.bindings.push((symbol.into(), value));
                self
            }

            /// Bytes of a cache line, a power of two; 64 unless told.
            pub fn line_bytes(mut self, bytes: u32) -> Self {
                self.common.line_bytes = bytes;
                self
            }

            /// Of what is drawn at random; below 2^63.
            pub fn seed(mut self, seed: u64) -> Self {
                self.common.seed = seed;
                self
            }

            /// Puts a schedule in place of those written; chunk 0: none given.
            pub fn schedule(mut self, kind: ScheduleKind, chunk: u32) -> Self {
                self.common.schedule = Some((kind, i64::from(chunk)));
                self
            }

            /// Replays who executed what, in place of the schedules of the loops that this is
            /// about: of each thread and execution in the order of their execution, every iteration
            /// once. A loop that is executed more often than that begins again with the first.
            pub fn recorded(mut self, chunks: impl IntoIterator<Item = Chunk>) -> Self {
                self.common.chunks.extend(chunks.into_iter().map(|chunk| chunk.raw()));
                self
            }

            /// Called now and then with the stage's name, the share of it that is done (negative:
            /// not known) and the steps done; `Break` ends the call with
            /// [`Status::Cancelled`](crate::Status::Cancelled). A panic goes on behind the call.
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
    model: Option<String>,
    collect_threads: u32,
    error_target: f64,
    effort: u64,
    caches: Vec<u64>,
    explain: bool,
    spread: bool,
}

impl<'n> Predict<'n> {
    pub(crate) fn new(nest: &'n Nest) -> Self {
        Self {
            common: Common::new(nest),
            model: None,
            collect_threads: 0,
            error_target: 0.0,
            effort: 0,
            caches: Vec::new(),
            explain: false,
            spread: false,
        }
    }

    /// Its name; see [`Model::all`].
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Threads at which models that extrapolate collect private reuse intervals.
    pub fn collect_threads(mut self, threads: u32) -> Self {
        self.collect_threads = threads;
        self
    }

    /// Mean standard error, a miss ratio, at which models that sample stop sampling.
    pub fn error_target(mut self, error: f64) -> Self {
        self.error_target = error;
        self
    }

    /// Elementary steps, of about ten nanoseconds, that one curve may take; 0: the library's own
    /// limit. What needs more is walked if that takes fewer, else refused.
    pub fn effort(mut self, steps: u64) -> Self {
        self.effort = steps;
        self
    }

    /// Sizes in bytes at which the answer matters; the whole curve is given in any case.
    pub fn caches(mut self, bytes: impl IntoIterator<Item = u64>) -> Self {
        self.caches.extend(bytes);
        self
    }

    /// How threads progress; other than uniformly by the model clock alone.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.common.progress = progress;
        self
    }

    /// The curves tell why they fall where they do ([`Curve::knees`](crate::Curve::knees)); by the
    /// model clock alone.
    pub fn explain(mut self) -> Self {
        self.explain = true;
        self
    }

    /// The curves tell how far single runs are from their mean
    /// ([`Curve::spread`](crate::Curve::spread)), with uniform progress too; by the model clock, in
    /// some ten times the time. A diagnostic says where it is not told.
    pub fn spread(mut self) -> Self {
        self.spread = true;
        self
    }

    /// The profiles that curves are made from are kept
    /// ([`Curves::profiles_to_json`](crate::Curves::profiles_to_json)).
    pub fn profiles(mut self) -> Self {
        self.common.profiles = true;
        self
    }

    /// One curve a number of threads, in their order.
    pub fn run(self) -> Result<Curves> {
        let model = self.model.as_deref().map(c_string).transpose()?;
        let (raw, context) = self.common.call(
            |options| {
                options.model = model.as_ref().map_or(ptr::null(), |model| model.as_ptr());
                options.collect_team = self.collect_threads;
                options.error_target = self.error_target;
                options.effort = self.effort;
                options.cache_bytes = self.caches.as_ptr();
                options.n_caches = self.caches.len();
                options.explain = self.explain.into();
                options.spread = self.spread.into();
            },
            sys::pluss_predict,
        )?;
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
        self.common.profiles = true;
        self
    }

    /// How threads progress, and so the order in which their accesses are merged.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.common.progress = progress;
        self
    }

    /// One curve a number of threads, in their order. O(accesses log footprint).
    pub fn run(self) -> Result<Curves> {
        let (raw, context) = self.common.call(|_| (), sys::pluss_simulate)?;
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
        let (raw, context) = self.common.call(|_| (), sys::pluss_pri_collect)?;
        Ok(PrivateIntervals::new(Handle::new(raw, context)))
    }
}
