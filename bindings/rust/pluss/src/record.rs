// SPDX-License-Identifier: GPL-3.0-or-later
//! Files with nests, traces, and records of runs.

use std::path::Path;
use std::ptr;

use pluss_sys as sys;

use crate::context::{blank, c_string, maybe_text, text, utf8, written, Context, Free, Handle};
use crate::curve::{lent, Curves};
use crate::engine::{ask, Chunk, Options};
use crate::error::{Error, Result, Severity, Status};
use crate::nest::Nest;
use crate::report::Report;

impl Free for sys::pluss_nests {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_nests_free takes it back ("Owner").
        unsafe { sys::pluss_nests_free(raw) }
    }
}

impl Free for sys::pluss_record {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_record_free takes it back ("Owner").
        unsafe { sys::pluss_record_free(raw) }
    }
}

pub(crate) fn path_text(path: &Path) -> Result<std::ffi::CString> {
    let text = path.to_str().ok_or_else(|| {
        Error::new(Status::InvalidArgument, format!("not UTF-8: {}", path.display()))
    })?;
    c_string(text)
}

/// The nests of an object file, an archive or a text, all regions of which are asked at once; or a
/// trace of any program, which is simulated.
pub struct File(Handle<sys::pluss_nests>);

impl File {
    /// Reads it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (path, context) = (path_text(path.as_ref())?, Context::new(None)?);
        // SAFETY: the context and the path are alive; the nests are ours.
        let call = |ctx, out| unsafe { sys::pluss_nests_read(ctx, path.as_ptr(), out) };
        let raw = context.make(call)?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// Curves from a model, by options of the command by name and text: `[("threads", "1,4")]`.
    /// Regions that fail are missing: [`Curves::diagnostics`] tells why.
    pub fn predict(&self, options: &[(&str, &str)]) -> Result<Curves> {
        // SAFETY: the nests are alive and only read; the result is ours.
        curves(options, |ctx, options, out| unsafe {
            sys::pluss_nests_predict(ctx, self.0.raw(), options, out)
        })
    }

    /// Exact curves, likewise, of a trace too.
    pub fn simulate(&self, options: &[(&str, &str)]) -> Result<Curves> {
        // SAFETY: the nests are alive and only read; the result is ours.
        curves(options, |ctx, options, out| unsafe {
            sys::pluss_nests_simulate(ctx, self.0.raw(), options, out)
        })
    }

    pub(crate) fn raw(&self) -> *const sys::pluss_nests {
        self.0.raw()
    }

    /// It is a trace, which has no nests.
    pub fn is_trace(&self) -> bool {
        // SAFETY: the nests are alive and only read.
        unsafe { sys::pluss_nests_is_trace(self.0.raw()) != 0 }
    }

    /// Moves the nests of another file behind these. Of a trace or a profile there are none.
    pub fn append(&mut self, other: File) -> Result<()> {
        self.0.take(other.0, sys::pluss_nests_append)
    }

    /// A program of co-runs from the profile of this number in a result that kept profiles.
    pub fn of_profile(curves: &Curves, number: usize) -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: the result is alive and only read; what is given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_nests_of_profile(ctx, curves.owner.raw(), number, out)
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// Why something that was asked for is not in it ([`Record::nests`]); `None`: all is.
    pub fn missing(&self) -> Option<Status> {
        // SAFETY: the nests are alive and only read.
        missing(unsafe { sys::pluss_nests_get_missing(self.0.raw()) })
    }

    /// Programs that share a cache and no lines (the option `rates`): curves of each alone, of each
    /// in the shared cache, and of all there, from a model.
    pub fn corun_predict(programs: &[&File], options: &[(&str, &str)]) -> Result<Curves> {
        let list: Vec<_> = programs.iter().map(|file| file.raw()).collect();
        // SAFETY: so many programs are alive and only read; the result is ours.
        curves(options, |ctx, options, out| unsafe {
            sys::pluss_corun_predict(ctx, list.as_ptr(), list.len(), options, out)
        })
    }

