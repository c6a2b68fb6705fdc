// SPDX-License-Identifier: GPL-3.0-or-later
//! The levels of a memory hierarchy.

use pluss_sys as sys;

use crate::context::{maybe_text, text};
use crate::curve::Curves;
use crate::knees::{place, Reference};

/// Accesses of one run, or the mean of several.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Misses {
    /// What comes to the level: all accesses, or what the level before misses.
    pub requests: f64,
    /// Misses.
    pub misses: f64,
    /// Their standard error; `None`: they are exact, or it is not known.
    pub error: Option<f64>,
    /// The cache never held the line.
    pub cold: f64,
    /// A fully associative cache of the same size would miss, too.
    pub capacity: f64,
    /// It would not.
    pub conflict: f64,
    /// Another thread has written to what is accessed.
    pub true_sharing: f64,
    /// Another thread has written to other bytes of the line.
    pub false_sharing: f64,
    /// Misses before which another thread has made the latest touch of the line; `None`: not known.
    pub after_other_thread: Option<f64>,
    /// From the next level or memory.
    pub bytes_fetched: f64,
    /// To the next level or memory; `None`: not known.
    pub bytes_written_back: Option<f64>,
    /// Standard error of the bytes written back; `None`: they are exact, or not known.
    pub bytes_written_back_error: Option<f64>,
}

impl Misses {
    fn new(raw: &sys::pluss_misses) -> Self {
        let (back, back_error) = (raw.bytes_written_back, raw.bytes_written_back_error);
        Self {
            requests: raw.requests,
            misses: raw.misses,
            error: (raw.error >= 0.0).then_some(raw.error),
            cold: raw.cold,
            capacity: raw.capacity,
            conflict: raw.conflict,
            true_sharing: raw.true_sharing,
            false_sharing: raw.false_sharing,
            after_other_thread: (!raw.after_other_thread.is_nan())
                .then_some(raw.after_other_thread),
            bytes_fetched: raw.bytes_fetched,
            bytes_written_back: (!back.is_nan()).then_some(back),
            bytes_written_back_error: (!back.is_nan() && back_error >= 0.0).then_some(back_error),
        }
    }
}

/// Who tells the ways of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaysFrom {
    /// The description of the caches.
    Given,
    /// A machine that has a level of this name.
    Machine,
    /// Nobody: the level is taken as fully associative.
    Unknown,
}

impl WaysFrom {
    fn new(raw: sys::pluss_ways_from) -> Self {
        match raw {
            sys::PLUSS_WAYS_GIVEN => Self::Given,
            sys::PLUSS_WAYS_MACHINE => Self::Machine,
            _ => Self::Unknown,
        }
    }
}

/// What one level does with a program's accesses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Level {
    /// `L1`
    pub name: String,
    /// The region's name.
    pub region: String,
    /// Number of threads.
    pub threads: u32,
    /// Threads that share one cache of the level.
    pub threads_per_cache: u32,
    /// Simulated exactly, not predicted.
    pub simulated: bool,
    /// Size of a line.
    pub line_bytes: u32,
    /// Size of one cache.
    pub bytes: u64,
    /// Its sets.
    pub sets: u64,
    /// Lines of a set.
    pub ways: u64,
    /// Who tells them.
    pub ways_from: WaysFrom,
    /// Where ways or lines change: number of the hierarchy, from 0.
    pub point: u32,
    /// Accesses of the program.
    pub accesses: f64,
    /// Those of the level.
    pub misses: Misses,
    /// The references that come to the level; they add up to it.
    pub references: Vec<LevelReference>,
    /// The same, those of one array together.
    pub arrays: Vec<LevelGroup>,
    /// The same, those of one innermost loop together.
    pub loops: Vec<LevelGroup>,
    /// Those of each thread, if the level is simulated; they add up to it, too.
    pub by_thread: Vec<Misses>,
}

/// References that have the array or the innermost loop in common, at one level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelGroup {
    /// The array, or the loop's induction variable; `None`: references in no loop.
    pub name: Option<String>,
    /// File and line of the loop, if they are known.
    pub place: Option<(String, u32)>,
    /// References.
    pub references: usize,
    /// Their part of the level's accesses; the error is an upper bound.
    pub misses: Misses,
}

/// With which array a reference's conflict misses are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The array whose lines most often take the place of those that are missed.
    pub array: String,
    /// How many of the misses are with it.
    pub misses: f64,
    /// Where it is the reference's own array and its columns fall into some of the sets alone.
    pub padding: Option<Padding>,
}

