// SPDX-License-Identifier: GPL-3.0-or-later
//! A nest, call by call.

use std::ffi::{c_char, CString};
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use pluss_sys as sys;

use crate::context::{c_string, Context, Free, Handle};
use crate::error::{Diagnostic, Error, Result, Severity, Status};
use crate::expr::{with_names, Cond, Expr, Subscripts, Text, Var};
use crate::nest::Nest;

/// An array of a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    pub(crate) builder: u32,
    pub(crate) name: u32,
}

/// What an array holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element(pub(crate) String);

impl Element {
    /// An element of this number of bytes.
    pub fn bytes(n: usize) -> Self {
        Self(format!("b{n}"))
    }

    /// That of a Rust type: by its size.
    pub fn of<T>() -> Self {
        Self::bytes(size_of::<T>())
    }
}

/// By the name that the nest format has for it: `"f64"`, `"i32"`, `"b48"`.
impl From<&str> for Element {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// The place of an array in memory.
#[derive(Clone, Debug, Default)]
pub enum Base {
    /// On lines of its own.
    #[default]
    Free,
    /// So many bytes into a line.
    Offset(Expr),
    /// At a byte address.
    Address(Expr),
    /// This number of bytes after the start of another array.
    Over(Array, Expr),
}

/// How a loop's iterations are distributed. Chunks are in iterations.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Dealt out in turn; a block a thread where no chunk is given.
    Static(Option<Expr>),
    /// To whoever asks; the chunk is 1 where none is given.
    Dynamic(Option<Expr>),
    /// To whoever asks, a share of what is left, but at least the chunk.
    Guided(Option<Expr>),
    /// Rayon's work stealing: least and most iterations of a piece.
    Rayon(Expr, Option<Expr>),
}

impl Schedule {
    /// `schedule(static, chunk)`
    pub fn static_(chunk: impl Into<Expr>) -> Self {
        Self::Static(Some(chunk.into()))
    }

    /// `schedule(dynamic, chunk)`
    pub fn dynamic(chunk: impl Into<Expr>) -> Self {
        Self::Dynamic(Some(chunk.into()))
    }

    /// `schedule(guided, chunk)`
    pub fn guided(chunk: impl Into<Expr>) -> Self {
        Self::Guided(Some(chunk.into()))
    }
}

/// What Rayon may do with a loop that ran: pieces of its least and most items.
#[cfg(feature = "rayon")]
impl From<&pluss_rayon::Run> for Schedule {
    fn from(run: &pluss_rayon::Run) -> Self {
        Self::Rayon(run.min_len.into(), run.max_len.map(Expr::from))
    }
}

impl Free for sys::pluss_builder {
    unsafe fn free(raw: *mut Self) {
        // SAFETY: as the trait says; pluss_builder_free takes it back ("Owner").
        unsafe { sys::pluss_builder_free(raw) }
    }
}

/// Builds a [`Nest`]; see [`Nest::builder`]. Faults are kept until [`Builder::build`], which tells
/// all, each with the place in the Rust source where the call stands.
pub struct Builder {
    context: std::mem::ManuallyDrop<Context<'static>>,
    raw: NonNull<sys::pluss_builder>,
    id: u32,
    names: Vec<String>,
    faults: Vec<Diagnostic>,
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: both are ours and freed once; the builder before its context ("Structs",
        // "Owner").
        unsafe {
            sys::pluss_builder_free(self.raw.as_ptr());
            std::mem::ManuallyDrop::drop(&mut self.context);
        }
    }
}

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Strings for one C call: they live until it is over.
#[derive(Default)]
struct Strings(Vec<CString>);

impl Strings {
    /// NULL for none.
    fn keep(&mut self, s: Option<CString>) -> *const c_char {
        s.map_or(ptr::null(), |s| {
            // the bytes stay where they are when the Vec grows
            let at = s.as_ptr();
            self.0.push(s);
            at
        })
    }
}

