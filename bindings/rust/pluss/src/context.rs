// SPDX-License-Identifier: GPL-3.0-or-later
//! The C context: one for each call, owned by what the call makes.

use std::any::Any;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::{self, NonNull};

use pluss_sys as sys;

use crate::error::{Diagnostic, Error, Result, Severity, Status};

/// A string that the library lends; "" for NULL or where it is not UTF-8.
///
/// # Safety
/// `s` is NULL or NUL-terminated and lives, unchanged, for `'a`.
pub(crate) unsafe fn text<'a>(s: *const c_char) -> &'a str {
    // SAFETY: the caller's promise.
    unsafe { maybe_text(s) }.unwrap_or("")
}

/// The same; `None` for NULL.
///
/// # Safety
/// As of [`text`].
pub(crate) unsafe fn maybe_text<'a>(s: *const c_char) -> Option<&'a str> {
    if s.is_null() {
        return None;
    }
    // SAFETY: not NULL, and the caller's promise.
    let s = unsafe { CStr::from_ptr(s) };
    Some(s.to_str().unwrap_or(""))
}

pub(crate) fn c_string(s: &str) -> Result<CString> {
    CString::new(s).map_err(|_| Error::new(Status::InvalidArgument, format!("a NUL byte in {s:?}")))
}

/// What the callback `ask` is told and answers.
pub(crate) type Ask<'p> = dyn FnMut(&str, f64, u64) -> ControlFlow<()> + 'p;

struct Watcher<'p> {
    ask: Option<Box<Ask<'p>>>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Owns a `pluss_context`.
pub(crate) struct Context<'p> {
    raw: NonNull<sys::pluss_context>,
    watcher: *mut Watcher<'p>, // from Box::into_raw; the library holds the same pointer
    watched: PhantomData<Box<Watcher<'p>>>,
}

unsafe extern "C" fn on_ask(
    user: *mut c_void,
    stage: *const c_char,
    done: f64,
    steps: u64,
) -> c_int {
    // SAFETY: `user` is the Watcher given to pluss_context_new, alive as long as the context, and
    // no other reference to it exists while the library runs (pluss.h, "Calls": a callback comes
    // from within a call with this context, on its thread). `stage` lives for the call.
    let (watcher, stage) = unsafe { (&mut *user.cast::<Watcher<'_>>(), text(stage)) };
    let Some(ask) = &mut watcher.ask else { return 0 };
    // No panic may pass through the library: it is kept, and goes on when the call is over.
    match catch_unwind(AssertUnwindSafe(|| ask(stage, done, steps))) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(panic) => {
            watcher.panic = Some(panic);
            1
        }
    }
}

impl<'p> Context<'p> {
    pub(crate) fn new(ask: Option<Box<Ask<'p>>>) -> Result<Self> {
        let wanted = ask.is_some();
        let watcher = Box::into_raw(Box::new(Watcher { ask, panic: None }));
        let options = sys::pluss_context_options {
            size: size_of::<sys::pluss_context_options>(),
            resize: None,
            resize_user: ptr::null_mut(),
            log: None,
            log_user: ptr::null_mut(),
            ask: if wanted { Some(on_ask) } else { None },
            ask_user: watcher.cast(),
            kept_bytes: 0,
        };
        let mut raw = ptr::null_mut();
        // SAFETY: options are whole and begin with their size ("Structs"); `raw` receives the
        // context, which is ours to free ("Owner").
        let status = unsafe { sys::pluss_context_new(&options, &mut raw) };
        match NonNull::new(raw) {
            Some(raw) if status == sys::PLUSS_OK => Ok(Self { raw, watcher, watched: PhantomData }),
            _ => {
                // SAFETY: from Box::into_raw above; the library kept nothing.
                drop(unsafe { Box::from_raw(watcher) });
                Err(Error { status: Status::from_raw(status), diagnostics: Vec::new() })
            }
        }
    }

    pub(crate) fn raw(&self) -> *mut sys::pluss_context {
        self.raw.as_ptr()
    }

    /// Without its callback, so that it may outlive what that borrows.
    pub(crate) fn disarm(self) -> Context<'static> {
        let this = ManuallyDrop::new(self);
        let watcher = this.watcher;
        // SAFETY: no call with this context is running, so the library does not use the watcher.
        unsafe { (*watcher).ask = None };
        // With no callback in it, a Watcher<'p> is a Watcher<'static>.
        Context { raw: this.raw, watcher: watcher.cast(), watched: PhantomData }
    }

    /// The messages so far.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        // SAFETY: the context is alive, and only this thread uses it.
        let n = unsafe { sys::pluss_context_diagnostic_count(self.raw()) };
        (0..n).filter_map(|i| self.diagnostic(i)).collect()
    }

    fn diagnostic(&self, i: usize) -> Option<Diagnostic> {
        let mut raw = sys::pluss_diagnostic {
            size: size_of::<sys::pluss_diagnostic>(),
            severity: 0,
            status: 0,
            file: ptr::null(),
            line: 0,
            col: 0,
            text: ptr::null(),
        };
        // SAFETY: `raw` has its size set; the strings in it live until the context is used again,
        // and are copied here.
        unsafe {
            if sys::pluss_context_diagnostic(self.raw(), i, &mut raw) != sys::PLUSS_OK {
                return None;
            }
            Some(Diagnostic {
                severity: Severity::from_raw(raw.severity),
                status: Status::from_raw(raw.status),
                file: maybe_text(raw.file).map(str::to_owned),
                line: raw.line,
                col: raw.col,
                text: text(raw.text).to_owned(),
            })
        }
    }

    /// A status as a result, with the messages. A panic of the callback goes on here.
    pub(crate) fn check(&self, status: sys::pluss_status) -> Result<()> {
        // SAFETY: no call with this context is running, so the library does not use the watcher.
        let panic = unsafe { (*self.watcher).panic.take() };
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        match status {
            sys::PLUSS_OK => Ok(()),
            other => {
                Err(Error { status: Status::from_raw(other), diagnostics: self.diagnostics() })
            }
        }
    }

    /// Runs a call that gives an object through its last parameter, and takes the object.
    pub(crate) fn make<T>(
        &self,
        call: impl FnOnce(*mut sys::pluss_context, *mut *mut T) -> sys::pluss_status,
    ) -> Result<NonNull<T>> {
        let mut out = ptr::null_mut();
        self.check(call(self.raw(), &mut out))?;
        NonNull::new(out).ok_or_else(|| {
            Error::new(Status::Internal, "the library gave no object and no reason".into())
        })
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, freed once, after all that was made from it (each owner drops it last).
        // The watcher is from Box::into_raw and no longer used by anyone.
        unsafe {
            sys::pluss_context_free(self.raw());
            drop(Box::from_raw(self.watcher));
        }
    }
}

