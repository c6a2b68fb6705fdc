// SPDX-License-Identifier: GPL-3.0-or-later
//! Calibration: how the threads of this machine progress, from recorded runs.

use std::path::Path;
use std::ptr::{self, NonNull};

use pluss_sys as sys;

use crate::context::{c_string, maybe_text, on_write, text, Context, Free, Handle};
use crate::engine::Options;
use crate::error::{Result, Status};
use crate::nest::Nest;
use crate::record::{path_text, Record};

/// Takes the records of several processes, whose programs were built with `pluss cc --mode=time`
/// and ran with `PLUSS_RECORD` and `PLUSS_STAMPS=tsc`.
pub struct Calibration {
    raw: NonNull<sys::pluss_calibration>,
    context: Context<'static>, // dropped after `raw` is freed: the order of drop
}

/// What was fitted.
pub struct Calibrated(Calibration);

/// How the threads of a region progressed, with one team.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionFit {
    /// Its name.
    pub region: String,
    /// Its source file; `None`: not known.
    pub file: Option<String>,
    /// Its line; 0: not known.
    pub line: u32,
    /// Threads.
    pub team: u32,
    /// Runs, discarded ones included.
    pub runs: usize,
    /// In these a thread was kept from running for more than half of the time.
    pub discarded: usize,
    /// Standard deviation of the logarithm of a thread's rate, from run to run.
    pub sigma: f64,
    /// Its standard error.
    pub sigma_error: f64,
    /// Median skew at barriers, accesses.
    pub skew: f64,
    /// What a thread takes for one access, stalls aside, nanoseconds.
    pub access_ns: f64,
    /// The rate that each thread has in every run, about the team's mean.
    pub rates: Vec<f64>,
}

impl Calibration {
    /// An empty one; of the options by name and text `region` alone is looked at.
    pub fn new(options: &[(&str, &str)]) -> Result<Self> {
        let context = Context::new(None)?;
        let set = Options::new(&context)?;
        for (name, text) in options {
            set.set(name, text)?;
        }
        // SAFETY: the context and the options are alive; the calibration is ours.
        let call = |ctx, out| unsafe { sys::pluss_calibration_new(ctx, set.raw.as_ptr(), out) };
        let raw = context.make(call)?;
        drop(set);
        Ok(Self { raw, context })
    }

    /// Adds one process, by its record; without nests, those of the files that the record names.
    /// Runs that cannot be used are left out.
    pub fn add(&mut self, record: &Record, nests: &[&Nest]) -> Result<()> {
        let list: Vec<_> = nests.iter().map(|nest| nest.raw()).collect();
        let given = if list.is_empty() { ptr::null() } else { list.as_ptr() };
        // SAFETY: the calibration is ours, the record and the nests are alive and only read.
        let status = unsafe {
            sys::pluss_calibration_add(self.raw.as_ptr(), record.raw(), given, list.len())
        };
        self.context.check(status)
    }

    /// The least number of runs that would not be discarded, over the regions.
    pub fn least_runs(&mut self) -> Result<u64> {
        let mut runs = 0;
        // SAFETY: the calibration is ours; `runs` receives the number.
        let status = unsafe { sys::pluss_calibration_count_runs(self.raw.as_ptr(), &mut runs) };
        self.context.check(status).map(|()| runs)
    }

    /// Fits all that was added; an error where nothing of it can be used.
    pub fn finish(self) -> Result<Calibrated> {
        // SAFETY: the calibration is ours.
        let status = unsafe { sys::pluss_calibration_finish(self.raw.as_ptr()) };
        self.context.check(status)?;
        Ok(Calibrated(self))
    }
}

impl Drop for Calibration {
    fn drop(&mut self) {
        // SAFETY: ours, freed once, and its context is alive.
        unsafe { sys::pluss_calibration_free(self.raw.as_ptr()) }
    }
}

impl Calibrated {
    /// Region by region, in the order in which they were met.
    pub fn regions(&self) -> Vec<RegionFit> {
        (0..).map_while(|i| self.region(i)).collect()
    }