impl Builder {
    #[track_caller]
    pub(crate) fn new(region: &str) -> Self {
        let context = Context::new(None).expect("memory for a context");
        let place = Location::caller();
        let origin = CString::new(place.file()).unwrap_or_default();
        let raw = context
            // SAFETY: the context is alive; the string lives for the call, which copies it.
            .make(|ctx, out| unsafe { sys::pluss_builder_new(ctx, origin.as_ptr(), out) })
            .expect("memory for a builder");
        let mut builder = Self {
            context: std::mem::ManuallyDrop::new(context),
            raw,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            names: Vec::new(),
            faults: Vec::new(),
        };
        builder.region(region);
        builder
    }

    fn fault(&mut self, place: &Location<'_>, text: String) {
        self.faults.push(Diagnostic {
            severity: Severity::Error,
            status: Status::InvalidArgument,
            file: Some(place.file().to_owned()),
            line: place.line(),
            col: place.column(),
            text,
        });
    }

    /// Tells the library where the next call stands.
    #[track_caller]
    fn place(&mut self) -> &'static Location<'static> {
        let place = Location::caller();
        let file = CString::new(place.file()).unwrap_or_default();
        // SAFETY: the builder is alive; the string is copied.
        unsafe {
            sys::pluss_builder_place(
                self.raw.as_ptr(),
                file.as_ptr(),
                place.line(),
                place.column(),
            );
        }
        place
    }

    fn string(&mut self, place: &Location<'_>, s: &str) -> CString {
        CString::new(s).unwrap_or_else(|_| {
            self.fault(place, format!("a NUL byte in {s:?}"));
            c"?".to_owned()
        })
    }

    fn render(&mut self, place: &Location<'_>, text: &Text) -> CString {
        if text.mixed || text.builder.is_some_and(|id| id != self.id) {
            self.fault(place, "a variable or array of another builder".into());
            return c"0".to_owned();
        }
        self.string(place, &with_names(&text.text, &self.names))
    }

    fn name_of(&mut self, place: &Location<'_>, array: Array) -> CString {
        if array.builder != self.id {
            self.fault(place, "an array of another builder".into());
            return c"?".to_owned();
        }
        let name = self.names[array.name as usize].clone();
        self.string(place, &name)
    }

    fn declare(&mut self, name: &str) -> u32 {
        self.names.push(name.to_owned());
        (self.names.len() - 1) as u32
    }

    /// Begins the next region; the first one has begun already.
    #[track_caller]
    pub fn region(&mut self, name: &str) -> &mut Self {
        let place = self.place();
        let name = self.string(place, name);
        // SAFETY: the builder is alive; strings are copied; NULL: once.
        unsafe { sys::pluss_builder_region(self.raw.as_ptr(), name.as_ptr(), ptr::null()) };
        self
    }

    /// Declares a symbol that whoever asks for numbers must bind.
    #[track_caller]
    pub fn symbol(&mut self, name: &str) -> Var {
        self.add_symbol(name, None)
    }

    /// Declares a symbol with a value, or derived from others.
    #[track_caller]
    pub fn define(&mut self, name: &str, value: impl Into<Expr>) -> Var {
        self.add_symbol(name, Some(value.into()))
    }

    #[track_caller]
    fn add_symbol(&mut self, name: &str, value: Option<Expr>) -> Var {
        let place = self.place();
        let c_name = self.string(place, name);
        let value = value.map(|value| self.render(place, &value.0));
        // SAFETY: the builder is alive; strings are copied; NULL where not given.
        unsafe {
            sys::pluss_builder_symbol(
                self.raw.as_ptr(),
                c_name.as_ptr(),
                ptr::null(),
                value.as_ref().map_or(ptr::null(), |value| value.as_ptr()),
            );
        }
        Var { builder: self.id, name: self.declare(name) }
    }

    /// Declares an array, slowest dimension first. `()`: a scalar.
    #[track_caller]
    pub fn array(
        &mut self,
        element: impl Into<Element>,
        name: &str,
        extents: impl Subscripts,
    ) -> Array {
        self.array_at(element, name, extents, Base::Free)
    }

    /// Declares an array at a known place.
    #[track_caller]
    pub fn array_at(
        &mut self,
        element: impl Into<Element>,
        name: &str,
        extents: impl Subscripts,
        base: Base,
    ) -> Array {
        self.add_array(element.into(), name, extents.list(), base, false, &[])
    }

