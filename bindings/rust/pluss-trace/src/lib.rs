// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slices whose indexing inside of a Rayon closure is recorded.
//!
//! A [`Site`] is a parallel loop of the source with its references, numbered as in the nest that
//! describes it. [`Site::run`] runs it; inside, each closure enters its thread ([`Run::enter`]) and
//! wraps the slices it touches. [`take`] gives the private reuse intervals of every reference, thread
//! by thread.
//!
//! ```
//! use pluss_trace::{Shape, Site};
//! use rayon::prelude::*;
//!
//! let x: Vec<f64> = (0..1000).map(f64::from).collect();
//! let mut y = vec![1.0; 1000];
//! let site = Site::new("axpy", &[Shape::of::<f64>(); 3]); // read x[i], read y[i], write y[i]
//! site.run(|run| {
//!     y.par_chunks_mut(100).enumerate().for_each(|(c, y)| {
//!         run.enter(|thread| {
//!             let x = thread.reads(0, &x[100 * c..]);
//!             let mut y = thread.updates(1, 2, y);
//!             for i in 0..100 {
//!                 y[i] += 2.0 * x[i];
//!             }
//!         })
//!     })
//! });
//! let record = pluss_trace::take()?;
//! assert_eq!(record.regions[0].accesses(), 3000);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What threads share they only read; to write, each has its own part. This would be a data race,
//! and does not compile:
//!
//! ```compile_fail,E0596
//! # use pluss_trace::{Shape, Site};
//! # use rayon::prelude::*;
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! let mut data = [0u8; 64];
//! site.run(|run| {
//!     (0..64usize).into_par_iter().for_each(|i| {
//!         run.enter(|thread| {
//!             thread.writes(0, &mut data)[0] = i as u8; // all threads would write the same
//!         })
//!     })
//! });
//! ```
//!
//! Nothing leaves the run it belongs to, nor the thread:
//!
//! ```compile_fail
//! # use pluss_trace::{Shape, Site};
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! let data = [0u8; 4];
//! site.run(|run| {
//!     let escaped = run.enter(|thread| thread.reads(0, &data)); // the thread ends with the closure
//! });
//! ```
//!
//! ```compile_fail,E0521
//! # use pluss_trace::{Shape, Site};
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! let mut kept = None;
//! site.run(|run| run.enter(|thread| kept = Some(thread))); // so it cannot be kept
//! ```
//!
//! ```compile_fail
//! # use pluss_trace::Site;
//! let site = Site::new("s", &[]);
//! let escaped = site.run(|run| run); // a run ends with its closure, too
//! ```
//!
//! ```compile_fail,E0521
//! # use pluss_trace::Site;
//! let site = Site::new("s", &[]);
//! site.run(|run| rayon::spawn(move || run.enter(|_| ()))); // this task may outlive the run
//! ```
//!
//! ```compile_fail,E0277
//! # use pluss_trace::{Shape, Site};
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! site.run(|run| {
//!     run.enter(|thread| {
//!         // it belongs to this system thread
//!         std::thread::scope(|s| { s.spawn(|| thread.reads(0, &[0u8]).len()); });
//!     })
//! });
//! ```
//!
//! ```compile_fail,E0277
//! # use pluss_trace::{Shape, Site};
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! let data = [0u8; 4];
//! site.run(|run| {
//!     run.enter(|thread| {
//!         let data = thread.reads(0, &data); // and so do its slices
//!         std::thread::scope(|s| { s.spawn(|| data[0]); });
//!     })
//! });
//! ```

use std::cell::Cell;
use std::ffi::CString;
use std::io;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::panic::Location;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

mod record;
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub mod sys;

pub use record::{Intervals, ParseError, Record, Region, Thread as ThreadTotals};

/// What a reference's accesses look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    width: u32,
    stride_gcd: u32,
}

impl Shape {
    /// Whole elements of an array of `T`.
    pub const fn of<T>() -> Self {
        let bytes = size_of::<T>();
        assert!(bytes > 0 && bytes < 1 << 24, "an element of 1 byte up to 16 MiB");
        let power = 1u32 << bytes.trailing_zeros();
        let line = sys::PLUSS_RT_LINE_BYTES;
        Self { width: bytes as u32, stride_gcd: if power < line { power } else { line } }
    }
}

/// A parallel loop of the source that is recorded. Make it once: the record knows it for as long
/// as the program runs, which is why its description (some 100 bytes) is never freed.
#[derive(Clone, Copy)]
pub struct Site {
    region: &'static sys::pluss_rt_region,
}

// SAFETY: the description is never written after `new`, and what it points to is never freed;
// pluss_rt_region_begin may be called with it from several threads (rt.h: "different threads may
// run regions at the same time").
unsafe impl Send for Site {}
// SAFETY: as above.
unsafe impl Sync for Site {}

/// Runs that are going on; pluss_rt_reset must not meet one.
static RUNNING: Mutex<usize> = Mutex::new(0);

fn running() -> MutexGuard<'static, usize> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// This system thread has begun a region, which is not yet ended.
    static BEGAN: Cell<bool> = const { Cell::new(false) };
    /// The run that this system thread has entered; null: none. What it enters meanwhile (a task
    /// that is stolen while another one waits) counts for the same thread if it is of the same run,
    /// and else is counted as lost.
    static ENTERED: Cell<*mut sys::pluss_rt_run> = const { Cell::new(ptr::null_mut()) };
}