/// What longer rows of an array would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Padding {
    /// From row to row.
    pub row_bytes: u64,
    /// Sets that a column falls into.
    pub column_sets: u64,
    /// The fewest bytes, whole lines, by which longer rows let columns fall into all sets.
    pub pad_bytes: u64,
}

/// A reference, at one level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelReference {
    /// The reference.
    pub reference: Reference,
    /// Induction variable of the innermost loop around it.
    pub innermost_loop: Option<String>,
    /// Its part of the level's accesses.
    pub misses: Misses,
    /// Its conflict misses; `None`: there are none, or it is not known.
    pub conflict: Option<Conflict>,
}

fn conflict(raw: &sys::pluss_level_reference, array: &str) -> Conflict {
    Conflict {
        array: array.to_owned(),
        misses: raw.conflicts,
        padding: (raw.pad_bytes > 0).then_some(Padding {
            row_bytes: raw.row_bytes,
            column_sets: raw.column_sets,
            pad_bytes: raw.pad_bytes,
        }),
    }
}

impl Curves {
    fn level_reference(&self, level: usize, i: usize) -> Option<LevelReference> {
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut raw: sys::pluss_level_reference = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::pluss_level_reference>();
        // SAFETY: the result is alive and only read; `raw` has its size set; its strings live,
        // unchanged, as long as the result ("Owner").
        unsafe {
            let owner = self.owner.raw();
            if sys::pluss_result_get_level_reference(owner, level, i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(LevelReference {
                reference: Reference {
                    text: text(raw.reference).to_owned(),
                    write: raw.write != 0,
                    atomic: raw.atomic != 0,
                    place: place(raw.file, raw.line),
                },
                innermost_loop: maybe_text(raw.r#loop).map(str::to_owned),
                misses: Misses::new(&raw.misses),
                conflict: maybe_text(raw.conflicts_with).map(|array| conflict(&raw, array)),
            })
        }
    }

    fn level_group(
        &self,
        level: usize,
        by: sys::pluss_level_grouping,
        i: usize,
    ) -> Option<LevelGroup> {
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut raw: sys::pluss_level_group = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::pluss_level_group>();
        // SAFETY: as above.
        unsafe {
            let owner = self.owner.raw();
            if sys::pluss_result_get_level_group(owner, level, by, i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            let by_loop = by == sys::PLUSS_BY_LOOP;
            let name = maybe_text(if by_loop { raw.r#loop } else { raw.array });
            Some(LevelGroup {
                name: name.map(str::to_owned),
                place: place(raw.file, raw.line),
                references: raw.n_references,
                misses: Misses::new(&raw.misses),
            })
        }
    }

    fn level_thread(&self, level: usize, thread: usize) -> Option<Misses> {
        // SAFETY: all-zero is a value of this struct of numbers.
        let mut raw: sys::pluss_level_thread = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::pluss_level_thread>();
        // SAFETY: as above.
        let status = unsafe {
            sys::pluss_result_get_level_thread(self.owner.raw(), level, thread, &mut raw)
        };
        (status == sys::PLUSS_OK).then(|| Misses::new(&raw.misses))
    }

    fn level(&self, i: usize) -> Option<Level> {
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut raw: sys::pluss_level_info = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::pluss_level_info>();
        // SAFETY: as above.
        unsafe {
            if sys::pluss_result_get_level(self.owner.raw(), i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(Level {
                name: text(raw.name).to_owned(),
                region: text(raw.region).to_owned(),
                threads: raw.threads,
                threads_per_cache: raw.threads_per_cache,
                simulated: raw.simulated != 0,
                line_bytes: raw.line_bytes,
                bytes: raw.bytes,
                sets: raw.sets,
                ways: raw.ways,
                ways_from: WaysFrom::new(raw.ways_from),
                point: raw.point,
                accesses: raw.accesses,
                misses: Misses::new(&raw.misses),
                references: (0..raw.n_references)
                    .map_while(|k| self.level_reference(i, k))
                    .collect(),
                arrays: (0..).map_while(|k| self.level_group(i, sys::PLUSS_BY_ARRAY, k)).collect(),
                loops: (0..).map_while(|k| self.level_group(i, sys::PLUSS_BY_LOOP, k)).collect(),
                by_thread: (0..raw.n_threads).map_while(|k| self.level_thread(i, k)).collect(),
            })
        }
    }

    /// The levels of the hierarchy that the option `cache` describes
    /// (`L1=32K:ways=8,L2=1M:ways=16,L3=32M:ways=16:shared`), in its order for each number of
    /// threads; none where it tells sizes alone.
    pub fn levels(&self) -> impl Iterator<Item = Level> + '_ {
        (0..).map_while(|i| self.level(i))
    }
}
