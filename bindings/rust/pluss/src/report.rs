// SPDX-License-Identifier: GPL-3.0-or-later
//! What the library has to say of something, in any of its forms.

use std::fmt;
use std::ptr::{self, NonNull};

use pluss_sys as sys;

use crate::context::{blank, c_string, text, utf8, written, Context, Handle};
use crate::error::Result;
use crate::nest::Nest;

/// What the library has to say of something, before it has a form. It is independent: what it was
/// made from may be dropped.
pub struct Report(Handle<sys::pluss_report>);

/// A form of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// For [`Report::write`]: "text", "json", "csv", "html", ...
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
}

impl Format {
    /// Those there are, "text" first.
    pub fn all() -> Vec<Self> {
        let get = |i| {
            let mut raw = blank!(pluss_format_info);
            // SAFETY: `raw` has its size set; the strings are static.
            unsafe {
                (sys::pluss_report_format_get(i, &mut raw) == sys::PLUSS_OK)
                    .then(|| Self { name: text(raw.name), summary: text(raw.summary) })
            }
        };
        (0..).map_while(get).collect()
    }
}

impl Report {
    pub(crate) fn make(
        call: impl FnOnce(*mut sys::pluss_context, *mut *mut sys::pluss_report) -> sys::pluss_status,
    ) -> Result<Self> {
        let context = Context::new(None)?;
        let made = context.make(call)?;
        Ok(Self(Handle::new(made, context)))
    }

    /// The same of a call that may fail before it is one.
    pub(crate) fn make_of(
        call: impl FnOnce(
            *mut sys::pluss_context,
            *mut *mut sys::pluss_report,
        ) -> Result<sys::pluss_status>,
    ) -> Result<Self> {
        let mut failed = None;
        let made = Self::make(|ctx, out| {
            call(ctx, out).unwrap_or_else(|error| {
                failed = Some(error);
                sys::PLUSS_EINVAL
            })
        });
        failed.map_or(made, Err)
    }

    pub(crate) fn of(handle: Handle<sys::pluss_report>) -> Self {
        Self(handle)
    }

    /// As text, a report that belongs to the context of something else.
    pub(crate) fn print_of(
        owner: &Context<'_>,
        call: impl FnOnce(*mut *mut sys::pluss_report) -> sys::pluss_status,
    ) -> Result<String> {
        struct Owned(NonNull<sys::pluss_report>);
        impl Drop for Owned {
            fn drop(&mut self) {
                // SAFETY: ours and freed once, before its context, which is borrowed.
                unsafe { sys::pluss_report_free(self.0.as_ptr()) }
            }
        }
        let made = Owned(owner.make(|_, out| call(out))?);
        // SAFETY: the report is alive and only read; NULL: default options.
        utf8(written(|ctx, write, user| unsafe {
            let raw = made.0.as_ptr();
            sys::pluss_report_write(ctx, raw, c"text".as_ptr(), ptr::null(), write, user)
        })?)
    }

    /// In a format, by its name; csv has one table, by its name in docs/json.md or else the first.
    pub fn write(&self, format: &str, table: Option<&str>) -> Result<Vec<u8>> {
        let (format, table) = (c_string(format)?, table.map(c_string).transpose()?);
        let options = sys::pluss_write_options {
            size: size_of::<sys::pluss_write_options>(),
            table: table.as_ref().map_or(ptr::null(), |table| table.as_ptr()),
        };
        // SAFETY: the report is alive and only read, the texts and options live for the call.
        written(|ctx, write, user| unsafe {
            sys::pluss_report_write(ctx, self.0.raw(), format.as_ptr(), &options, write, user)
        })
    }

    /// In a format that is text.
    pub fn to_format(&self, format: &str) -> Result<String> {
        utf8(self.write(format, None)?)
    }

    /// For people.
    pub fn to_text(&self) -> Result<String> {
        self.to_format("text")
    }

    /// For programs (docs/json.md).
    pub fn to_json(&self) -> Result<String> {
        self.to_format("json")
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text().map_err(|_| fmt::Error)?)
    }
}

impl Nest {
    /// Regions with their symbols, loops, references, and what could not be described; of those
    /// named, or all.
    pub fn report(&self, regions: &[&str]) -> Result<Report> {
        let regions = regions.iter().map(|r| c_string(r)).collect::<Result<Vec<_>>>()?;
        let names: Vec<_> = regions.iter().map(|r| r.as_ptr()).collect();
        let nests = [self.raw()];
        // SAFETY: one nest and so many names, alive and only read.
        Report::make(|ctx, out| unsafe {
            sys::pluss_nest_report(ctx, nests.as_ptr(), 1, names.as_ptr(), names.len(), out)
        })
    }

    /// The nest after these steps, each applied to what the one before left (docs/transform.md):
    /// `"tile:i=32,k=64"`. What is not legal is [`Status::Unsupported`](crate::Status), with place
    /// and reason.
    pub fn transform(&self, steps: &[&str]) -> Result<Self> {
        let steps = steps.iter().map(|step| c_string(step)).collect::<Result<Vec<_>>>()?;
        let texts: Vec<_> = steps.iter().map(|step| step.as_ptr()).collect();
        let context = Context::new(None)?;
        // SAFETY: the nest and so many texts are alive and only read; what is given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_nest_transform(ctx, self.raw(), texts.as_ptr(), texts.len(), out)
        })?;
        Ok(Self::from_handle(Handle::new(raw, context)))
    }
}