// What begins and ends a region, or a thread's part in it, is a value of a function of this module
// that calls the user's closure: it is dropped when that returns or panics, on the same system
// thread, the last one first. No user can keep, forget or exchange one. So libpluss-rt never is in a
// run that has ended: those who entered it are inside of the closure that it lasts for.

/// A region that this system thread began.
struct Open(*mut sys::pluss_rt_run);

impl Open {
    /// None in another one: that is what is recorded.
    fn begin(region: &'static sys::pluss_rt_region) -> Option<Self> {
        if BEGAN.get() || !ENTERED.get().is_null() {
            return None;
        }
        *running() += 1;
        BEGAN.set(true);
        // SAFETY: the description lives for ever; NULL for no symbols and no addresses.
        Some(Self(unsafe { sys::pluss_rt_region_begin(region, ptr::null(), ptr::null()) }))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: begun by this thread, ended once (rt.h: by "the thread that meets the region");
        // NULL is accepted. No thread is in it any more: see above.
        unsafe { sys::pluss_rt_region_end(self.0) };
        BEGAN.set(false);
        *running() -= 1;
    }
}

/// A part in a run's team that this system thread plays.
struct Part(*mut sys::pluss_rt_run);

impl Part {
    /// None inside of another one.
    fn begin(run: &Run) -> Option<Self> {
        if run.raw.is_null() || !ENTERED.get().is_null() {
            return None;
        }
        ENTERED.set(run.raw);
        let index = rayon::current_thread_index().unwrap_or(run.base);
        let number = (index % run.team + run.team - run.base % run.team) % run.team;
        // SAFETY: the run lasts for longer than what borrows it. NULL is accepted.
        unsafe { sys::pluss_rt_thread_begin(run.raw, number as u32, run.team as u32) };
        Some(Self(run.raw))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: ends what `begin` began, on the same thread, within the run.
        unsafe { sys::pluss_rt_thread_end(self.0) };
        ENTERED.set(ptr::null_mut());
    }
}

impl Site {
    /// `references`: what each reference accesses, numbered as in the nest.
    #[track_caller]
    pub fn new(name: &str, references: &[Shape]) -> Self {
        let place = Location::caller();
        let leak = |s: &str| {
            let clean = s.replace('\0', "?");
            CString::new(clean).expect("no NUL is left").into_raw().cast_const()
        };
        let refs: Vec<sys::pluss_rt_ref> = references
            .iter()
            .map(|shape| sys::pluss_rt_ref { width: shape.width, stride_gcd: shape.stride_gcd })
            .collect();
        let refs: &'static [sys::pluss_rt_ref] = refs.leak();
        let region = Box::leak(Box::new(sys::pluss_rt_region {
            size: size_of::<sys::pluss_rt_region>(),
            name: leak(name),
            file: leak(place.file()),
            line: place.line(),
            n_refs: refs.len() as u32,
            n_symbols: 0,
            n_arrays: 0,
            r#ref: refs.as_ptr(),
            symbol: ptr::null(),
            array: ptr::null(),
        }));
        Self { region }
    }

    fn region(&self) -> &'static sys::pluss_rt_region {
        self.region
    }

    /// Runs the loop in the current pool, recorded. A run inside of another one is not recorded.
    pub fn run<R: Send>(&self, body: impl FnOnce(&Run) -> R + Send) -> R {
        // Into the pool, so that the thread that begins the region is one of the team.
        let site = *self;
        rayon::scope(move |_| {
            let region = site.region(); // by a call: the closure then holds the Site, which is Send
            let open = Open::begin(region);
            let raw = open.as_ref().map_or(ptr::null_mut(), |open| open.0);
            let team = rayon::current_num_threads();
            let base = rayon::current_thread_index().unwrap_or(0);
            body(&Run { raw, team, base, n_refs: region.n_refs })
        })
    }
}

/// A run of a [`Site`] that is going on.
pub struct Run {
    raw: *mut sys::pluss_rt_run, // null: it is not recorded
    team: usize,
    base: usize, // number in the pool of the thread that began the region, which is thread 0
    n_refs: u32,
}

// SAFETY: rt.h: between region_begin and region_end any thread may call thread_begin with the run;
// `Site::run` lends the Run for no longer than that.
unsafe impl Sync for Run {}