    /// Declares an array of which every thread has its own.
    #[track_caller]
    pub fn private_array(
        &mut self,
        element: impl Into<Element>,
        name: &str,
        extents: impl Subscripts,
    ) -> Array {
        self.add_array(element.into(), name, extents.list(), Base::Free, true, &[])
    }

    /// Declares an index array with its contents, row by row, for subscripts made with
    /// [`Expr::load`].
    #[track_caller]
    pub fn index_array(
        &mut self,
        element: impl Into<Element>,
        name: &str,
        extents: impl Subscripts,
        values: &[i64],
    ) -> Array {
        self.add_array(element.into(), name, extents.list(), Base::Free, false, values)
    }

    #[track_caller]
    fn add_array(
        &mut self,
        element: Element,
        name: &str,
        extents: Vec<Expr>,
        base: Base,
        private: bool,
        values: &[i64],
    ) -> Array {
        let place = self.place();
        let mut strings = Strings::default();
        let extents: Vec<*const c_char> = extents
            .iter()
            .map(|e| strings.keep((!e.is_open()).then(|| self.render(place, &e.0))))
            .collect();
        let (kind, over, base) = match base {
            Base::Free => (sys::PLUSS_BASE_FREE, None, None),
            Base::Offset(e) => (sys::PLUSS_BASE_OFFSET, None, Some(e)),
            Base::Address(e) => (sys::PLUSS_BASE_ADDRESS, None, Some(e)),
            Base::Over(array, e) => (sys::PLUSS_BASE_OVER, Some(array), Some(e)),
        };
        let spec = sys::pluss_array_spec {
            size: size_of::<sys::pluss_array_spec>(),
            element: strings.keep(Some(self.string(place, &element.0))),
            name: strings.keep(Some(self.string(place, name))),
            rank: extents.len() as u32,
            extents: extents.as_ptr(),
            strides: ptr::null(),
            column: 0,
            is_private: private.into(),
            base_kind: kind,
            base: strings.keep(base.map(|e| self.render(place, &e.0))),
            over: strings.keep(over.map(|array| self.name_of(place, array))),
            alias: ptr::null(),
            values: values.as_ptr(),
            n_values: values.len(),
        };
        // SAFETY: the builder is alive; the spec is whole, its size set, its `rank` extents and
        // `n_values` values there for the call, which copies them.
        unsafe { sys::pluss_builder_array(self.raw.as_ptr(), &spec) };
        Array { builder: self.id, name: self.declare(name) }
    }

