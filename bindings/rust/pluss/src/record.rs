// SPDX-License-Identifier: GPL-3.0-or-later
//! Files with nests, and records of runs.

use std::path::Path;
use std::ptr::{self, NonNull};

use pluss_sys as sys;

use crate::context::{c_string, Context, Free, Handle};
use crate::curve::Curves;
use crate::engine::Options;
use crate::error::{Error, Result, Status};

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
        ask(options, |ctx, options, out| unsafe {
            sys::pluss_nests_predict(ctx, self.0.raw(), options, out)
        })
    }

    /// Exact curves, likewise, of a trace too.
    pub fn simulate(&self, options: &[(&str, &str)]) -> Result<Curves> {
        // SAFETY: the nests are alive and only read; the result is ours.
        ask(options, |ctx, options, out| unsafe {
            sys::pluss_nests_simulate(ctx, self.0.raw(), options, out)
        })
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
        ask(options, |ctx, options, out| unsafe {
            sys::pluss_record_run(ctx, self.0.raw(), ptr::null(), 0, options, out)
        })
    }
}

fn ask(
    options: &[(&str, &str)],
    call: impl FnOnce(
        *mut sys::pluss_context,
        *const sys::pluss_options,
        *mut *mut sys::pluss_result,
    ) -> sys::pluss_status,
) -> Result<Curves> {
    let context = Context::new(None)?;
    let set = Options::new(&context)?;
    for (name, text) in options {
        set.set(name, text)?;
    }
    let raw: NonNull<sys::pluss_result> =
        context.make(|ctx, out| call(ctx, set.raw.as_ptr(), out))?;
    drop(set);
    let notes = context.diagnostics();
    Ok(Curves::new(Handle::new(raw, context), notes))
}
