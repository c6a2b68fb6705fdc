// SPDX-License-Identifier: GPL-3.0-or-later
//! Calibration: how the threads of this machine progress, from recorded runs.

use std::path::Path;
use std::ptr::{self, NonNull};

use pluss_sys as sys;

use crate::context::{blank, c_string, maybe_text, on_write, text, Context, Free, Handle};
use crate::engine::Options;
use crate::error::{Result, Status};
use crate::nest::Nest;
use crate::record::{path_text, Record};
use crate::report::Report;

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

    /// How many.
    pub fn count(&self) -> usize {
        // SAFETY: the calibration is alive and only read.
        unsafe { sys::pluss_calibration_count(self.0.raw.as_ptr()) }
    }

    /// What was fitted and, where a machine file of this name is given, what it has of all regions.
    pub fn report(&self, file: Option<(&MachineFile, &str)>) -> Result<String> {
        let name = file.map(|(_, name)| c_string(name)).transpose()?;
        let name = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        let file = file.map_or(ptr::null(), |(file, _)| file.raw());
        // SAFETY: the calibration, the file and the text are alive and only read; what is given is
        // freed before them.
        Report::print_of(&self.0.context, |out| unsafe {
            sys::pluss_calibration_report(self.0.raw.as_ptr(), file, name, out)
        })
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

    pub(crate) fn raw(&self) -> *const sys::pluss_machine_file {
        self.0.raw()
    }

    fn info(&self) -> sys::pluss_machine_file_info {
        let mut raw = blank!(pluss_machine_file_info);
        // SAFETY: the file is alive and only read; `raw` has its size set.
        let status = unsafe { sys::pluss_machine_file_get_info(self.raw(), &mut raw) };
        assert_eq!(status, sys::PLUSS_OK, "a machine file's info");
        raw
    }

    /// Regions that were fitted.
    pub fn regions(&self) -> usize {
        self.info().n_regions
    }

    /// Nanoseconds that threads which share a core run before the next one does.
    pub fn slice_ns(&self) -> Option<f64> {
        let slice = self.info().slice_ns;
        (slice > 0.0).then_some(slice)
    }

    /// Cores and hardware threads; 0: not known.
    pub fn cores(&self) -> (u32, u32) {
        let info = self.info();
        (info.cores, info.processors)
    }

    /// The levels of its caches: names, bytes, and processors that share one.
    pub fn levels(&self) -> Vec<(String, u64, u32)> {
        let get = |i| {
            let mut raw = sys::pluss_cache { bytes: 0, label: ptr::null(), threads: 0 };
            // SAFETY: the file is alive and only read; the name lives as long, and is copied.
            unsafe {
                (sys::pluss_machine_file_get_level(self.raw(), i, &mut raw) == sys::PLUSS_OK)
                    .then(|| (text(raw.label).to_owned(), raw.bytes, raw.threads))
            }
        };
        (0..).map_while(get).collect()
    }

    /// Puts a machine's caches that hold data in place of the levels that the file has.
    pub fn put_caches(&mut self, machine: &Machine) -> Result<()> {
        let context = Context::new(None)?;
        // SAFETY: the file is ours alone; what describes the machine lives for the call.
        let status = machine.lend(|raw| unsafe {
            sys::pluss_machine_file_put_caches(context.raw(), self.0.raw_mut(), raw)
        })?;
        context.check(status)
    }

    /// Its levels and costs, for people and programs. `Status::Empty`: it has neither.
    pub fn report(&self) -> Result<Report> {
        // SAFETY: the file is alive and only read.
        Report::make(|ctx, out| unsafe { sys::pluss_machine_file_report(ctx, self.raw(), out) })
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

/// A machine as its user knows it; the library looks at none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: Option<String>,
    /// Cores.
    pub cores: u32,
    /// Hardware threads.
    pub processors: u32,
    /// Caches.
    pub caches: Vec<MachineCache>,
}

/// Caches of a [`Machine`] that are alike, and hold data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCache {
    /// "L1d"
    pub name: String,
    /// From 1.
    pub level: u32,
    /// Bytes.
    pub bytes: u64,
    /// Bytes of a line; 0: not known.
    pub line_bytes: u32,
    /// Ways; 0: not known, -1: fully associative.
    pub ways: i32,
    /// Hardware threads that share one.
    pub shared_by: u32,
    /// How many.
    pub count: u32,
}

impl Machine {
    fn lend<R>(&self, call: impl FnOnce(*const sys::pluss_machine_info) -> R) -> Result<R> {
        let cpu = self.cpu.as_deref().map(c_string).transpose()?;
        let names = self.caches.iter().map(|cache| c_string(&cache.name));
        let names = names.collect::<Result<Vec<_>>>()?;
        let cache = |(cache, name): (&MachineCache, &std::ffi::CString)| sys::pluss_machine_cache {
            name: name.as_ptr(),
            r#type: sys::PLUSS_CACHE_DATA,
            level: cache.level,
            bytes: cache.bytes,
            line_bytes: cache.line_bytes,
            ways: cache.ways,
            shared_by: cache.shared_by,
            count: cache.count,
        };
        let caches: Vec<_> = self.caches.iter().zip(&names).map(cache).collect();
        let mut raw = blank!(pluss_machine_info);
        raw.cpu = cpu.as_ref().map_or(ptr::null(), |cpu| cpu.as_ptr());
        (raw.cores, raw.processors) = (self.cores, self.processors);
        (raw.caches, raw.n_caches) = (caches.as_ptr(), caches.len());
        Ok(call(&raw))
    }

    /// Its caches, for people and programs.
    pub fn report(&self) -> Result<Report> {
        Report::make_of(|ctx, out| {
            // SAFETY: what describes the machine lives for the call.
            self.lend(|raw| unsafe { sys::pluss_machine_report(ctx, raw, out) })
        })
    }
}
