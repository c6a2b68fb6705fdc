// SPDX-License-Identifier: GPL-3.0-or-later
//! Why a curve falls where it does.

use pluss_sys as sys;

use crate::context::{maybe_text, text};
use crate::curve::Curve;

/// A stretch of sizes over which the miss ratio falls by a point or more, and what finds its lines
/// again from there on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Knee {
    /// The least size that holds half of it; `None`: what no size holds.
    pub at_lines: Option<u64>,
    /// Where it begins: less than 5 % of it is held.
    pub from_lines: u64,
    /// Where it ends: at least 95 % of it is held.
    pub to_lines: u64,
    /// The miss ratio before it.
    pub before: f64,
    /// The miss ratio after it.
    pub after: f64,
    /// What it consists of, the greatest share first.
    pub reuses: Vec<Reuse>,
}

/// A reference of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reference {
    /// `B[k][j]`
    pub text: String,
    /// A write, not a read.
    pub write: bool,
    /// Of an atomic update.
    pub atomic: bool,
    /// File and line, where they are known.
    pub place: Option<(String, u32)>,
}

/// What carries a reuse, from one touch of a line to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Carried {
    /// The access is the first touch of its line.
    Nothing,
    /// Iterations of the loop with this induction variable.
    Loop {
        /// The induction variable.
        iv: String,
        /// File and line, where they are known.
        place: Option<(String, u32)>,
    },
    /// The region's repetition.
    Repetition,
    /// Another loop, the loops around both being in the same iteration.
    OtherLoop,
    /// Nothing but code of the same iteration of the same loops.
    SameIteration,
}

/// Accesses of a reference that find their lines again for one reason.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reuse {
    /// Of all accesses.
    pub share: f64,
    /// The array's name.
    pub array: String,
    /// The reference.
    pub reference: Reference,
    /// What the reuse is carried by.
    pub carried: Carried,
    /// The touch before is another thread's.
    pub other_thread: bool,
    /// The reference that touches before, most often.
    pub source: Option<Reference>,
}

/// # Safety
/// As of [`text`].
pub(crate) unsafe fn place(file: *const std::ffi::c_char, line: u32) -> Option<(String, u32)> {
    // SAFETY: the caller's promise.
    unsafe { maybe_text(file) }.map(|file| (file.to_owned(), line))
}

/// # Safety
/// Its strings live for the call.
unsafe fn reuse(raw: &sys::pluss_reuse_info) -> Reuse {
    let site = |text: &str, write, atomic, file, line| Reference {
        text: text.to_owned(),
        write: write != 0,
        atomic: atomic != 0,
        // SAFETY: the caller's promise.
        place: unsafe { place(file, line) },
    };
    // SAFETY: the caller's promise.
    unsafe {
        Reuse {
            share: raw.share,
            array: text(raw.array).to_owned(),
            reference: site(text(raw.reference), raw.write, raw.atomic, raw.file, raw.line),
            carried: match raw.carried {
                sys::PLUSS_CARRIED_BY_LOOP => Carried::Loop {
                    iv: text(raw.r#loop).to_owned(),
                    place: place(raw.loop_file, raw.loop_line),
                },
                sys::PLUSS_CARRIED_BY_REPETITION => Carried::Repetition,
                sys::PLUSS_CARRIED_BY_OTHER_LOOP => Carried::OtherLoop,
                sys::PLUSS_CARRIED_BY_SAME_ITERATION => Carried::SameIteration,
                _ => Carried::Nothing,
            },
            other_thread: raw.other_thread != 0,
            source: maybe_text(raw.source).map(|text| {
                let (write, atomic) = (raw.source_write, raw.source_atomic);
                site(text, write, atomic, raw.source_file, raw.source_line)
            }),
        }
    }
}

impl Curve {
    fn knee(&self, i: usize) -> Option<Knee> {
        // SAFETY: all-zero is a value of this struct of numbers.
        let mut raw: sys::pluss_knee_info = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::pluss_knee_info>();
        // SAFETY: the curve is alive and only read; `raw` has its size set.
        if unsafe { sys::pluss_curve_get_knee(self.raw(), i, &mut raw) } != sys::PLUSS_OK {
            return None;
        }
        let reuses = (0..raw.n_reuses).map_while(|k| {
            // SAFETY: all-zero is a value of this struct of numbers and pointers.
            let mut raw: sys::pluss_reuse_info = unsafe { std::mem::zeroed() };
            raw.size = size_of::<sys::pluss_reuse_info>();
            // SAFETY: the curve is alive and only read; `raw` has its size set; its strings live,
            // unchanged, as long as the curve ("Owner").
            unsafe {
                let status = sys::pluss_curve_get_reuse(self.raw(), i, k, &mut raw);
                (status == sys::PLUSS_OK).then(|| reuse(&raw))
            }
        });
        Some(Knee {
            at_lines: (raw.at_lines > 0).then_some(raw.at_lines),
            from_lines: raw.from_lines,
            to_lines: raw.to_lines,
            before: raw.before,
            after: raw.after,
            reuses: reuses.collect(),
        })
    }

    /// Why it falls where it does, ascending by size, then what no size holds; empty unless
    /// predicted with [`Predict::explain`](crate::Predict::explain).
    pub fn knees(&self) -> impl Iterator<Item = Knee> + '_ {
        (0..).map_while(|i| self.knee(i))
    }
}