/// An object of the library with the context that it was made from.
pub(crate) struct Handle<T: Free> {
    raw: NonNull<T>,
    _context: Context<'static>, // dropped after `raw` is freed: the order of Handle::drop
    kept: Vec<Handle<T>>,       // whose contexts made what was moved into this one; likewise
}

/// Objects that the library frees.
pub(crate) trait Free {
    /// # Safety
    /// `raw` is an object of the library, ours, not freed before and not used again.
    unsafe fn free(raw: *mut Self);
}

impl<T: Free> Handle<T> {
    pub(crate) fn new(raw: NonNull<T>, context: Context<'static>) -> Self {
        Self { raw, _context: context, kept: Vec::new() }
    }

    pub(crate) fn raw(&self) -> *const T {
        self.raw.as_ptr()
    }

    pub(crate) fn raw_mut(&mut self) -> *mut T {
        self.raw.as_ptr()
    }

    /// Moves what is in another one into this one; both hold a part of it where the call fails.
    pub(crate) fn take(
        &mut self,
        mut other: Self,
        call: unsafe extern "C" fn(*mut sys::pluss_context, *mut T, *mut T) -> sys::pluss_status,
    ) -> Result<()> {
        let context = Context::new(None)?;
        // SAFETY: both objects are alive and ours alone; the other one and its context stay alive.
        let status = unsafe { call(context.raw(), self.raw_mut(), other.raw_mut()) };
        self.kept.push(other);
        context.check(status)
    }
}

impl<T: Free> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: ours, freed once; its context is still alive (fields are dropped after this).
        unsafe { T::free(self.raw.as_ptr()) }
    }
}

// SAFETY: pluss.h, "Threads": what was made from a context is used by one thread at a time, any
// thread; a Handle owns both the object and its context, and the context is never lent.
unsafe impl<T: Free> Send for Handle<T> {}
// SAFETY: pluss.h, "Threads": finished objects are only read by the calls that take them as
// const, each with a context of its own; a Handle gives out `*const T` alone.
unsafe impl<T: Free> Sync for Handle<T> {}

/// What a call writes.
pub(crate) fn written(
    call: impl FnOnce(*mut sys::pluss_context, sys::pluss_write_fn, *mut c_void) -> sys::pluss_status,
) -> Result<Vec<u8>> {
    let context = Context::new(None)?;
    let mut sink: Vec<u8> = Vec::new();
    let status = call(context.raw(), Some(on_write), ptr::from_mut(&mut sink).cast());
    context.check(status)?;
    Ok(sink)
}

/// The same as text.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|e| Error::new(Status::Format, e.to_string()))
}

/// What the library fills: all zero but its size.
macro_rules! blank {
    ($type:ident) => {{
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut raw: pluss_sys::$type = unsafe { std::mem::zeroed() };
        raw.size = size_of::<pluss_sys::$type>();
        raw
    }};
}
pub(crate) use blank;

/// Types and what frees them.
macro_rules! freed {
    ($($type:ident by $free:ident;)*) => {$(
        impl Free for sys::$type {
            unsafe fn free(raw: *mut Self) {
                // SAFETY: as the trait says; this function takes it back ("Owner").
                unsafe { sys::$free(raw) }
            }
        }
    )*};
}
freed! {
    pluss_advice by pluss_advice_free;
    pluss_report by pluss_report_free;
    pluss_sweep by pluss_sweep_free;
    pluss_timelines by pluss_timelines_free;
    pluss_times by pluss_times_free;
}

/// Collects what the library writes.
pub(crate) unsafe extern "C" fn on_write(
    user: *mut c_void,
    data: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: `user` is the Vec<u8> given along with this function, borrowed for the call; `data`
    // has `length` bytes.
    unsafe {
        let sink = &mut *user.cast::<Vec<u8>>();
        sink.extend_from_slice(std::slice::from_raw_parts(data.cast(), length));
    }
    0
}