    /// A loop that every thread that meets it runs whole, from the first bound while below the
    /// second.
    #[track_caller]
    pub fn for_(&mut self, iv: &str, bounds: impl Into<Bounds>) -> Loop<'_> {
        self.add_loop(sys::PLUSS_LOOP_SEQUENTIAL, iv, bounds.into())
    }

    /// A loop whose iterations are distributed over a team of its own.
    #[track_caller]
    pub fn parallel_for(&mut self, iv: &str, bounds: impl Into<Bounds>) -> Loop<'_> {
        self.add_loop(sys::PLUSS_LOOP_PARALLEL, iv, bounds.into())
    }

    /// A loop whose iterations are distributed over the team of the [`Builder::parallel`] block
    /// around it.
    #[track_caller]
    pub fn workshare_for(&mut self, iv: &str, bounds: impl Into<Bounds>) -> Loop<'_> {
        self.add_loop(sys::PLUSS_LOOP_WORKSHARE, iv, bounds.into())
    }

    #[track_caller]
    fn add_loop(&mut self, kind: sys::pluss_loop_kind, iv: &str, bounds: Bounds) -> Loop<'_> {
        Loop {
            place: Location::caller(),
            builder: self,
            iv: iv.to_owned(),
            kind,
            bounds,
            step: 1,
            schedule: None,
            collapse: 1,
            nowait: false,
            num_threads: None,
            condition: None,
        }
    }

    fn end(&mut self) {
        // SAFETY: the builder is alive.
        unsafe { sys::pluss_builder_end(self.raw.as_ptr()) };
    }

    /// A block that every thread of a team executes.
    #[track_caller]
    pub fn parallel(&mut self, body: impl FnOnce(&mut Self)) {
        self.place();
        // SAFETY: the builder is alive; NULL: the default team, no condition.
        unsafe { sys::pluss_builder_parallel(self.raw.as_ptr(), ptr::null(), ptr::null()) };
        body(self);
        self.end();
    }

    #[track_caller]
    fn block(&mut self, kind: sys::pluss_block_kind, body: impl FnOnce(&mut Self)) {
        self.place();
        // SAFETY: the builder is alive.
        unsafe { sys::pluss_builder_block(self.raw.as_ptr(), kind) };
        body(self);
        self.end();
    }

    /// A block for the first thread to come, with a barrier after it.
    #[track_caller]
    pub fn single(&mut self, body: impl FnOnce(&mut Self)) {
        self.block(sys::PLUSS_BLOCK_SINGLE, body);
    }

    /// A block for thread 0.
    #[track_caller]
    pub fn master(&mut self, body: impl FnOnce(&mut Self)) {
        self.block(sys::PLUSS_BLOCK_MASTER, body);
    }

    /// A block for one thread at a time.
    #[track_caller]
    pub fn critical(&mut self, body: impl FnOnce(&mut Self)) {
        self.block(sys::PLUSS_BLOCK_CRITICAL, body);
    }

    /// What happens where a condition holds.
    #[track_caller]
    pub fn if_(&mut self, condition: Cond, yes: impl FnOnce(&mut Self)) {
        self.if_else(condition, yes, |_| ());
    }

    /// What happens where a condition holds, and where not.
    #[track_caller]
    pub fn if_else(
        &mut self,
        condition: Cond,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        let place = self.place();
        let condition = self.render(place, &condition.0);
        // SAFETY: the builder is alive; the string is copied.
        unsafe { sys::pluss_builder_if(self.raw.as_ptr(), condition.as_ptr()) };
        self.arms(yes, no);
    }

    /// What happens with a probability, independently each time, and what otherwise.
    #[track_caller]
    pub fn branch(
        &mut self,
        probability: f64,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        self.place();
        // SAFETY: the builder is alive.
        unsafe { sys::pluss_builder_branch(self.raw.as_ptr(), probability) };
        self.arms(yes, no);
    }

    fn arms(&mut self, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        yes(self);
        // SAFETY: the builder is alive.
        unsafe { sys::pluss_builder_else(self.raw.as_ptr()) };
        no(self);
        self.end();
    }

    /// Operations of the code at this place, by free names of groups: `("dbl_add", 2)`. They are what
    /// [`File::times`](crate::File::times) goes by.
    #[track_caller]
    pub fn operations(&mut self, counts: &[(&str, u64)]) -> Result<()> {
        self.place();
        let names = counts.iter().map(|(name, _)| c_string(name)).collect::<Result<Vec<_>>>()?;
        let groups: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let numbers: Vec<u64> = counts.iter().map(|&(_, count)| count).collect();
        // SAFETY: the builder is alive; so many names and numbers live for the call, which copies.
        unsafe {
            let raw = self.raw.as_ptr();
            sys::pluss_builder_ops(raw, groups.as_ptr(), numbers.as_ptr(), numbers.len());
        }
        Ok(())
    }

    /// Every thread waits for all of its team.
    #[track_caller]
    pub fn barrier(&mut self) {
        self.place();
        // SAFETY: the builder is alive.
        unsafe { sys::pluss_builder_barrier(self.raw.as_ptr()) };
    }

    /// Two arrays exchange their memory, outside of parallel blocks.
    #[track_caller]
    pub fn swap(&mut self, a: Array, b: Array) {
        let place = self.place();
        let (a, b) = (self.name_of(place, a), self.name_of(place, b));
        // SAFETY: the builder is alive; strings are copied.
        unsafe { sys::pluss_builder_swap(self.raw.as_ptr(), a.as_ptr(), b.as_ptr()) };
    }

    /// Something that cannot be described: what and why. Every result counts it.
    #[track_caller]
    pub fn unknown(&mut self, reason: &str) {
        let place = self.place();
        let reason = self.string(place, reason);
        // SAFETY: the builder is alive; strings are copied; NULL: no array.
        unsafe {
            sys::pluss_builder_unknown(
                self.raw.as_ptr(),
                c"construct".as_ptr(),
                ptr::null(),
                reason.as_ptr(),
            );
        }
    }

    /// A read.
    #[track_caller]
    pub fn read(&mut self, array: Array, subscripts: impl Subscripts) {
        self.access(Ref::read(array, subscripts));
    }

    /// A write.
    #[track_caller]
    pub fn write(&mut self, array: Array, subscripts: impl Subscripts) {
        self.access(Ref::write(array, subscripts));
    }

    /// A read and a write of the same: `+=`.
    #[track_caller]
    pub fn update(&mut self, array: Array, subscripts: impl Subscripts) {
        let subscripts = subscripts.list();
        self.access(Ref::read(array, subscripts.clone()));
        self.access(Ref::write(array, subscripts));
    }

    /// A reference of any kind.
    #[track_caller]
    pub fn access(&mut self, what: Ref) {
        let place = self.place();
        let mut strings = Strings::default();
        let subscripts: Vec<*const c_char> =
            what.subscripts.iter().map(|e| strings.keep(Some(self.render(place, &e.0)))).collect();
        let spec = sys::pluss_ref_spec {
            size: size_of::<sys::pluss_ref_spec>(),
            array: strings.keep(Some(self.name_of(place, what.array))),
            n_subscripts: subscripts.len() as u32,
            subscripts: subscripts.as_ptr(),
            write: what.write.into(),
            atomic: what.atomic.into(),
            first_byte: what.first_byte,
            bytes: what.bytes,
        };
        // SAFETY: the builder is alive; the spec is whole, its size set, its subscripts there for
        // the call, which copies them.
        unsafe { sys::pluss_builder_ref(self.raw.as_ptr(), &spec) };
    }

    /// The nest, or every fault with its place.
    pub fn build(mut self) -> Result<Nest> {
        let raw = self.raw.as_ptr();
        // SAFETY: the builder is alive; the nest is ours, or none is given.
        let made = self.context.make(|_, out| unsafe { sys::pluss_builder_finish(raw, out) });
        let faults = std::mem::take(&mut self.faults);
        let nest = match made {
            Ok(nest) => nest,
            Err(mut error) => {
                error.diagnostics.extend(faults);
                return Err(error);
            }
        };
        // SAFETY: the builder is ours and freed once: `self` is forgotten, with its context taken
        // out, which the nest needs.
        let context = unsafe {
            sys::pluss_builder_free(raw);
            std::mem::ManuallyDrop::take(&mut self.context)
        };
        std::mem::take(&mut self.names);
        std::mem::forget(self);
        let nest = Nest::from_handle(Handle::new(nest, context));
        if faults.is_empty() {
            Ok(nest)
        } else {
            Err(Error { status: Status::InvalidArgument, diagnostics: faults })
        }
    }
}

