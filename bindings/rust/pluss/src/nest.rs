// SPDX-License-Identifier: GPL-3.0-or-later
//! Descriptions of parallel programs.

use std::fmt;
use std::os::raw::c_void;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::str::FromStr;

use pluss_sys as sys;

use crate::builder::Builder;
use crate::context::{c_string, maybe_text, on_write, text, Context, Free, Handle};
use crate::engine::{Predict, Private, Simulate};
use crate::error::{Error, Result, Status};
use crate::intervals::Sharing;

impl Free for sys::pluss_nest {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_nest_free takes it back ("Owner").
        unsafe { sys::pluss_nest_free(raw) }
    }
}

/// A description of a parallel program: a sequence of regions that share symbols and arrays.
pub struct Nest(Handle<sys::pluss_nest>);

type WriteNest = unsafe extern "C" fn(
    *mut sys::pluss_context,
    *const sys::pluss_nest,
    sys::pluss_write_fn,
    *mut c_void,
) -> sys::pluss_status;

macro_rules! infos {
    ($($(#[$doc:meta])* $method:ident: $info:ident from $raw:ident by $get:ident, counted by
        $count:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $value:expr;)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub struct $info<'n> {
                $($(#[$field_doc])* pub $field: $type,)*
                #[doc(hidden)]
                pub _nest: std::marker::PhantomData<&'n Nest>,
            }

            impl<'n> $info<'n> {
                /// # Safety
                /// The strings of `raw` live, unchanged, for `'n`.
                #[allow(unused_unsafe, clippy::undocumented_unsafe_blocks)] // its own contract
                unsafe fn of(raw: &sys::$raw) -> Self {
                    $info {
                        $($field: {
                            let get: fn(&sys::$raw) -> $type = $value;
                            get(raw)
                        },)*
                        _nest: std::marker::PhantomData,
                    }
                }
            }
        )*
        impl Nest {
            $(
                $(#[$doc])*
                pub fn $method(&self) -> impl ExactSizeIterator<Item = $info<'_>> {
                    (0..self.info().$count).map(|i| {
                        // SAFETY: all-zero is a value of this struct of numbers and pointers.
                        let mut raw: sys::$raw = unsafe { std::mem::zeroed() };
                        raw.size = size_of::<sys::$raw>();
                        // SAFETY: the nest is alive and only read; `raw` has its size set.
                        let status = unsafe { sys::$get(self.raw(), i, &mut raw) };
                        assert_eq!(status, sys::PLUSS_OK, "number {i} of the nest");
                        // SAFETY: the strings live, unchanged, as long as the nest ("Owner"),
                        // which the result borrows.
                        unsafe { $info::of(&raw) }
                    })
                }
            )*
        }
    };
}

/// # Safety
/// As of [`text`].
unsafe fn place<'n>(file: *const std::ffi::c_char, line: u32) -> Option<(&'n str, u32)> {
    // SAFETY: the caller's promise.
    unsafe { maybe_text(file) }.map(|file| (file, line))
}

/// The language of a generated program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C11 with POSIX threads.
    C,
    /// Rust with Rayon.
    Rust,
}

/// How a symbol gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Whoever asks for numbers must give it.
    Unbound,
    /// The nest gives it; a binding overrides it.
    Bound,
    /// Computed from others.
    Derived,
}

