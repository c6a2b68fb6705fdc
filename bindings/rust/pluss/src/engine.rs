// SPDX-License-Identifier: GPL-3.0-or-later
//! The engines, and what can be asked of them.

use std::ffi::CString;
use std::mem::size_of;
use std::ops::{ControlFlow, Range};
use std::ptr;

use pluss_sys as sys;

use crate::context::{c_string, text, Context, Handle, Progress};
use crate::curve::Curves;
use crate::error::Result;
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

/// The order in which the threads' accesses are merged.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Interleave {
    /// The next access by a thread drawn uniformly.
    #[default]
    Uniform,
    /// One access each in turn.
    RoundRobin,
    /// Uniform choice, a geometric number of accesses of this mean, at least 1.
    Burst(f64),
    /// Each thread has a speed of its own, log-normal with this sigma.
    Speeds(f64),
    /// As [`Speeds`](Self::Speeds), and all but one start late from every barrier.
    Real(Speeds),
    /// One thread's phase after another's.
    Sequential,
}

/// How real threads progress: speeds of their own, and late starts. Times are counted in accesses
/// of a thread of speed 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// Of the logarithm of a thread's speed, from 0 to 10.
    pub sigma: f64,
    /// Median of the time by which all threads but one, any, start late from a barrier.
    pub skew: f64,
    /// Standard deviation of its logarithm, from 0 to 10.
    pub spread: f64,
}

/// As measured on machines that nobody calibrated.
impl Default for Speeds {
    fn default() -> Self {
        Self { sigma: 0.03, skew: 500.0, spread: 1.0 }
    }
}

impl Speeds {
    const NO_SKEW: Self = Self { sigma: 0.0, skew: 0.0, spread: 0.0 };

    fn raw(&self) -> sys::pluss_speeds {
        sys::pluss_speeds {
            size: size_of::<sys::pluss_speeds>(),
            skew: self.skew,
            skew_spread: self.spread,
            rates: ptr::null(),
            n_rates: 0,
            stall_rate: 0.0,
            stall: 0.0,
            loops: ptr::null(),
            n_loops: 0,
            name: ptr::null(),
        }
    }
}

/// How threads progress, as the model clock has it.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Pace {
    /// The next access by a thread drawn uniformly.
    #[default]
    Uniform,
    /// Each thread has a speed of its own, log-normal with this sigma, from 0 to 10.
    Speeds(f64),
    /// As [`Speeds`](Self::Speeds), and all but one start late from every barrier: the prediction
    /// for a real machine with a core for each thread. The curve is a mean over runs; see
    /// [`Curve::spread`](crate::Curve::spread).
    Real(Speeds),
    /// Uniform choice, a geometric number of accesses of this mean, at least 1.
    Burst(f64),
    /// One access each in turn.
    Lockstep,
    /// Each thread anywhere in its phase: the bound opposite to lock step.
    Mixed,
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
    progress: Option<Box<Progress<'n>>>,
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
            progress: None,
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
            interleave: sys::PLUSS_INTERLEAVE_UNIFORM,
            interleave_param: 0.0,
            progress: sys::PLUSS_PROGRESS_UNIFORM,
            progress_param: 0.0,
            chunks_done: self.chunks.as_ptr(),
            n_chunks_done: self.chunks.len(),
            explain: 0,
            sharers: ptr::null(),
            n_sharers: 0,
            cores: 0,
            speeds: ptr::null(),
            timelines: ptr::null(),
            effort: 0,
            spread: 0,
            profiles: self.profiles.into(),
        };
        set(&mut options);
        let context = Context::new(self.progress)?;
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
            pub fn progress(
                mut self,
                progress: impl FnMut(&str, f64, u64) -> ControlFlow<()> + 'n,
            ) -> Self {
                self.common.progress = Some(Box::new(progress));
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
    pace: Pace,
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
            pace: Pace::Uniform,
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
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
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
        let (pace, param) = match self.pace {
            Pace::Uniform => (sys::PLUSS_PROGRESS_UNIFORM, 0.0),
            Pace::Speeds(sigma) => (sys::PLUSS_PROGRESS_SPEEDS, sigma),
            Pace::Real(speeds) => (sys::PLUSS_PROGRESS_SPEEDS, speeds.sigma),
            Pace::Burst(mean) => (sys::PLUSS_PROGRESS_BURST, mean),
            Pace::Lockstep => (sys::PLUSS_PROGRESS_LOCKSTEP, 0.0),
            Pace::Mixed => (sys::PLUSS_PROGRESS_MIXED, 0.0),
        };
        let speeds = match self.pace {
            Pace::Real(speeds) => speeds.raw(),
            _ => Speeds::NO_SKEW.raw(),
        };
        let model = self.model.as_deref().map(c_string).transpose()?;
        let (raw, context) = self.common.call(
            |options| {
                options.model = model.as_ref().map_or(ptr::null(), |model| model.as_ptr());
                options.collect_team = self.collect_threads;
                options.error_target = self.error_target;
                options.effort = self.effort;
                options.cache_bytes = self.caches.as_ptr();
                options.n_caches = self.caches.len();
                options.progress = pace;
                options.progress_param = param;
                options.speeds = &speeds;
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
    interleave: Interleave,
}

impl<'n> Simulate<'n> {
    pub(crate) fn new(nest: &'n Nest) -> Self {
        Self { common: Common::new(nest), interleave: Interleave::Uniform }
    }

    /// The profiles that curves are made from are kept
    /// ([`Curves::profiles_to_json`](crate::Curves::profiles_to_json)).
    pub fn profiles(mut self) -> Self {
        self.common.profiles = true;
        self
    }

    /// The order in which the threads' accesses are merged.
    pub fn interleave(mut self, interleave: Interleave) -> Self {
        self.interleave = interleave;
        self
    }

    /// One curve a number of threads, in their order. O(accesses log footprint).
    pub fn run(self) -> Result<Curves> {
        let (kind, param) = match self.interleave {
            Interleave::Uniform => (sys::PLUSS_INTERLEAVE_UNIFORM, 0.0),
            Interleave::RoundRobin => (sys::PLUSS_INTERLEAVE_ROUND_ROBIN, 0.0),
            Interleave::Burst(mean) => (sys::PLUSS_INTERLEAVE_BURST, mean),
            Interleave::Speeds(sigma) => (sys::PLUSS_INTERLEAVE_SPEEDS, sigma),
            Interleave::Real(speeds) => (sys::PLUSS_INTERLEAVE_SPEEDS, speeds.sigma),
            Interleave::Sequential => (sys::PLUSS_INTERLEAVE_SEQUENTIAL, 0.0),
        };
        let speeds = match self.interleave {
            Interleave::Real(speeds) => speeds.raw(),
            _ => Speeds::NO_SKEW.raw(),
        };
        let (raw, context) = self.common.call(
            |options| {
                options.interleave = kind;
                options.interleave_param = param;
                options.speeds = &speeds;
            },
            sys::pluss_simulate,
        )?;
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
