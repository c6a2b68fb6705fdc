// SPDX-License-Identifier: GPL-3.0-or-later
//! What is predicted to cost less, and how long regions run.

use pluss_sys as sys;

use crate::context::{blank, c_string, maybe_text, text, Context, Handle};
use crate::engine::ask;
use crate::error::{Diagnostic, Result, Status};
use crate::record::{missing, File};
use crate::report::Report;

/// What is predicted to cost less on the levels that the options ask for (docs/advise.md).
pub struct Advice {
    owner: Handle<sys::pluss_advice>,
    notes: Vec<Diagnostic>,
}

/// What kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Of the order of loops.
    Interchange,
    /// Tiles.
    Tile,
    /// Loops become one.
    Fuse,
    /// Another schedule.
    Schedule,
    /// Longer rows, against conflicts of sets.
    Pad,
    /// Elements apart, against false sharing.
    Spread,
    /// Another number of threads.
    Threads,
    /// One that this version of the crate does not know.
    Other(u32),
}

/// One piece of [`Advice`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advised {
    /// What kind of change.
    pub change: Change,
    /// The region's name.
    pub region: String,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0: not known.
    pub line: u32,
    /// "interchange loops j and k"
    pub text: String,
    /// Of [`Nest::transform`](crate::Nest::transform).
    pub steps: Vec<String>,
    /// What to write there; "": the nest after the steps shows it.
    pub source: String,
    /// The reference whose misses cost most now.
    pub worst: Option<String>,
    /// Threads now, and then.
    pub threads: (u32, u32),
    /// Share of the cost, and its standard error.
    pub gain: f64,
    /// Standard error of the gain.
    pub error: f64,
}

impl File {
    /// Advice for each region, at the first number of threads of the options, which ask for levels
    /// (`cache`). O(40 predictions) a region.
    pub fn advise(&self, options: &[(&str, &str)]) -> Result<Advice> {
        // SAFETY: the nests are alive and only read; what is given is ours.
        let (owner, notes) = ask(options, |ctx, options, out| unsafe {
            sys::pluss_nests_advise(ctx, self.raw(), options, out)
        })?;
        Ok(Advice { owner, notes })
    }

    /// How long each region runs at each number of threads, from the costs of a machine file (the
    /// option `machine`; docs/time.md).
    pub fn times(&self, options: &[(&str, &str)]) -> Result<Times> {
        // SAFETY: the nests are alive and only read; what is given is ours.
        let (owner, notes) = ask(options, |ctx, options, out| unsafe {
            sys::pluss_nests_time(ctx, self.raw(), options, out)
        })?;
        Ok(Times { owner, notes })
    }
}

impl Advice {
    /// Region by region, the greatest gain first.
    pub fn list(&self) -> Vec<Advised> {
        (0..).map_while(|i| self.get(i)).collect()
    }

    fn get(&self, i: usize) -> Option<Advised> {
        let mut raw = blank!(pluss_advice_info);
        // SAFETY: the advice is alive and only read; `raw` has its size set; the strings live as
        // long as the advice, and are copied.
        unsafe {
            if sys::pluss_advice_get(self.owner.raw(), i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(Advised {
                change: match raw.kind {
                    sys::PLUSS_ADVICE_INTERCHANGE => Change::Interchange,
                    sys::PLUSS_ADVICE_TILE => Change::Tile,
                    sys::PLUSS_ADVICE_FUSE => Change::Fuse,
                    sys::PLUSS_ADVICE_SCHEDULE => Change::Schedule,
                    sys::PLUSS_ADVICE_PAD => Change::Pad,
                    sys::PLUSS_ADVICE_SPREAD => Change::Spread,
                    sys::PLUSS_ADVICE_THREADS => Change::Threads,
                    other => Change::Other(other),
                },
                region: text(raw.region).to_owned(),
                file: maybe_text(raw.file).map(str::to_owned),
                line: raw.line,
                text: text(raw.text).to_owned(),
                steps: text(raw.steps).split_whitespace().map(str::to_owned).collect(),
                source: text(raw.source).to_owned(),
                worst: maybe_text(raw.worst).map(str::to_owned),
                threads: (raw.threads, raw.threads_then),
                gain: raw.gain,
                error: raw.error,
            })
        }
    }

    /// Why a region was not looked at; `None`: all were.
    pub fn missing(&self) -> Option<Status> {
        // SAFETY: the advice is alive and only read.
        missing(unsafe { sys::pluss_advice_get_missing(self.owner.raw()) })
    }

    /// Notes and warnings of the call.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// For the report: median processor times in seconds of so many runs of the program as it is,
    /// and with the first advice.
    pub fn put_times(&mut self, now: f64, then: f64, runs: u32) -> Result<()> {
        let context = Context::new(None)?;
        // SAFETY: the advice is ours alone.
        let status = unsafe {
            sys::pluss_advice_put_times(context.raw(), self.owner.raw_mut(), now, then, runs)
        };
        context.check(status)
    }

    /// With the commands that show it, of this file.
    pub fn report(&self, file: &str) -> Result<Report> {
        let file = c_string(file)?;
        // SAFETY: the advice and the text are alive and only read.
        Report::make(|ctx, out| unsafe {
            sys::pluss_advice_report(ctx, self.owner.raw(), file.as_ptr(), out)
        })
    }
}

/// How long regions run: [`File::times`].
pub struct Times {
    owner: Handle<sys::pluss_times>,
    notes: Vec<Diagnostic>,
}

/// What most of a region's time is bound by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// Operations.
    Core,
    /// Of an iteration on the one before.
    Dependences,
    /// Lines from a level or memory, as one thread gets them.
    Latency,
    /// The same, as the threads together get them.
    Bandwidth,
    /// Translations of addresses.
    Translation,
    /// Barriers, and the starts of teams.
    Barriers,
    /// Threads wait for the one that has most to do.
    Imbalance,
    /// Lines that another thread has written.
    Transfers,
    /// One that this version of the crate does not know.
    Other(u32),
}