    /// Exact ones, likewise.
    pub fn corun_simulate(programs: &[&File], options: &[(&str, &str)]) -> Result<Curves> {
        let list: Vec<_> = programs.iter().map(|file| file.raw()).collect();
        // SAFETY: so many programs are alive and only read; the result is ours.
        curves(options, |ctx, options, out| unsafe {
            sys::pluss_corun_simulate(ctx, list.as_ptr(), list.len(), options, out)
        })
    }

    /// Stack histograms and misses as formulas in the symbols (docs/symbolic.md).
    pub fn symbolic(&self, options: &[(&str, &str)]) -> Result<Report> {
        // SAFETY: the nests are alive and only read; the report is ours.
        let (handle, _) = ask(options, |ctx, options, out| unsafe {
            sys::pluss_nests_symbolic(ctx, self.raw(), options, out)
        })?;
        Ok(Report::of(handle))
    }

    /// The same as functions in C, which are MIT OR Apache-2.0.
    pub fn symbolic_code(&self, options: &[(&str, &str)]) -> Result<String> {
        let context = Context::new(None)?;
        let set = Options::new(&context)?;
        for (name, text) in options {
            set.set(name, text)?;
        }
        // SAFETY: the nests and the options are alive and only read.
        utf8(written(|ctx, write, user| unsafe {
            sys::pluss_nests_symbolic_code(ctx, self.raw(), set.raw.as_ptr(), write, user)
        })?)
    }

    /// For each loop a line, as a compiler says it, and the greatest severity (docs/remarks.md).
    pub fn remarks(&self, options: &[(&str, &str)]) -> Result<(Severity, Report)> {
        let mut worst = sys::PLUSS_NOTE;
        // SAFETY: the nests are alive and only read; `worst` receives a number, the report is ours.
        let (handle, _) = ask(options, |ctx, options, out| unsafe {
            sys::pluss_nests_remark(ctx, self.raw(), options, &mut worst, out)
        })?;
        Ok((Severity::from_raw(worst), Report::of(handle)))
    }
}

/// What an instrumented run left.
pub struct Record(Handle<sys::pluss_record>);

