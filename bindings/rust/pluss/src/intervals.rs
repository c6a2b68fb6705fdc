// SPDX-License-Identifier: GPL-3.0-or-later
//! Private reuse intervals.

use std::fmt;

use pluss_sys as sys;

use crate::context::{Free, Handle};
use crate::curve::lent;

impl Free for sys::pluss_pri {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_pri_free takes it back ("Owner").
        unsafe { sys::pluss_pri_free(raw) }
    }
}

/// How threads share what a reference touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sharing {
    /// Lines of their own.
    None,
    /// Elements of their own in lines that they share.
    Spatial,
    /// The same elements.
    Full,
    /// None or Spatial: values are needed to tell.
    Split,
}

impl Sharing {
    pub(crate) fn from_raw(raw: sys::pluss_sharing) -> Self {
        match raw {
            sys::PLUSS_SHARING_SPATIAL => Self::Spatial,
            sys::PLUSS_SHARING_FULL => Self::Full,
            sys::PLUSS_SHARING_SPLIT => Self::Split,
            _ => Self::None,
        }
    }
}

/// Histograms of private reuse intervals, one a reference, numbered as
/// [`Nest::refs`](crate::Nest::refs).
pub struct PrivateIntervals(Handle<sys::pluss_pri>);

/// Of one reference. Of the k threads that touch a line, each one's first touch counts 1/k as cold
/// and 1 - 1/k as thread-first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Histogram<'p> {
    /// How threads share what it touches.
    pub sharing: Sharing,
    /// Threads that share a line.
    pub sharers: u32,
    /// Accesses to lines that no thread had touched.
    pub cold: f64,
    /// Accesses to lines that this thread had not touched, but another.
    pub thread_first: f64,
    /// Intervals in accesses, ascending.
    pub intervals: &'p [u64],
    /// Accesses that ended such an interval.
    pub weights: &'p [f64],
}

impl Histogram<'_> {
    /// All accesses of the reference.
    pub fn accesses(&self) -> f64 {
        self.cold + self.thread_first + self.weights.iter().sum::<f64>()
    }

    /// `(interval, weight)` by ascending interval.
    pub fn bins(&self) -> impl ExactSizeIterator<Item = (u64, f64)> + '_ {
        self.intervals.iter().copied().zip(self.weights.iter().copied())
    }
}

impl PrivateIntervals {
    pub(crate) fn new(handle: Handle<sys::pluss_pri>) -> Self {
        Self(handle)
    }

    /// By number of the reference; `None` past the end.
    pub fn get(&self, reference: u32) -> Option<Histogram<'_>> {
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut raw: sys::pluss_pri_info = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::pluss_pri_info>();
        // SAFETY: the histograms are alive and only read; `raw` has its size set. What it then
        // points to lives, unchanged, as long as they ("Owner"), which the result borrows.
        unsafe {
            if sys::pluss_pri_get(self.0.raw(), reference, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(Histogram {
                sharing: Sharing::from_raw(raw.sharing),
                sharers: raw.sharers,
                cold: raw.cold,
                thread_first: raw.thread_first,
                intervals: lent(raw.interval, raw.n_bins),
                weights: lent(raw.weight, raw.n_bins),
            })
        }
    }

    /// All, in the references' order.
    pub fn iter(&self) -> impl Iterator<Item = Histogram<'_>> {
        (0..).map_while(|i| self.get(i))
    }
}

impl fmt::Debug for PrivateIntervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