    fn region(&self, i: usize) -> Option<RegionFit> {
        let mut info = sys::pluss_calibration_info {
            size: size_of::<sys::pluss_calibration_info>(),
            region: ptr::null(),
            file: ptr::null(),
            line: 0,
            team: 0,
            runs: 0,
            discarded: 0,
            sigma_error: 0.0,
            skew_error: 0.0,
            stall_rate_error: 0.0,
            progress: ptr::null(),
            access_ns: 0.0,
            access_error: 0.0,
        };
        // SAFETY: the calibration is alive and `info` has its size set; what it points to lives as
        // long as the calibration, and is copied here; `rates` has `n_rates` numbers.
        unsafe {
            if sys::pluss_calibration_get(self.0.raw.as_ptr(), i, &mut info) != sys::PLUSS_OK {
                return None;
            }
            let progress = &*info.progress;
            Some(RegionFit {
                region: text(info.region).to_owned(),
                file: maybe_text(info.file).map(str::to_owned),
                line: info.line,
                team: info.team,
                runs: info.runs,
                discarded: info.discarded,
                sigma: progress.sigma,
                sigma_error: info.sigma_error,
                skew: progress.skew,
                access_ns: info.access_ns,
                rates: std::slice::from_raw_parts(progress.rates, progress.n_rates).to_vec(),
            })
        }
    }
}

impl Free for sys::pluss_machine_file {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_machine_file_free takes it back ("Owner").
        unsafe { sys::pluss_machine_file_free(raw) }
    }
}

/// The machine file, which predictions take by the option `machine`.
pub struct MachineFile(Handle<sys::pluss_machine_file>);

impl MachineFile {
    /// Reads it; one that is not there is empty.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (path, context) = (path_text(path.as_ref())?, Context::new(None)?);
        // SAFETY: the context and the path are alive; the file is ours.
        let call = |ctx, out| unsafe { sys::pluss_machine_file_read(ctx, path.as_ptr(), out) };
        let read = context.make(call);
        match read {
            Err(error) if error.status == Status::NotFound => Self::new(),
            read => Ok(Self(Handle::new(read?, context))),
        }
    }

    /// An empty one.
    pub fn new() -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: the context is alive; no path is given; the file is ours.
        let call = |ctx, out| unsafe { sys::pluss_machine_file_read(ctx, ptr::null(), out) };
        let raw = context.make(call)?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// Puts what was fitted in place of what there is of the same regions, source files and teams.
    /// `slice_ns`: nanoseconds that threads which share a core run before the next one does,
    /// 1000 to 10^12; 0.0: not known.
    pub fn put(&mut self, fitted: &Calibrated, command: &str, slice_ns: f64) -> Result<()> {
        let (command, context) = (c_string(command)?, Context::new(None)?);
        let by = sys::pluss_calibrated_by {
            size: size_of::<sys::pluss_calibrated_by>(),
            command: command.as_ptr(),
            date: ptr::null(),
            processor: ptr::null(),
            slice_ns,
        };
        // SAFETY: the file is ours and borrowed alone; the calibration, which is only read, and the
        // texts, which are copied, are alive.
        let status = unsafe {
            sys::pluss_machine_file_put(
                context.raw(),
                self.0.raw().cast_mut(),
                fitted.0.raw.as_ptr(),
                &by,
            )
        };
        context.check(status)
    }

    /// As JSON (docs/machine-file.md), to be kept.
    pub fn to_json(&self) -> Result<String> {
        let context = Context::new(None)?;
        let mut sink: Vec<u8> = Vec::new();
        // SAFETY: the file is alive and only read; `on_write` gets the Vec<u8> that it takes.
        let status = unsafe {
            let user = ptr::from_mut(&mut sink).cast();
            sys::pluss_machine_file_write(context.raw(), self.0.raw(), Some(on_write), user)
        };
        context.check(status)?;
        Ok(String::from_utf8_lossy(&sink).into_owned())
    }
}