impl Run {
    /// Calls `work`, during which the calling thread plays its part in the team.
    ///
    /// In it, other calls of the same run's `enter` (by a task that is stolen meanwhile) play the
    /// same part. Accesses of another run that is entered in it are not recorded, but counted as
    /// [lost](crate::Region::lost) of that run.
    pub fn enter<R>(&self, work: impl FnOnce(&Thread<'_>) -> R) -> R {
        let _part = Part::begin(self);
        work(&Thread { run: self, here: PhantomData })
    }
}

/// A thread of the team at work. Accesses through what it wraps are recorded as this thread's.
pub struct Thread<'r> {
    run: &'r Run,
    here: PhantomData<*mut ()>, // not Send: thread_begin and thread_end belong to one thread
}

impl Thread<'_> {
    fn check(&self, reference: u32) -> u32 {
        assert!(
            reference < self.run.n_refs,
            "reference {reference} of a site with {}",
            self.run.n_refs
        );
        reference
    }

    /// A slice that is read: `x[i]` is an access of the reference.
    pub fn reads<'s, T>(&'s self, reference: u32, slice: &'s [T]) -> Traced<'s, T> {
        let read = self.check(reference);
        Traced { slice, read, run: self.run.raw }
    }

    /// A slice that is written: `x[i] = v` is an access of the reference. (Reading it is, too.)
    pub fn writes<'s, T>(&'s self, reference: u32, slice: &'s mut [T]) -> TracedMut<'s, T> {
        let write = self.check(reference);
        TracedMut { slice, read: None, write, run: self.run.raw }
    }

    /// A slice that is read and written: `x[i] += v` is an access of `read` and one of `write`,
    /// `x[i]` alone one of `read`.
    pub fn updates<'s, T>(&'s self, read: u32, write: u32, slice: &'s mut [T]) -> TracedMut<'s, T> {
        let (read, write) = (Some(self.check(read)), self.check(write));
        TracedMut { slice, read, write, run: self.run.raw }
    }
}

fn access<T>(run: *mut sys::pluss_rt_run, reference: u32, element: &T) {
    if !run.is_null() && run == ENTERED.get() {
        // SAFETY: the address is only looked at as a number; this thread is in the run, which lasts.
        unsafe { sys::pluss_rt_access(reference, ptr::from_ref(element).cast()) }
    } else {
        // SAFETY: what wraps the slice borrows the run, which lasts. NULL is accepted.
        unsafe { sys::pluss_rt_lost(run, 1) }
    }
}

/// A slice whose reads are recorded.
pub struct Traced<'s, T> {
    slice: &'s [T],
    read: u32,
    run: *mut sys::pluss_rt_run, // which makes it not Send: it records as its Thread
}

impl<T> Traced<'_, T> {
    /// How many elements; not an access.
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.slice.is_empty()
    }
}

impl<T> Index<usize> for Traced<'_, T> {
    type Output = T;

    fn index(&self, i: usize) -> &T {
        let element = &self.slice[i];
        access(self.run, self.read, element);
        element
    }
}

/// A slice whose writes are recorded, and whose updates are a read and a write.
pub struct TracedMut<'s, T> {
    slice: &'s mut [T],
    read: Option<u32>,
    write: u32,
    run: *mut sys::pluss_rt_run,
}

impl<T> TracedMut<'_, T> {
    /// How many elements; not an access.
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.slice.is_empty()
    }
}

impl<T> Index<usize> for TracedMut<'_, T> {
    type Output = T;

    fn index(&self, i: usize) -> &T {
        let element = &self.slice[i];
        access(self.run, self.read.unwrap_or(self.write), element);
        element
    }
}

impl<T> IndexMut<usize> for TracedMut<'_, T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        let element = &mut self.slice[i];
        if let Some(read) = self.read {
            access(self.run, read, element);
        }
        access(self.run, self.write, element);
        element
    }
}

/// All that was recorded of the runs that ended so far.
pub fn record() -> io::Result<Record> {
    let (mut text, mut length) = (ptr::null_mut(), 0);
    // SAFETY: two places to write to; it may be called at any time.
    let errno = unsafe { sys::pluss_rt_text(&raw mut text, &raw mut length) };
    if errno != 0 {
        return Err(io::Error::from_raw_os_error(errno));
    }
    // SAFETY: so many bytes are there now, this function's to free.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    let record = String::from_utf8_lossy(bytes).parse();
    // SAFETY: from malloc (rt.h), and the bytes are not looked at again.
    unsafe { sys::free(text.cast()) };
    record.map_err(|error: ParseError| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The same, and forgets it. An error where a run is going on.
pub fn take() -> io::Result<Record> {
    let running = running();
    if *running > 0 {
        return Err(io::Error::other("a site is running"));
    }
    let record = record()?;
    // SAFETY: no region is running (rt.h), and none can begin: `running` is locked.
    unsafe { sys::pluss_rt_reset() };
    drop(running);
    Ok(record)
}
