// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slices whose indexing inside of a Rayon closure is recorded.
//!
//! A [`Site`] is a parallel loop of the source with its references, numbered as in the nest that
//! describes it. [`Site::run`] runs it; inside, each closure enters its thread and wraps the slices
//! it touches. [`take`] gives the private reuse intervals of every reference, thread by thread.
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
//!         let thread = run.enter();
//!         let x = thread.reads(0, &x[100 * c..]);
//!         let mut y = thread.updates(1, 2, y);
//!         for i in 0..100 {
//!             y[i] += 2.0 * x[i];
//!         }
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
//!         let thread = run.enter();
//!         thread.writes(0, &mut data)[0] = i as u8; // all threads would write the same
//!     })
//! });
//! ```
//!
//! Nothing leaves the run it belongs to:
//!
//! ```compile_fail
//! # use pluss_trace::{Shape, Site};
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! let data = [0u8; 4];
//! let escaped = site.run(|run| run.enter().reads(0, &data)); // the thread ends in the closure
//! ```
//!
//! ```compile_fail,E0277
//! # use pluss_trace::{Shape, Site};
//! let site = Site::new("s", &[Shape::of::<u8>()]);
//! site.run(|run| {
//!     let thread = run.enter();
//!     std::thread::scope(|s| { s.spawn(|| drop(thread)); }); // it belongs to this thread
//! });
//! ```

use std::cell::Cell;
use std::ffi::CString;
use std::io;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::panic::Location;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// Ends a run, also on the way of a panic.
struct End(*mut sys::pluss_rt_run);

impl Drop for End {
    fn drop(&mut self) {
        // SAFETY: begun by this thread, ended once (rt.h: by "the thread that meets the region");
        // NULL is accepted.
        unsafe { sys::pluss_rt_region_end(self.0) };
        *running() -= 1;
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
            *running() += 1;
            // SAFETY: the description lives for ever; NULL for no symbols and no addresses.
            let raw = unsafe { sys::pluss_rt_region_begin(region, ptr::null(), ptr::null()) };
            let _end = End(raw);
            let team = rayon::current_num_threads();
            let base = rayon::current_thread_index().unwrap_or(0);
            body(&Run { raw, team, base, n_refs: region.n_refs })
        })
    }
}

/// A run of a [`Site`] that is going on.
pub struct Run {
    raw: *mut sys::pluss_rt_run,
    team: usize,
    base: usize, // number in the pool of the thread that began the region, which is thread 0
    n_refs: u32,
}

// SAFETY: rt.h: between region_begin and region_end any thread may call thread_begin with the run;
// `Site::run` lends the Run for no longer than that.
unsafe impl Sync for Run {}

thread_local! {
    /// How many [`Thread`]s this system thread is inside of: a stolen task may enter again.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

impl Run {
    /// The calling thread plays its part in the team until the result is dropped.
    pub fn enter(&self) -> Thread<'_> {
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        if depth == 0 {
            let index = rayon::current_thread_index().unwrap_or(self.base);
            let number = (index + self.team - self.base % self.team) % self.team;
            // SAFETY: within the run; a matching thread_end follows on this thread (Thread is not
            // Send). NULL is accepted.
            unsafe { sys::pluss_rt_thread_begin(self.raw, number as u32, self.team as u32) };
        }
        Thread { run: self, here: PhantomData }
    }
}

/// A thread of the team at work. Accesses through what it wraps are recorded as this thread's.
pub struct Thread<'r> {
    run: &'r Run,
    here: PhantomData<*mut ()>, // not Send: thread_begin and thread_end belong to one thread
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            // SAFETY: ends what `enter` began, on the same thread, within the run.
            unsafe { sys::pluss_rt_thread_end(self.run.raw) };
        }
    }
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
        Traced { slice, read, here: PhantomData }
    }

    /// A slice that is written: `x[i] = v` is an access of the reference. (Reading it is, too.)
    pub fn writes<'s, T>(&'s self, reference: u32, slice: &'s mut [T]) -> TracedMut<'s, T> {
        let write = self.check(reference);
        TracedMut { slice, read: None, write, here: PhantomData }
    }

    /// A slice that is read and written: `x[i] += v` is an access of `read` and one of `write`,
    /// `x[i]` alone one of `read`.
    pub fn updates<'s, T>(&'s self, read: u32, write: u32, slice: &'s mut [T]) -> TracedMut<'s, T> {
        let (read, write) = (Some(self.check(read)), self.check(write));
        TracedMut { slice, read, write, here: PhantomData }
    }
}

fn access<T>(reference: u32, element: &T) {
    // SAFETY: the address is only looked at as a number; a thread of a run is entered, or the call
    // does nothing.
    unsafe { sys::pluss_rt_access(reference, ptr::from_ref(element).cast()) }
}

/// A slice whose reads are recorded.
pub struct Traced<'s, T> {
    slice: &'s [T],
    read: u32,
    here: PhantomData<*mut ()>, // not Send: it records as its Thread
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
        access(self.read, element);
        element
    }
}

/// A slice whose writes are recorded, and whose updates are a read and a write.
pub struct TracedMut<'s, T> {
    slice: &'s mut [T],
    read: Option<u32>,
    write: u32,
    here: PhantomData<*mut ()>,
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
        access(self.read.unwrap_or(self.write), element);
        element
    }
}

impl<T> IndexMut<usize> for TracedMut<'_, T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        let element = &mut self.slice[i];
        if let Some(read) = self.read {
            access(read, element);
        }
        access(self.write, element);
        element
    }
}

/// All that was recorded of the runs that ended so far.
pub fn record() -> io::Result<Record> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!(
        "pluss-trace-{}-{}.record",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let path: PathBuf = std::env::temp_dir().join(name);
    let bytes = CString::new(path.as_os_str().as_encoded_bytes())?;
    // SAFETY: a string for the call, which may be made at any time.
    let errno = unsafe { sys::pluss_rt_write(bytes.as_ptr()) };
    if errno != 0 {
        return Err(io::Error::from_raw_os_error(errno));
    }
    let text = std::fs::read_to_string(&path);
    std::fs::remove_file(&path)?;
    text?.parse().map_err(|error: ParseError| io::Error::new(io::ErrorKind::InvalidData, error))
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