impl Record {
    /// Reads it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (path, context) = (path_text(path.as_ref())?, Context::new(None)?);
        // SAFETY: the context and the path are alive; the record is ours.
        let call = |ctx, out| unsafe { sys::pluss_record_read(ctx, path.as_ptr(), out) };
        let raw = context.make(call)?;
        Ok(Self(Handle::new(raw, context)))
    }

    pub(crate) fn raw(&self) -> *const sys::pluss_record {
        self.0.raw()
    }

    /// As `pluss run` reports it: curves of each region that ran, with each set of values, and of
    /// the sequence, by options of the command by name and text. Nests come from the files that the
    /// record names.
    pub fn run(&self, options: &[(&str, &str)]) -> Result<Curves> {
        // SAFETY: the record is alive and only read; no nests are given; the result is ours.
        curves(options, |ctx, options, out| unsafe {
            sys::pluss_record_run(ctx, self.0.raw(), ptr::null(), 0, options, out)
        })
    }

    /// From text (docs/record-format.md).
    pub fn parse(text: &str) -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: the text has that many bytes and need not end in NUL; NULL: no file name; the
        // record is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_record_parse(ctx, text.as_ptr().cast(), text.len(), ptr::null(), out)
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// What it holds.
    pub fn info(&self) -> RecordInfo {
        let mut raw = blank!(pluss_record_info);
        // SAFETY: the record is alive and only read; `raw` has its size set; so many strings live as
        // long as the record, and are copied.
        unsafe {
            let status = sys::pluss_record_get_info(self.0.raw(), &mut raw);
            assert_eq!(status, sys::PLUSS_OK, "a record's info");
            let objects = lent(raw.objects, raw.n_objects);
            RecordInfo {
                line_bytes: raw.line_bytes,
                lost_runs: raw.lost_runs,
                runs: raw.runs,
                runs_lost: raw.runs_lost,
                objects: objects.iter().map(|&object| text(object).to_owned()).collect(),
            }
        }
    }

    /// Blocks: all runs of a region that were alike.
    pub fn blocks(&self) -> Vec<Block> {
        (0..).map_while(|i| self.block(i)).collect()
    }

    fn block(&self, i: usize) -> Option<Block> {
        let mut raw = blank!(pluss_block_info);
        // SAFETY: as in `info`.
        unsafe {
            if sys::pluss_record_get_block(self.0.raw(), i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            let symbols = lent(raw.symbols, raw.n_symbols);
            Some(Block {
                region: text(raw.region).to_owned(),
                file: maybe_text(raw.file).map(str::to_owned),
                line: raw.line,
                team: raw.team,
                runs: raw.runs,
                accesses: raw.accesses,
                lost: raw.lost,
                symbols: symbols.iter().map(|b| (text(b.name).to_owned(), b.value)).collect(),
                places: raw.n_places,
                has_intervals: raw.has_intervals != 0,
                chunks: lent(raw.chunks, raw.n_chunks).iter().map(Chunk::of).collect(),
            })
        }
    }

    /// The region of a block, looked up in these nests, with the recorded values and the addresses
    /// of a placement; `None`: their places in the line alone.
    pub fn nest(&self, block: usize, place: Option<u32>, nests: &[&Nest]) -> Result<Nest> {
        let (list, context) = (raws(nests), Context::new(None)?);
        let place = place.map_or(-1, i64::from);
        // SAFETY: the record and so many nests are alive and only read; what is given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_record_nest(ctx, self.raw(), block, place, list.as_ptr(), list.len(), out)
        })?;
        Ok(Nest::from_handle(Handle::new(raw, context)))
    }

    /// The whole sequence as one program, of these nests.
    pub fn program(&self, nests: &[&Nest]) -> Result<Nest> {
        let (list, context) = (raws(nests), Context::new(None)?);
        // SAFETY: as in `nest`.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_record_program(ctx, self.raw(), list.as_ptr(), list.len(), out)
        })?;
        Ok(Nest::from_handle(Handle::new(raw, context)))
    }

    /// As [`Nest::predict`] of a block's nest, from what was recorded of the block.
    pub fn predict(&self, block: usize, nest: &Nest, options: &[(&str, &str)]) -> Result<Curves> {
        // SAFETY: the record and the nest are alive and only read; the result is ours.
        curves(options, |ctx, options, out| unsafe {
            sys::pluss_record_predict(ctx, self.raw(), block, nest.raw(), options, out)
        })
    }

    /// The nests of [`Record::run`], with the recorded values and addresses.
    pub fn nests(&self, options: &[(&str, &str)]) -> Result<File> {
        // SAFETY: the record is alive and only read; no nests are given; what is given is ours.
        let (handle, _) = ask(options, |ctx, options, out| unsafe {
            sys::pluss_record_nests(ctx, self.raw(), ptr::null(), 0, options, out)
        })?;
        Ok(File(handle))
    }

    /// Runs with touches, and with time stamps, in the file beside the record.
    pub fn traced_runs(&self) -> Result<(u64, u64)> {
        let (mut raw, context) = (blank!(pluss_trace_info), Context::new(None)?);
        // SAFETY: the record is alive and only read; `raw` has its size set.
        let status = unsafe { sys::pluss_record_get_trace(context.raw(), self.raw(), &mut raw) };
        context.check(status).map(|()| (raw.touched_runs, raw.timed_runs))
    }

    /// The exact curve of the order in which threads really touched their lines, of a block's runs
    /// or of all runs as they came.
    pub fn simulate_touches(&self, block: Option<usize>) -> Result<Curves> {
        // SAFETY: the record is alive and only read; the result is ours.
        curves(&[], |ctx, _, out| unsafe {
            sys::pluss_record_simulate(ctx, self.raw(), block.unwrap_or(usize::MAX), out)
        })
    }
}

/// What a [`Record`] holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordInfo {
    /// Bytes of a line.
    pub line_bytes: u32,
    /// That no memory was left for.
    pub lost_runs: u64,
    /// Runs in the sequence.
    pub runs: u64,
    /// From its end.
    pub runs_lost: u64,
    /// Files that the regions come from.
    pub objects: Vec<String>,
}

