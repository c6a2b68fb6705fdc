// SPDX-License-Identifier: GPL-3.0-or-later
//! Many evaluations that differ in files, sizes, schedules, threads, caches and models.

use std::ptr;

use pluss_sys as sys;

use crate::context::{blank, Context, Handle};
use crate::error::{Result, Status};
use crate::record::missing;
use crate::report::Report;

/// Evaluations from a text (docs/sweep.md), cell by cell, by any threads.
pub struct Sweep(Handle<sys::pluss_sweep>);

impl Sweep {
    /// Reads the files that the text names, too.
    pub fn parse(text: &str) -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: the text has that many bytes and need not end in NUL; NULL: no file name; what is
        // given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_sweep_parse(ctx, text.as_ptr().cast(), text.len(), ptr::null(), out)
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    fn info(&self) -> sys::pluss_sweep_info {
        let mut raw = blank!(pluss_sweep_info);
        // SAFETY: the sweep is alive and only read; `raw` has its size set.
        let status = unsafe { sys::pluss_sweep_get_info(self.0.raw(), &mut raw) };
        assert_eq!(status, sys::PLUSS_OK, "a sweep's info");
        raw
    }

    /// How many cells.
    pub fn cells(&self) -> u64 {
        self.info().cells
    }

    /// A hash of all that was asked for and of what the files hold.
    pub fn identity(&self) -> u64 {
        self.info().identity
    }

    /// A cell's table, and why something of it is missing.
    pub fn evaluate(&self, cell: u64) -> Result<(Report, Option<Status>)> {
        let mut status = sys::PLUSS_OK;
        // SAFETY: the sweep is alive and only read; `status` receives a number.
        let report = Report::make(|ctx, out| unsafe {
            sys::pluss_sweep_report(ctx, self.0.raw(), cell, &mut status, out)
        })?;
        Ok((report, missing(status)))
    }
}
