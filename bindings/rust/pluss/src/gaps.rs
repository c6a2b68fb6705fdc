// SPDX-License-Identifier: GPL-3.0-or-later
//! How far apart the threads of a loop were in real runs.

use std::ptr::NonNull;

use pluss_sys as sys;

use crate::context::{blank, maybe_text, text, Context};
use crate::curve::lent;
use crate::engine::Options;
use crate::error::Result;
use crate::record::Record;
use crate::report::Report;

/// Takes records with time stamps of a program, run by run.
pub struct Gaps {
    raw: NonNull<sys::pluss_gaps>,
    context: Context<'static>, // dropped after `raw` is freed: the order of drop
}

/// What was tested.
pub struct Tested(Gaps);

/// Of one run of the program, or of all together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GapsTest {
    /// Gaps that were tested.
    pub samples: u64,
    /// Stops that were taken.
    pub stops: u64,
    /// Of which that many found no two threads in the loop.
    pub outside: u64,
    /// Against even gaps.
    pub chi2: f64,
    /// Of even and independent samples.
    pub p: f64,
    /// Of even samples that are correlated as these are.
    pub p_corrected: f64,
    /// As many independent samples tell as much.
    pub effective: f64,
    /// Gaps by share of a lap.
    pub counts: Vec<u64>,
}

impl Gaps {
    /// None as yet; options by name and text: `region`, `loop`, `lap`, `drop`, `bins`, `interval`,
    /// `stops`.
    pub fn new(options: &[(&str, &str)]) -> Result<Self> {
        let context = Context::new(None)?;
        let set = Options::new(&context)?;
        for (name, text) in options {
            set.set(name, text)?;
        }
        let raw = context.make(|ctx, out| {
            // SAFETY: the context and the options are alive; what is given is ours.
            unsafe { sys::pluss_gaps_new(ctx, set.raw.as_ptr(), out) }
        })?;
        drop(set);
        Ok(Self { raw, context })
    }

    /// One more run.
    pub fn add(&mut self, record: &Record) -> Result<()> {
        // SAFETY: the gaps are ours, the record is alive and only read.
        let status = unsafe { sys::pluss_gaps_add(self.raw.as_ptr(), record.raw()) };
        self.context.check(status)
    }

    /// Tests all that was added. `Status::NotFound`: no stop found two threads in such a loop.
    pub fn finish(self) -> Result<Tested> {
        // SAFETY: the gaps are ours.
        let status = unsafe { sys::pluss_gaps_finish(self.raw.as_ptr()) };
        self.context.check(status)?;
        Ok(Tested(self))
    }
}

impl Drop for Gaps {
    fn drop(&mut self) {
        // SAFETY: ours, freed once, and its context is alive.
        unsafe { sys::pluss_gaps_free(self.raw.as_ptr()) }
    }
}

impl Tested {
    /// The region, its source file, the loop's number in it, and the largest team.
    pub fn place(&self) -> (String, Option<String>, u32, u32) {
        let mut raw = blank!(pluss_gaps_info);
        // SAFETY: the gaps are alive and only read; `raw` has its size set; the strings live as
        // long, and are copied.
        unsafe {
            let status = sys::pluss_gaps_get_info(self.0.raw.as_ptr(), &mut raw);
            assert_eq!(status, sys::PLUSS_OK, "info of gaps");
            let file = maybe_text(raw.file).map(str::to_owned);
            (text(raw.region).to_owned(), file, raw.r#loop, raw.team)
        }
    }

    /// Of a run, in the order in which they were added, or of all together.
    pub fn test(&self, run: Option<usize>) -> Option<GapsTest> {
        let (mut raw, run) = (blank!(pluss_gaps_test), run.unwrap_or(usize::MAX));
        // SAFETY: the gaps are alive and only read; `raw` has its size set; so many numbers live as
        // long, and are copied.
        unsafe {
            if sys::pluss_gaps_get_test(self.0.raw.as_ptr(), run, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(GapsTest {
                samples: raw.samples,
                stops: raw.stops,
                outside: raw.outside,
                chi2: raw.chi2,
                p: raw.p,
                p_corrected: raw.p_corrected,
                effective: raw.effective,
                counts: lent(raw.counts, raw.n_counts).to_vec(),
            })
        }
    }

    /// For people.
    pub fn report(&self) -> Result<String> {
        // SAFETY: the gaps are alive and only read; what is given is freed before them.
        Report::print_of(&self.0.context, |out| unsafe {
            sys::pluss_gaps_report(self.0.raw.as_ptr(), out)
        })
    }
}