/// All runs of a region that were alike.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The region's name.
    pub region: String,
    /// Its source file.
    pub file: Option<String>,
    /// Its line; 0: not known.
    pub line: u32,
    /// Threads.
    pub team: u32,
    /// Runs.
    pub runs: u64,
    /// Accesses recorded.
    pub accesses: u64,
    /// That could not be recorded.
    pub lost: u64,
    /// Values of symbols.
    pub symbols: Vec<(String, i64)>,
    /// Placements of the arrays.
    pub places: usize,
    /// It has private reuse intervals.
    pub has_intervals: bool,
    /// Who executed what, in the first run.
    pub chunks: Vec<Chunk>,
}

/// How far each thread had come when, in recorded runs: of [`Predict::timelines`](crate::Predict).
pub struct Timelines(Handle<sys::pluss_timelines>);

/// Of the first of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimelinesInfo {
    /// Runs.
    pub runs: usize,
    /// The largest team.
    pub team: u32,
    /// Phases of the first run.
    pub phases: u64,
    /// Accesses of the first run.
    pub accesses: u64,
}

impl Timelines {
    /// Of a block's runs, for its nest ([`Record::nest`]); without a block of the whole sequence, for
    /// nests of [`Record::program`].
    pub fn read(record: &Record, block: Option<usize>, nests: &[&Nest]) -> Result<Self> {
        let (list, context) = (raws(nests), Context::new(None)?);
        let block = block.unwrap_or(usize::MAX);
        // SAFETY: the record and so many nests are alive and only read; what is given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_timelines_read(ctx, record.raw(), block, list.as_ptr(), list.len(), out)
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    pub(crate) fn raw(&self) -> *const sys::pluss_timelines {
        self.0.raw()
    }

    /// What they hold.
    pub fn info(&self) -> TimelinesInfo {
        let mut raw = blank!(pluss_timelines_info);
        // SAFETY: the timelines are alive and only read; `raw` has its size set.
        let status = unsafe { sys::pluss_timelines_get_info(self.raw(), &mut raw) };
        assert_eq!(status, sys::PLUSS_OK, "info of timelines");
        let (phases, accesses) = (raw.phases, raw.accesses);
        TimelinesInfo { runs: raw.runs, team: raw.team, phases, accesses }
    }
}

/// A trace (docs/trace-format.md) in the packed format.
pub fn pack_trace(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path_text(path.as_ref())?;
    // SAFETY: the path is alive; NULL: default options.
    written(|ctx, write, user| unsafe {
        sys::pluss_trace_pack(ctx, path.as_ptr(), ptr::null(), write, user)
    })
}

/// A generated trace in the packed format: `lines=N,N,...:shared=S:distances=PART+PART+...`.
pub fn generate_trace(what: &str) -> Result<Vec<u8>> {
    let what = c_string(what)?;
    // SAFETY: the text is alive.
    written(|ctx, write, user| unsafe {
        sys::pluss_trace_generate(ctx, what.as_ptr(), write, user)
    })
}

/// One more than the largest number of a thread in a trace. O(accesses).
pub fn count_trace_threads(path: impl AsRef<Path>) -> Result<u32> {
    let (path, context, mut threads) = (path_text(path.as_ref())?, Context::new(None)?, 0);
    // SAFETY: the path is alive; `threads` receives the number.
    let status =
        unsafe { sys::pluss_trace_count_threads(context.raw(), path.as_ptr(), &mut threads) };
    context.check(status).map(|()| threads)
}

fn raws(nests: &[&Nest]) -> Vec<*const sys::pluss_nest> {
    nests.iter().map(|nest| nest.raw()).collect()
}

pub(crate) fn missing(status: sys::pluss_status) -> Option<Status> {
    (status != sys::PLUSS_OK).then(|| Status::from_raw(status))
}

fn curves(
    options: &[(&str, &str)],
    call: impl FnOnce(
        *mut sys::pluss_context,
        *const sys::pluss_options,
        *mut *mut sys::pluss_result,
    ) -> sys::pluss_status,
) -> Result<Curves> {
    ask(options, call).map(|(handle, notes)| Curves::new(handle, notes))
}