infos! {
    /// The regions, in order.
    regions: RegionInfo from pluss_region_info by pluss_nest_get_region, counted by regions {
        /// Its name.
        name: &'n str = |raw| unsafe { text(raw.name) };
        /// File and line of the source.
        place: Option<(&'n str, u32)> = |raw| unsafe { place(raw.file, raw.line) };
    }
    /// The symbols, in order of declaration.
    symbols: SymbolInfo from pluss_symbol_info by pluss_nest_get_symbol, counted by symbols {
        /// Its name.
        name: &'n str = |raw| unsafe { text(raw.name) };
        /// How it gets its value.
        kind: SymbolKind = |raw| match raw.kind {
            sys::PLUSS_SYMBOL_BOUND => SymbolKind::Bound,
            sys::PLUSS_SYMBOL_DERIVED => SymbolKind::Derived,
            _ => SymbolKind::Unbound,
        };
        /// Value or expression as text.
        value: Option<&'n str> = |raw| unsafe { maybe_text(raw.value) };
    }
    /// The arrays, in order of declaration.
    arrays: ArrayInfo from pluss_array_info by pluss_nest_get_array, counted by arrays {
        /// Its name.
        name: &'n str = |raw| unsafe { text(raw.name) };
        /// `f64`, `i32`, `b48`, ...
        element: &'n str = |raw| unsafe { text(raw.element) };
        /// Subscripts; 0: a scalar.
        rank: u32 = |raw| raw.rank;
        /// Every thread has its own.
        private: bool = |raw| raw.is_private != 0;
        /// What it holds is known.
        has_contents: bool = |raw| raw.has_contents != 0;
    }
    /// The loops, in text order.
    loops: LoopInfo from pluss_loop_info by pluss_nest_get_loop, counted by loops {
        /// Its region's number.
        region: u32 = |raw| raw.region;
        /// Loops around it.
        depth: u32 = |raw| raw.depth;
        /// Induction variable.
        iv: &'n str = |raw| unsafe { text(raw.iv) };
        /// First bound as text.
        lo: &'n str = |raw| unsafe { text(raw.lo) };
        /// Second bound as text.
        hi: &'n str = |raw| unsafe { text(raw.hi) };
        /// Step.
        step: i64 = |raw| raw.step;
        /// Schedule clause ("" where there is none) of a loop whose iterations are distributed.
        schedule: Option<&'n str> = |raw| unsafe { maybe_text(raw.schedule) };
        /// File and line of the source.
        place: Option<(&'n str, u32)> = |raw| unsafe { place(raw.file, raw.line) };
    }
    /// The references, in text order: as [`PrivateIntervals`](crate::PrivateIntervals) has them.
    refs: RefInfo from pluss_ref_info by pluss_nest_get_ref, counted by refs {
        /// `A[i][k]`
        text: &'n str = |raw| unsafe { text(raw.text) };
        /// The array's name.
        array: &'n str = |raw| unsafe { text(raw.array) };
        /// A write, not a read.
        write: bool = |raw| raw.write != 0;
        /// Inside of a parallel loop.
        parallel: bool = |raw| raw.parallel != 0;
        /// How threads share what it touches, as far as the subscripts alone tell.
        sharing: Sharing = |raw| Sharing::from_raw(raw.sharing);
        /// File and line of the source.
        place: Option<(&'n str, u32)> = |raw| unsafe { place(raw.file, raw.line) };
    }
    /// What could not be described, and why.
    unknowns: UnknownInfo from pluss_unknown_info by pluss_nest_get_unknown, counted by unknowns {
        /// "loop", "reference", "call", "control", "construct".
        kind: &'n str = |raw| unsafe { text(raw.kind) };
        /// Why.
        reason: &'n str = |raw| unsafe { text(raw.reason) };
        /// File and line of the source.
        place: Option<(&'n str, u32)> = |raw| unsafe { place(raw.file, raw.line) };
    }
}

impl Nest {
    pub(crate) fn from_handle(handle: Handle<sys::pluss_nest>) -> Self {
        Self(handle)
    }

    pub(crate) fn raw(&self) -> *const sys::pluss_nest {
        self.0.raw()
    }

    /// Begins to build a nest, whose first region has this name and the place of the call.
    #[track_caller]
    pub fn builder(region: &str) -> Builder {
        Builder::new(region)
    }

    /// From the text form (docs/nest-format.md).
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_named(text, None)
    }

    /// From the text form; `file` names it in messages.
    pub fn parse_named(text: &str, file: Option<&str>) -> Result<Self> {
        let context = Context::new(None)?;
        let file = file.map(c_string).transpose()?;
        let file = file.as_ref().map_or(ptr::null(), |file| file.as_ptr());
        // SAFETY: the text has that many bytes and need not end in NUL; `file` is NULL or a
        // string; both are only read during the call.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_nest_parse(ctx, text.as_ptr().cast(), text.len(), file, out)
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// All nests in an object file, executable, archive or text.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Self>> {
        struct Found(NonNull<sys::pluss_nests>);
        impl Drop for Found {
            fn drop(&mut self) {
                // SAFETY: ours and freed once, before the context (declared after it).
                unsafe { sys::pluss_nests_free(self.0.as_ptr()) }
            }
        }
        let path = path.as_ref();
        let name = path.to_str().ok_or_else(|| {
            Error::new(Status::InvalidArgument, format!("not UTF-8: {}", path.display()))
        })?;
        let name = c_string(name)?;
        let context = Context::new(None)?;
        // SAFETY: a string for the call; what is given is ours.
        let call = |ctx, out| unsafe { sys::pluss_nests_read(ctx, name.as_ptr(), out) };
        let found = Found(context.make(call)?);
        // SAFETY: the list is alive and only read.
        let n = unsafe { sys::pluss_nests_count(found.0.as_ptr()) };
        (0..n)
            .map(|i| {
                // SAFETY: as above; i < n, so it is not NULL. It is lent until `found` is freed,
                // and copied (joined with nothing else) into a context of its own before.
                let lent = unsafe { sys::pluss_nests_get(found.0.as_ptr(), i) };
                Self::join_raw(&[lent])
            })
            .collect()
    }

    fn join_raw(all: &[*const sys::pluss_nest]) -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: so many nests, alive and only read during the call.
        let call = |ctx, out| unsafe { sys::pluss_nest_join(ctx, all.as_ptr(), all.len(), out) };
        let raw = context.make(call)?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// The regions of all, one after another, as one program.
    pub fn join<'n>(nests: impl IntoIterator<Item = &'n Nest>) -> Result<Self> {
        let raw: Vec<_> = nests.into_iter().map(Nest::raw).collect();
        Self::join_raw(&raw)
    }

    /// One region, with what it uses, as a nest of its own.
    pub fn extract(&self, region: u32) -> Result<Self> {
        let context = Context::new(None)?;
        // SAFETY: the nest is alive and only read.
        let call = |ctx, out| unsafe { sys::pluss_nest_extract(ctx, self.raw(), region, out) };
        let raw = context.make(call)?;
        Ok(Self(Handle::new(raw, context)))
    }

    fn info(&self) -> sys::pluss_nest_info {
        // SAFETY: all-zero is a value of this struct of numbers and pointers.
        let mut info: sys::pluss_nest_info = unsafe { std::mem::zeroed() };
        info.size = size_of::<sys::pluss_nest_info>();
        // SAFETY: the nest is alive and only read; `info` has its size set.
        let status = unsafe { sys::pluss_nest_get_info(self.raw(), &mut info) };
        assert_eq!(status, sys::PLUSS_OK, "a nest's info");
        info
    }

    /// Where the nest came from: a file, a place in an archive, a Rust source file.
    pub fn origin(&self) -> &str {
        // SAFETY: lives, unchanged, as long as the nest ("Owner").
        unsafe { text(self.info().origin) }
    }

    /// The canonical text; equal nests give equal texts.
    pub fn to_text(&self) -> Result<String> {
        self.written_by(sys::pluss_nest_write)
    }

    /// The loop-annotated trace: the references of each region in the order of execution, with
    /// loops in brackets (`docs/nest-format.md` has the form).
    pub fn to_annotated(&self) -> Result<String> {
        self.written_by(sys::pluss_nest_write_annotated)
    }

    fn written_by(&self, write: WriteNest) -> Result<String> {
        let context = Context::new(None)?;
        let mut sink = Vec::new();
        // SAFETY: the nest is alive and only read; on_write takes a Vec<u8>, lent for the call.
        let status = unsafe {
            let user = ptr::from_mut(&mut sink).cast();
            write(context.raw(), self.raw(), Some(on_write), user)
        };
        context.check(status)?;
        String::from_utf8(sink).map_err(|e| Error::new(Status::Format, e.to_string()))
    }

    /// A copy in which an array (its name, or `region.name`) of integers holds these values, row by
    /// row, so that indirect subscripts and bounds can be followed.
    pub fn with_contents(&self, array: &str, values: &[i64]) -> Result<Self> {
        let context = Context::new(None)?;
        let array = c_string(array)?;
        let contents =
            sys::pluss_contents { array: array.as_ptr(), values: values.as_ptr(), n: values.len() };
        // SAFETY: the nest is alive and only read; one description whose string and values live
        // for the call, which copies them; what is given is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_nest_with_contents(ctx, self.raw(), &contents, 1, out)
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// The loop nest behind traces of one thread, found in them alone. Without symbols there is one
    /// trace; with symbols there are at least three, of runs of different sizes: the values of each
    /// trace's symbols, trace by trace. The last trace, of six and more the last two, only check the
    /// nest, which repeats every trace access by access.
    pub fn fold(traces: &[&str], symbols: &[&str], values: &[i64]) -> Result<Self> {
        let context = Context::new(None)?;
        if values.len() != traces.len() * symbols.len() {
            let text = "a value of each symbol for each trace";
            return Err(Error::new(Status::InvalidArgument, text.to_string()));
        }
        let traces = traces.iter().map(|t| c_string(t)).collect::<Result<Vec<_>>>()?;
        let symbols = symbols.iter().map(|s| c_string(s)).collect::<Result<Vec<_>>>()?;
        let paths: Vec<_> = traces.iter().map(|t| t.as_ptr()).collect();
        let names: Vec<_> = symbols.iter().map(|s| s.as_ptr()).collect();
        // SAFETY: strings and values live for the call, as many as the lengths say; what is given
        // is ours.
        let raw = context.make(|ctx, out| unsafe {
            sys::pluss_nest_fold(
                ctx,
                paths.as_ptr(),
                paths.len(),
                names.as_ptr(),
                names.len(),
                values.as_ptr(),
                out,
            )
        })?;
        Ok(Self(Handle::new(raw, context)))
    }

    /// A program of its own that walks the nest and prints the private reuse intervals of every
    /// reference as JSON. Its text is MIT OR Apache-2.0.
    pub fn sampler(&self, language: Language) -> Result<String> {
        let context = Context::new(None)?;
        let mut sink = Vec::new();
        let language = match language {
            Language::C => sys::PLUSS_LANGUAGE_C,
            Language::Rust => sys::PLUSS_LANGUAGE_RUST,
        };
        // SAFETY: as in `to_text`.
        let status = unsafe {
            let user = ptr::from_mut(&mut sink).cast();
            sys::pluss_nest_codegen(context.raw(), self.raw(), language, Some(on_write), user)
        };
        context.check(status)?;
        String::from_utf8(sink).map_err(|e| Error::new(Status::Format, e.to_string()))
    }

    /// Miss ratio curves from a model, without running or walking the program.
    pub fn predict(&self) -> Predict<'_> {
        Predict::new(self)
    }

    /// Exact miss ratio curves of an interleaving, by walking every access.
    pub fn simulate(&self) -> Simulate<'_> {
        Simulate::new(self)
    }

    /// Histograms of the private reuse intervals, one a reference.
    pub fn private_intervals(&self) -> Private<'_> {
        Private::new(self)
    }
}

impl FromStr for Nest {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

/// A copy.
impl TryFrom<&Nest> for Nest {
    type Error = Error;
    fn try_from(nest: &Nest) -> Result<Self> {
        Self::join([nest])
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text().map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nest").field("origin", &self.origin()).finish_non_exhaustive()
    }
}