/// First and second bound of a loop: `(0, n)`, or a range of one type.
#[derive(Clone, Debug)]
pub struct Bounds {
    lo: Expr,
    hi: Expr,
}

impl<A: Into<Expr>, B: Into<Expr>> From<(A, B)> for Bounds {
    fn from((lo, hi): (A, B)) -> Self {
        Self { lo: lo.into(), hi: hi.into() }
    }
}

impl<T: Into<Expr>> From<std::ops::Range<T>> for Bounds {
    fn from(range: std::ops::Range<T>) -> Self {
        Self { lo: range.start.into(), hi: range.end.into() }
    }
}

/// A loop's head; [`Loop::body`] adds it.
#[must_use = "a loop is added by its body"]
pub struct Loop<'b> {
    builder: &'b mut Builder,
    place: &'static Location<'static>,
    iv: String,
    kind: sys::pluss_loop_kind,
    bounds: Bounds,
    step: i64,
    schedule: Option<Schedule>,
    collapse: u32,
    nowait: bool,
    num_threads: Option<Expr>,
    condition: Option<Cond>,
}

impl Loop<'_> {
    /// Not 0; below 0 the loop runs while above its second bound.
    pub fn step(mut self, step: i64) -> Self {
        self.step = step;
        self
    }

    /// How its iterations are distributed.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Shares out the product of its iterations with those of the loops that are nested in it.
    pub fn collapse(mut self, loops: u32) -> Self {
        self.collapse = loops;
        self
    }

    /// No barrier after it.
    pub fn nowait(mut self) -> Self {
        self.nowait = true;
        self
    }

    /// The team's size, of [`Builder::parallel_for`].
    pub fn num_threads(mut self, threads: impl Into<Expr>) -> Self {
        self.num_threads = Some(threads.into());
        self
    }

    /// Else a team of one, of [`Builder::parallel_for`].
    pub fn parallel_if(mut self, condition: Cond) -> Self {
        self.condition = Some(condition);
        self
    }

    /// What an iteration does, given the induction variable.
    pub fn body(self, body: impl FnOnce(&mut Builder, Var)) {
        let Self { builder, place, .. } = self;
        let file = CString::new(place.file()).unwrap_or_default();
        let mut strings = Strings::default();
        let (schedule, chunk, chunk2) = match self.schedule {
            None => (None, None, None),
            Some(Schedule::Static(chunk)) => (Some(c"static"), chunk, None),
            Some(Schedule::Dynamic(chunk)) => (Some(c"dynamic"), chunk, None),
            Some(Schedule::Guided(chunk)) => (Some(c"guided"), chunk, None),
            Some(Schedule::Rayon(least, most)) => (Some(c"rayon"), Some(least), most),
        };
        if self.step == 0 {
            builder.fault(place, "a loop's step of 0".into());
        }
        let spec = sys::pluss_loop_spec {
            size: size_of::<sys::pluss_loop_spec>(),
            iv: strings.keep(Some(builder.string(place, &self.iv))),
            lo: strings.keep(Some(builder.render(place, &self.bounds.lo.0))),
            hi: strings.keep(Some(builder.render(place, &self.bounds.hi.0))),
            step: self.step,
            kind: self.kind,
            schedule: strings.keep(schedule.map(ToOwned::to_owned)),
            chunk: strings.keep(chunk.map(|e| builder.render(place, &e.0))),
            chunk2: strings.keep(chunk2.map(|e| builder.render(place, &e.0))),
            collapse: self.collapse,
            nowait: self.nowait.into(),
            ordered: 0,
            num_threads: strings.keep(self.num_threads.map(|e| builder.render(place, &e.0))),
            condition: strings.keep(self.condition.map(|c| builder.render(place, &c.0))),
        };
        // SAFETY: the builder is alive; the spec is whole, its size set; strings are copied.
        unsafe {
            let raw = builder.raw.as_ptr();
            sys::pluss_builder_place(raw, file.as_ptr(), place.line(), place.column());
            sys::pluss_builder_loop(raw, &spec);
        }
        let iv = Var { builder: builder.id, name: builder.declare(&self.iv) };
        body(builder, iv);
        builder.end();
    }
}

/// A reference with all that can be said about it.
#[derive(Clone, Debug)]
pub struct Ref {
    array: Array,
    subscripts: Vec<Expr>,
    write: bool,
    atomic: bool,
    first_byte: i64,
    bytes: u64,
}

impl Ref {
    /// Reads the whole element.
    pub fn read(array: Array, subscripts: impl Subscripts) -> Self {
        let subscripts = subscripts.list();
        Self { array, subscripts, write: false, atomic: false, first_byte: 0, bytes: 0 }
    }

    /// Writes the whole element.
    pub fn write(array: Array, subscripts: impl Subscripts) -> Self {
        Self { write: true, ..Self::read(array, subscripts) }
    }

    /// Half of an atomic update.
    pub fn atomic(mut self) -> Self {
        self.atomic = true;
        self
    }

    /// A field of the element: `bytes` from byte `first` of it.
    pub fn field(mut self, first: i64, bytes: u64) -> Self {
        self.first_byte = first;
        self.bytes = bytes;
        self
    }
}