/// A region with a number of threads.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Time {
    /// The region's name.
    pub region: String,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0: not known.
    pub line: u32,
    /// Threads.
    pub threads: u32,
    /// How long it runs.
    pub seconds: f64,
    /// Its standard error, of misses and of costs.
    pub error: f64,
    /// Against one thread.
    pub speedup: f64,
    /// Accesses of the busiest thread by the mean.
    pub imbalance: f64,
    /// Seconds that operations, dependences, lines with translations of addresses, and barriers
    /// with the starts of teams take alone.
    pub parts: [f64; 4],
    /// What most of the time is bound by.
    pub bound: Bound,
    /// Of latency and bandwidth: which level.
    pub level: Option<String>,
    /// The nest has counts of operations.
    pub counted: bool,
}

impl Times {
    /// Region by region, in the order of the numbers of threads.
    pub fn list(&self) -> Vec<Time> {
        (0..).map_while(|i| self.get(i)).collect()
    }

    fn get(&self, i: usize) -> Option<Time> {
        let mut raw = blank!(pluss_time_info);
        // SAFETY: the times are alive and only read; `raw` has its size set; the strings live as
        // long as the times, and are copied.
        unsafe {
            if sys::pluss_times_get(self.owner.raw(), i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(Time {
                region: text(raw.region).to_owned(),
                file: maybe_text(raw.file).map(str::to_owned),
                line: raw.line,
                threads: raw.threads,
                seconds: raw.seconds,
                error: raw.error,
                speedup: raw.speedup,
                imbalance: raw.imbalance,
                parts: [raw.core, raw.dependences, raw.memory, raw.barriers],
                bound: match raw.bound {
                    sys::PLUSS_TIME_CORE => Bound::Core,
                    sys::PLUSS_TIME_DEPENDENCES => Bound::Dependences,
                    sys::PLUSS_TIME_LATENCY => Bound::Latency,
                    sys::PLUSS_TIME_BANDWIDTH => Bound::Bandwidth,
                    sys::PLUSS_TIME_TRANSLATION => Bound::Translation,
                    sys::PLUSS_TIME_BARRIERS => Bound::Barriers,
                    sys::PLUSS_TIME_IMBALANCE => Bound::Imbalance,
                    sys::PLUSS_TIME_TRANSFERS => Bound::Transfers,
                    other => Bound::Other(other),
                },
                level: maybe_text(raw.level).map(str::to_owned),
                counted: raw.counted != 0,
            })
        }
    }

    /// Why a region has no time; `None`: all have.
    pub fn missing(&self) -> Option<Status> {
        // SAFETY: the times are alive and only read.
        missing(unsafe { sys::pluss_times_get_missing(self.owner.raw()) })
    }

    /// Notes and warnings of the call.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// With loops and lines of the source.
    pub fn report(&self) -> Result<Report> {
        // SAFETY: the times are alive and only read.
        Report::make(|ctx, out| unsafe { sys::pluss_times_report(ctx, self.owner.raw(), out) })
    }
}
