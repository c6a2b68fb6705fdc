// SPDX-License-Identifier: GPL-3.0-or-later
//! Raw declarations of libpluss, in the order of its header `pluss.h`, which says what each thing
//! means, who owns what and which calls may happen at the same time. `tests/layout/` compares
//! them with the header, to the last field.
//!
//! Enumerations are plain integers: a later library may give values that this version does not
//! know.
#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! opaque {
    ($name:ident) => {
        #[doc = concat!("`", stringify!($name), "` of pluss.h, only ever behind a pointer.")]
        #[repr(C)]
        pub struct $name {
            _bytes: [u8; 0],
            /// Not Send, not Sync, not Unpin: the C contract decides, not this type.
            _neither: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    };
}

pub type pluss_status = c_uint;
pub const PLUSS_OK: pluss_status = 0;
pub const PLUSS_ENOMEM: pluss_status = 1;
pub const PLUSS_EINVAL: pluss_status = 2;
pub const PLUSS_ERANGE: pluss_status = 3;
pub const PLUSS_EPARSE: pluss_status = 4;
pub const PLUSS_EINVALID: pluss_status = 5;
pub const PLUSS_EUNBOUND: pluss_status = 6;
pub const PLUSS_EUNSUPPORTED: pluss_status = 7;
pub const PLUSS_ELIMIT: pluss_status = 8;
pub const PLUSS_EIO: pluss_status = 9;
pub const PLUSS_EFORMAT: pluss_status = 10;
pub const PLUSS_ENOTFOUND: pluss_status = 11;
pub const PLUSS_ECANCELLED: pluss_status = 12;
pub const PLUSS_EINTERNAL: pluss_status = 13;
pub const PLUSS_EEMPTY: pluss_status = 14;

pub type pluss_severity = c_uint;
pub const PLUSS_NOTE: pluss_severity = 0;
pub const PLUSS_WARNING: pluss_severity = 1;
pub const PLUSS_ERROR: pluss_severity = 2;

pub type pluss_symbol_kind = c_uint;
pub const PLUSS_SYMBOL_UNBOUND: pluss_symbol_kind = 0;
pub const PLUSS_SYMBOL_BOUND: pluss_symbol_kind = 1;
pub const PLUSS_SYMBOL_DERIVED: pluss_symbol_kind = 2;

pub type pluss_sharing = c_uint;
pub const PLUSS_SHARING_NONE: pluss_sharing = 0;
pub const PLUSS_SHARING_SPATIAL: pluss_sharing = 1;
pub const PLUSS_SHARING_FULL: pluss_sharing = 2;
pub const PLUSS_SHARING_SPLIT: pluss_sharing = 3;

pub type pluss_base = c_uint;
pub const PLUSS_BASE_FREE: pluss_base = 0;
pub const PLUSS_BASE_OFFSET: pluss_base = 1;
pub const PLUSS_BASE_ADDRESS: pluss_base = 2;
pub const PLUSS_BASE_OVER: pluss_base = 3;

pub type pluss_loop_kind = c_uint;
pub const PLUSS_LOOP_SEQUENTIAL: pluss_loop_kind = 0;
pub const PLUSS_LOOP_WORKSHARE: pluss_loop_kind = 1;
pub const PLUSS_LOOP_PARALLEL: pluss_loop_kind = 2;

pub type pluss_block_kind = c_uint;
pub const PLUSS_BLOCK_MASTER: pluss_block_kind = 0;
pub const PLUSS_BLOCK_SINGLE: pluss_block_kind = 1;
pub const PLUSS_BLOCK_SINGLE_NOWAIT: pluss_block_kind = 2;
pub const PLUSS_BLOCK_CRITICAL: pluss_block_kind = 3;
pub const PLUSS_BLOCK_ORDERED: pluss_block_kind = 4;

pub type pluss_schedule = c_uint;
pub const PLUSS_SCHEDULE_AS_WRITTEN: pluss_schedule = 0;
pub const PLUSS_SCHEDULE_STATIC: pluss_schedule = 1;
pub const PLUSS_SCHEDULE_DYNAMIC: pluss_schedule = 2;
pub const PLUSS_SCHEDULE_GUIDED: pluss_schedule = 3;
pub const PLUSS_SCHEDULE_RECORDED: pluss_schedule = 4;

pub type pluss_recorded_by = c_uint;
pub const PLUSS_RECORDED_PROFILE: pluss_recorded_by = 0;
pub const PLUSS_RECORDED_BIND: pluss_recorded_by = 1;
pub const PLUSS_RECORDED_SAMPLE: pluss_recorded_by = 2;

pub type pluss_carried = c_uint;
pub const PLUSS_CARRIED_BY_NOTHING: pluss_carried = 0;
pub const PLUSS_CARRIED_BY_LOOP: pluss_carried = 1;
pub const PLUSS_CARRIED_BY_REPETITION: pluss_carried = 2;
pub const PLUSS_CARRIED_BY_OTHER_LOOP: pluss_carried = 3;
pub const PLUSS_CARRIED_BY_SAME_ITERATION: pluss_carried = 4;

pub type pluss_language = c_uint;
pub const PLUSS_LANGUAGE_C: pluss_language = 0;
pub const PLUSS_LANGUAGE_RUST: pluss_language = 1;

pub type pluss_cache_type = c_uint;
pub const PLUSS_CACHE_UNIFIED: pluss_cache_type = 0;
pub const PLUSS_CACHE_DATA: pluss_cache_type = 1;
pub const PLUSS_CACHE_INSTRUCTION: pluss_cache_type = 2;

pub type pluss_advice_kind = c_uint;
pub const PLUSS_ADVICE_INTERCHANGE: pluss_advice_kind = 0;
pub const PLUSS_ADVICE_TILE: pluss_advice_kind = 1;
pub const PLUSS_ADVICE_FUSE: pluss_advice_kind = 2;
pub const PLUSS_ADVICE_SCHEDULE: pluss_advice_kind = 3;
pub const PLUSS_ADVICE_PAD: pluss_advice_kind = 4;
pub const PLUSS_ADVICE_SPREAD: pluss_advice_kind = 5;
pub const PLUSS_ADVICE_THREADS: pluss_advice_kind = 6;

pub type pluss_time_bound = c_uint;
pub const PLUSS_TIME_CORE: pluss_time_bound = 0;
pub const PLUSS_TIME_DEPENDENCES: pluss_time_bound = 1;
pub const PLUSS_TIME_LATENCY: pluss_time_bound = 2;
pub const PLUSS_TIME_BANDWIDTH: pluss_time_bound = 3;
pub const PLUSS_TIME_TRANSLATION: pluss_time_bound = 4;
pub const PLUSS_TIME_BARRIERS: pluss_time_bound = 5;
pub const PLUSS_TIME_IMBALANCE: pluss_time_bound = 6;
pub const PLUSS_TIME_TRANSFERS: pluss_time_bound = 7;

pub type pluss_grid = c_uint;
pub const PLUSS_GRID_STRICT: pluss_grid = 0;
pub const PLUSS_GRID_PAPER: pluss_grid = 1;

opaque!(pluss_context);
opaque!(pluss_nest);
opaque!(pluss_report);
opaque!(pluss_comparison);
opaque!(pluss_advice);
opaque!(pluss_times);
opaque!(pluss_nests);
opaque!(pluss_builder);
opaque!(pluss_options);
opaque!(pluss_curve);
opaque!(pluss_result);
opaque!(pluss_record);
opaque!(pluss_pri);
opaque!(pluss_timelines);
opaque!(pluss_gaps);
opaque!(pluss_calibration);
opaque!(pluss_machine_file);
opaque!(pluss_sweep);

pub type pluss_write_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, data: *const c_char, length: usize) -> c_int>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_diagnostic {
    pub size: usize,
    pub severity: pluss_severity,
    pub status: pluss_status,
    pub file: *const c_char,
    pub line: u32,
    pub col: u32,
    pub text: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_context_options {
    pub size: usize,
    pub resize: Option<
        unsafe extern "C" fn(user: *mut c_void, ptr: *mut c_void, bytes: usize) -> *mut c_void,
    >,
    pub resize_user: *mut c_void,
    pub log: Option<unsafe extern "C" fn(user: *mut c_void, diagnostic: *const pluss_diagnostic)>,
    pub log_user: *mut c_void,
    pub ask: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            stage: *const c_char,
            done: f64,
            steps: u64,
        ) -> c_int,
    >,
    pub ask_user: *mut c_void,
    pub kept_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_ranks {
    pub size: usize,
    pub n: u32,
    pub send: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            rank: u32,
            data: *const c_void,
            bytes: usize,
        ) -> c_int,
    >,
    pub probe:
        Option<unsafe extern "C" fn(user: *mut c_void, rank: *mut u32, bytes: *mut usize) -> c_int>,
    pub receive: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            rank: u32,
            data: *mut c_void,
            bytes: usize,
        ) -> c_int,
    >,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_nest_info {
    pub size: usize,
    pub origin: *const c_char,
    pub regions: u32,
    pub symbols: u32,
    pub loops: u32,
    pub refs: u32,
    pub unknowns: u32,
    pub arrays: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_region_info {
    pub size: usize,
    pub name: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub col: u32,
    pub symbol: *const c_char,
    pub no_symbol: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_symbol_info {
    pub size: usize,
    pub kind: pluss_symbol_kind,
    pub name: *const c_char,
    pub origin: *const c_char,
    pub value: *const c_char,
    pub region: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_array_info {
    pub size: usize,
    pub name: *const c_char,
    pub element: *const c_char,
    pub rank: u32,
    pub region: i32,
    pub is_private: c_int,
    pub has_contents: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_loop_info {
    pub size: usize,
    pub region: u32,
    pub depth: u32,
    pub file: *const c_char,
    pub line: u32,
    pub col: u32,
    pub iv: *const c_char,
    pub lo: *const c_char,
    pub hi: *const c_char,
    pub step: i64,
    pub parallel: c_int,
    pub schedule: *const c_char,
    pub collapse: u32,
    pub nowait: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_ref_info {
    pub size: usize,
    pub region: u32,
    pub r#loop: i64,
    pub file: *const c_char,
    pub line: u32,
    pub col: u32,
    pub text: *const c_char,
    pub array: *const c_char,
    pub write: c_int,
    pub atomic: c_int,
    pub parallel: c_int,
    pub sharing: pluss_sharing,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_unknown_info {
    pub size: usize,
    pub region: u32,
    pub file: *const c_char,
    pub line: u32,
    pub col: u32,
    pub kind: *const c_char,
    pub array: *const c_char,
    pub reason: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_array_spec {
    pub size: usize,
    pub element: *const c_char,
    pub name: *const c_char,
    pub rank: u32,
    pub extents: *const *const c_char,
    pub strides: *const *const c_char,
    pub column: c_int,
    pub is_private: c_int,
    pub base_kind: pluss_base,
    pub base: *const c_char,
    pub over: *const c_char,
    pub alias: *const c_char,
    pub values: *const i64,
    pub n_values: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_loop_spec {
    pub size: usize,
    pub iv: *const c_char,
    pub lo: *const c_char,
    pub hi: *const c_char,
    pub step: i64,
    pub kind: pluss_loop_kind,
    pub schedule: *const c_char,
    pub chunk: *const c_char,
    pub chunk2: *const c_char,
    pub collapse: u32,
    pub nowait: c_int,
    pub ordered: c_int,
    pub num_threads: *const c_char,
    pub condition: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_ref_spec {
    pub size: usize,
    pub array: *const c_char,
    pub n_subscripts: u32,
    pub subscripts: *const *const c_char,
    pub write: c_int,
    pub atomic: c_int,
    pub first_byte: i64,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_binding {
    pub name: *const c_char,
    pub value: i64,
}

/// What an array of integers holds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_contents {
    pub array: *const c_char,
    pub values: *const i64,
    pub n: usize,
}

/// Who executed some iterations of a parallel loop.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_chunk {
    pub r#loop: u32,
    pub thread: u32,
    pub time: u64,
    pub lo: u64,
    pub hi: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_trace_info {
    pub size: usize,
    pub touched_runs: u64,
    pub timed_runs: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_timelines_info {
    pub size: usize,
    pub runs: usize,
    pub team: u32,
    pub phases: u64,
    pub accesses: u64,
}

pub const PLUSS_RATES_PIECES: usize = 8;
pub const PLUSS_SWEEP_NO_CELL: u64 = u64::MAX;

/// What is alike in all runs of one worksharing loop.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_loop_rates {
    pub r#loop: u32,
    pub rates: *const f64,
    pub costs: *const f64,
}

/// A law of thread progress with its numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_progress {
    pub size: usize,
    pub law: *const c_char,
    pub accesses: f64,
    pub cores: u32,
    pub sigma: f64,
    pub skew: f64,
    pub skew_spread: f64,
    pub rates: *const f64,
    pub n_rates: usize,
    pub stall_rate: f64,
    pub stall: f64,
    pub loops: *const pluss_loop_rates,
    pub n_loops: usize,
    pub timelines: *const pluss_timelines,
    pub origin: *const c_char,
    pub by_default: c_int,
    pub wake: f64,
    pub access: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_progress_info {
    pub size: usize,
    pub name: *const c_char,
    pub syntax: *const c_char,
    pub summary: *const c_char,
    pub predicted: c_int,
    pub simulated: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_calibration_info {
    pub size: usize,
    pub region: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub team: u32,
    pub runs: usize,
    pub discarded: usize,
    pub sigma_error: f64,
    pub skew_error: f64,
    pub stall_rate_error: f64,
    pub progress: *const pluss_progress,
    pub access_ns: f64,
    pub access_error: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_option_info {
    pub size: usize,
    pub name: *const c_char,
    pub syntax: *const c_char,
    pub summary: *const c_char,
    pub letter: c_char,
    pub adds: c_int,
    pub predict: c_int,
    pub simulate: c_int,
    pub run: c_int,
    pub gaps: c_int,
    pub calibrate: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_cache {
    pub bytes: u64,
    pub label: *const c_char,
    pub threads: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_model_info {
    pub size: usize,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub scales: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_curve_info {
    pub size: usize,
    pub region: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub team: u32,
    pub simulated: c_int,
    pub engine: *const c_char,
    pub line_bytes: u32,
    pub seed: u64,
    pub schedule: *const c_char,
    pub n_bindings: usize,
    pub bindings: *const pluss_binding,
    pub footprint_lines: u64,
    pub accesses: f64,
    pub unknowns: u32,
    pub n_points: usize,
    pub size_lines: *const f64,
    pub miss: *const f64,
    pub mean_error: f64,
    pub n_error_points: usize,
    pub error_size_lines: *const f64,
    pub error: *const f64,
    pub threads_per_cache: u32,
    pub spread: *const f64,
    pub progress: *const c_char,
    pub progress_from: *const c_char,
    pub progress_source: *const c_char,
    pub n_progress_numbers: usize,
    pub progress_numbers: *const pluss_number,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_capacities {
    pub size: usize,
    pub max_bytes: u64,
    pub core_bytes: u64,
    pub share_bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_number {
    pub name: *const c_char,
    pub value: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_record_info {
    pub size: usize,
    pub line_bytes: u32,
    pub n_blocks: usize,
    pub lost_runs: u64,
    pub n_objects: usize,
    pub objects: *const *const c_char,
    pub runs: u64,
    pub runs_lost: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_block_info {
    pub size: usize,
    pub region: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub team: u32,
    pub by: pluss_recorded_by,
    pub runs: u64,
    pub accesses: u64,
    pub lost: u64,
    pub n_symbols: usize,
    pub symbols: *const pluss_binding,
    pub n_arrays: usize,
    pub n_places: usize,
    pub arrays: *const *const c_char,
    pub addresses: *const u64,
    pub has_intervals: c_int,
    pub n_chunks: usize,
    pub chunks: *const pluss_chunk,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_knee_info {
    pub size: usize,
    pub at_lines: u64,
    pub from_lines: u64,
    pub to_lines: u64,
    pub before: f64,
    pub after: f64,
    pub n_reuses: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_reuse_info {
    pub size: usize,
    pub share: f64,
    pub array: *const c_char,
    pub reference: *const c_char,
    pub write: c_int,
    pub atomic: c_int,
    pub file: *const c_char,
    pub line: u32,
    pub carried: pluss_carried,
    pub r#loop: *const c_char,
    pub loop_file: *const c_char,
    pub loop_line: u32,
    pub other_thread: c_int,
    pub source: *const c_char,
    pub source_write: c_int,
    pub source_atomic: c_int,
    pub source_file: *const c_char,
    pub source_line: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_misses {
    pub requests: f64,
    pub misses: f64,
    pub error: f64,
    pub cold: f64,
    pub capacity: f64,
    pub conflict: f64,
    pub true_sharing: f64,
    pub false_sharing: f64,
    pub bytes_fetched: f64,
    pub bytes_written_back: f64,
    pub bytes_written_back_error: f64,
    pub after_other_thread: f64,
}

pub type pluss_ways_from = c_uint;
pub const PLUSS_WAYS_GIVEN: pluss_ways_from = 0;
pub const PLUSS_WAYS_MACHINE: pluss_ways_from = 1;
pub const PLUSS_WAYS_UNKNOWN: pluss_ways_from = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_level_info {
    pub size: usize,
    pub name: *const c_char,
    pub region: *const c_char,
    pub threads: u32,
    pub threads_per_cache: u32,
    pub simulated: c_int,
    pub line_bytes: u32,
    pub bytes: u64,
    pub sets: u64,
    pub ways: u64,
    pub accesses: f64,
    pub misses: pluss_misses,
    pub n_references: usize,
    pub ways_from: pluss_ways_from,
    pub point: u32,
    pub n_threads: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_level_thread {
    pub size: usize,
    pub thread: u32,
    pub misses: pluss_misses,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_level_reference {
    pub size: usize,
    pub reference: *const c_char,
    pub write: c_int,
    pub atomic: c_int,
    pub file: *const c_char,
    pub line: u32,
    pub r#loop: *const c_char,
    pub misses: pluss_misses,
    pub conflicts_with: *const c_char,
    pub conflicts: f64,
    pub row_bytes: u64,
    pub column_sets: u64,
    pub pad_bytes: u64,
}

pub type pluss_level_grouping = c_uint;
pub const PLUSS_BY_ARRAY: pluss_level_grouping = 0;
pub const PLUSS_BY_LOOP: pluss_level_grouping = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_level_group {
    pub size: usize,
    pub array: *const c_char,
    pub r#loop: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub n_references: usize,
    pub misses: pluss_misses,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_pri_info {
    pub size: usize,
    pub sharing: pluss_sharing,
    pub sharers: u32,
    pub cold: f64,
    pub thread_first: f64,
    pub n_bins: usize,
    pub interval: *const u64,
    pub weight: *const f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_calibrated_by {
    pub size: usize,
    pub command: *const c_char,
    pub date: *const c_char,
    pub processor: *const c_char,
    pub slice_ns: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_machine_file_info {
    pub size: usize,
    pub n_regions: usize,
    pub sigma: f64,
    pub skew: f64,
    pub slice_ns: f64,
    pub n_levels: usize,
    pub line_bytes: u32,
    pub cores: u32,
    pub processors: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_format_info {
    pub size: usize,
    pub name: *const c_char,
    pub summary: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_write_options {
    pub size: usize,
    pub table: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_machine_cache {
    pub name: *const c_char,
    pub r#type: pluss_cache_type,
    pub level: u32,
    pub bytes: u64,
    pub line_bytes: u32,
    pub ways: i32,
    pub shared_by: u32,
    pub count: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_machine_info {
    pub size: usize,
    pub cpu: *const c_char,
    pub cores: u32,
    pub processors: u32,
    pub caches: *const pluss_machine_cache,
    pub n_caches: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_compare_options {
    pub size: usize,
    pub grid: pluss_grid,
    pub a_name: *const c_char,
    pub b_name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_time_info {
    pub size: usize,
    pub region: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub threads: u32,
    pub seconds: f64,
    pub error: f64,
    pub speedup: f64,
    pub imbalance: f64,
    pub core: f64,
    pub dependences: f64,
    pub memory: f64,
    pub bound: pluss_time_bound,
    pub level: *const c_char,
    pub counted: c_int,
    pub barriers: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_measured {
    pub value: f64,
    pub spread: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_operation_cost {
    pub group: *const c_char,
    pub cycles: pluss_measured,
    pub latency: pluss_measured,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_line_cost {
    pub name: *const c_char,
    pub latency: pluss_measured,
    pub stream: pluss_measured,
    pub strided: pluss_measured,
    pub scattered: pluss_measured,
    pub shared: pluss_measured,
    pub written: pluss_measured,
    pub held: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_burst_cost {
    pub level: usize,
    pub lines: u32,
    pub cycles: pluss_measured,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_transfer_cost {
    pub latency: pluss_measured,
    pub stream: pluss_measured,
    pub strided: pluss_measured,
    pub scattered: pluss_measured,
    pub upgrade: pluss_measured,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_page_cost {
    pub reach: u32,
    pub cycles: pluss_measured,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_team_cost {
    pub threads: u32,
    pub start: pluss_measured,
    pub barrier: pluss_measured,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_machine_costs {
    pub size: usize,
    pub cycle_ns: f64,
    pub issue: pluss_measured,
    pub operations: *const pluss_operation_cost,
    pub n_operations: usize,
    pub levels: *const pluss_line_cost,
    pub n_levels: usize,
    pub window: f64,
    pub serial: f64,
    pub page_bytes: u32,
    pub pages: *const pluss_page_cost,
    pub n_pages: usize,
    pub teams: *const pluss_team_cost,
    pub n_teams: usize,
    pub bursts: *const pluss_burst_cost,
    pub n_bursts: usize,
    pub transfer: pluss_transfer_cost,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_advice_info {
    pub size: usize,
    pub kind: pluss_advice_kind,
    pub region: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub text: *const c_char,
    pub steps: *const c_char,
    pub source: *const c_char,
    pub worst: *const c_char,
    pub threads: u32,
    pub threads_then: u32,
    pub gain: f64,
    pub error: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_comparison_info {
    pub size: usize,
    pub n: usize,
    pub mean_abs: f64,
    pub greatest_mean_abs: f64,
    pub n_levels: usize,
    pub greatest_of_levels: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_level_difference {
    pub size: usize,
    pub region: *const c_char,
    pub name: *const c_char,
    pub threads: u32,
    pub threads_per_cache: u32,
    pub a_misses: f64,
    pub b_misses: f64,
    pub difference: f64,
    pub error: f64,
    pub ways: u64,
    pub line_bytes: u32,
    pub a_accesses: f64,
    pub b_accesses: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_report_options {
    pub size: usize,
    pub caches: *const pluss_cache,
    pub n_caches: usize,
    pub only_caches: c_int,
    pub note: *const c_char,
    pub scaling: c_int,
    pub plot: c_int,
    pub private_latency: f64,
    pub shared_latency: f64,
    pub memory_latency: f64,
    pub brief: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_overview_options {
    pub size: usize,
    pub title: *const c_char,
    pub caches: *const pluss_cache,
    pub n_caches: usize,
    pub nests: *const *const pluss_nests,
    pub n_nests: usize,
    pub sources: c_int,
    pub folders: *const *const c_char,
    pub n_folders: usize,
    pub note: *const c_char,
    pub plot: c_int,
    pub advised: u32,
    pub options: *const pluss_options,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_difference {
    pub size: usize,
    pub mean_abs: f64,
    pub max_abs: f64,
    pub mean_signed: f64,
    pub max_at_lines: u64,
    pub first_lines: u64,
    pub last_lines: u64,
    pub n: usize,
    pub a: usize,
    pub b: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_gaps_info {
    pub size: usize,
    pub region: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub r#loop: u32,
    pub team: u32,
    pub bins: u32,
    pub lap: f64,
    pub runs: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_sweep_info {
    pub size: usize,
    pub cells: u64,
    pub identity: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pluss_gaps_test {
    pub size: usize,
    pub samples: u64,
    pub stops: u64,
    pub outside: u64,
    pub wrong: u64,
    pub chi2: f64,
    pub p: f64,
    pub lag1: f64,
    pub correlation: f64,
    pub effective: f64,
    pub p_corrected: f64,
    pub counts: *const u64,
    pub n_counts: usize,
}

extern "C" {
    pub fn pluss_status_text(status: pluss_status) -> *const c_char;
    pub fn pluss_status_name(status: pluss_status) -> *const c_char;
    pub fn pluss_version() -> *const c_char;
    pub fn pluss_has_feature(name: *const c_char) -> c_int;
    pub fn pluss_context_new(
        options: *const pluss_context_options,
        out: *mut *mut pluss_context,
    ) -> pluss_status;
    pub fn pluss_context_free(ctx: *mut pluss_context);
    pub fn pluss_context_diagnostic_count(ctx: *const pluss_context) -> usize;
    pub fn pluss_context_diagnostic(
        ctx: *const pluss_context,
        i: usize,
        out: *mut pluss_diagnostic,
    ) -> pluss_status;
    pub fn pluss_context_dropped_count(ctx: *const pluss_context) -> usize;
    pub fn pluss_context_clear(ctx: *mut pluss_context);
    pub fn pluss_context_set_ranks(
        ctx: *mut pluss_context,
        ranks: *const pluss_ranks,
    ) -> pluss_status;
    pub fn pluss_ranks_serve(ctx: *mut pluss_context, ranks: *const pluss_ranks) -> pluss_status;
    pub fn pluss_nest_parse(
        ctx: *mut pluss_context,
        text: *const c_char,
        length: usize,
        file: *const c_char,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_nest_free(nest: *mut pluss_nest);
    pub fn pluss_nest_write(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_nest_write_annotated(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_nests_read(
        ctx: *mut pluss_context,
        path: *const c_char,
        out: *mut *mut pluss_nests,
    ) -> pluss_status;
    pub fn pluss_nests_append(
        ctx: *mut pluss_context,
        dst: *mut pluss_nests,
        src: *mut pluss_nests,
    ) -> pluss_status;
    pub fn pluss_nests_free(nests: *mut pluss_nests);
    pub fn pluss_nests_count(nests: *const pluss_nests) -> usize;
    pub fn pluss_nests_is_trace(nests: *const pluss_nests) -> c_int;
    pub fn pluss_nests_get(nests: *const pluss_nests, i: usize) -> *const pluss_nest;
    pub fn pluss_nest_extract(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        region: u32,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_nest_join(
        ctx: *mut pluss_context,
        nests: *const *const pluss_nest,
        n: usize,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_nest_with_contents(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        contents: *const pluss_contents,
        n: usize,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_nest_get_info(nest: *const pluss_nest, out: *mut pluss_nest_info) -> pluss_status;
    pub fn pluss_nest_get_region(
        nest: *const pluss_nest,
        i: u32,
        out: *mut pluss_region_info,
    ) -> pluss_status;
    pub fn pluss_nest_get_symbol(
        nest: *const pluss_nest,
        i: u32,
        out: *mut pluss_symbol_info,
    ) -> pluss_status;
    pub fn pluss_nest_get_array(
        nest: *const pluss_nest,
        i: u32,
        out: *mut pluss_array_info,
    ) -> pluss_status;
    pub fn pluss_nest_get_loop(
        nest: *const pluss_nest,
        i: u32,
        out: *mut pluss_loop_info,
    ) -> pluss_status;
    pub fn pluss_nest_get_ref(
        nest: *const pluss_nest,
        i: u32,
        out: *mut pluss_ref_info,
    ) -> pluss_status;
    pub fn pluss_nest_get_unknown(
        nest: *const pluss_nest,
        i: u32,
        out: *mut pluss_unknown_info,
    ) -> pluss_status;
    pub fn pluss_builder_new(
        ctx: *mut pluss_context,
        origin: *const c_char,
        out: *mut *mut pluss_builder,
    ) -> pluss_status;
    pub fn pluss_builder_free(builder: *mut pluss_builder);
    pub fn pluss_builder_place(
        builder: *mut pluss_builder,
        file: *const c_char,
        line: u32,
        col: u32,
    );
    pub fn pluss_builder_region(
        builder: *mut pluss_builder,
        name: *const c_char,
        repeat: *const c_char,
    );
    pub fn pluss_builder_symbol(
        builder: *mut pluss_builder,
        name: *const c_char,
        origin: *const c_char,
        value: *const c_char,
    );
    pub fn pluss_builder_array(builder: *mut pluss_builder, spec: *const pluss_array_spec);
    pub fn pluss_builder_loop(builder: *mut pluss_builder, spec: *const pluss_loop_spec);
    pub fn pluss_builder_parallel(
        builder: *mut pluss_builder,
        num_threads: *const c_char,
        condition: *const c_char,
    );
    pub fn pluss_builder_if(builder: *mut pluss_builder, condition: *const c_char);
    pub fn pluss_builder_branch(builder: *mut pluss_builder, probability: f64);
    pub fn pluss_builder_block(builder: *mut pluss_builder, kind: pluss_block_kind);
    pub fn pluss_builder_else(builder: *mut pluss_builder);
    pub fn pluss_builder_end(builder: *mut pluss_builder);
    pub fn pluss_builder_ref(builder: *mut pluss_builder, spec: *const pluss_ref_spec);
    pub fn pluss_builder_barrier(builder: *mut pluss_builder);
    pub fn pluss_builder_swap(builder: *mut pluss_builder, a: *const c_char, b: *const c_char);
    pub fn pluss_builder_ops(
        builder: *mut pluss_builder,
        groups: *const *const c_char,
        counts: *const u64,
        n: usize,
    );
    pub fn pluss_builder_unknown(
        builder: *mut pluss_builder,
        kind: *const c_char,
        array: *const c_char,
        reason: *const c_char,
    );
    pub fn pluss_builder_finish(
        builder: *mut pluss_builder,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_progress_get(i: usize, out: *mut pluss_progress_info) -> pluss_status;
    pub fn pluss_progress_parse(
        ctx: *mut pluss_context,
        text: *const c_char,
        out: *mut pluss_progress,
    ) -> pluss_status;
    pub fn pluss_options_new(ctx: *mut pluss_context, out: *mut *mut pluss_options)
        -> pluss_status;
    pub fn pluss_options_free(options: *mut pluss_options);
    pub fn pluss_options_copy(
        ctx: *mut pluss_context,
        options: *const pluss_options,
        out: *mut *mut pluss_options,
    ) -> pluss_status;
    pub fn pluss_option_get(i: usize, out: *mut pluss_option_info) -> pluss_status;
    pub fn pluss_options_set(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        name: *const c_char,
        text: *const c_char,
    ) -> pluss_status;
    pub fn pluss_options_set_integer(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        name: *const c_char,
        value: i64,
    ) -> pluss_status;
    pub fn pluss_options_set_real(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        name: *const c_char,
        value: f64,
    ) -> pluss_status;
    pub fn pluss_options_set_threads(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        teams: *const u32,
        n: usize,
    ) -> pluss_status;
    pub fn pluss_options_set_binding(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        name: *const c_char,
        value: i64,
    ) -> pluss_status;
    pub fn pluss_options_set_schedule(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        schedule: pluss_schedule,
        chunk: i64,
    ) -> pluss_status;
    pub fn pluss_options_set_chunks(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        chunks: *const pluss_chunk,
        n: usize,
    ) -> pluss_status;
    pub fn pluss_options_set_caches(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        caches: *const pluss_cache,
        n: usize,
    ) -> pluss_status;
    pub fn pluss_options_set_progress(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        progress: *const pluss_progress,
    ) -> pluss_status;
    pub fn pluss_options_set_record(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        record: *const pluss_record,
    ) -> pluss_status;
    pub fn pluss_options_set_contents(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        contents: *const pluss_contents,
    ) -> pluss_status;
    pub fn pluss_nests_predict(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_nests_simulate(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_nests_of_profile(
        ctx: *mut pluss_context,
        result: *const pluss_result,
        i: usize,
        out: *mut *mut pluss_nests,
    ) -> pluss_status;
    pub fn pluss_result_scale(
        ctx: *mut pluss_context,
        profiles: *const pluss_result,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_corun_predict(
        ctx: *mut pluss_context,
        programs: *const *const pluss_nests,
        n: usize,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_corun_simulate(
        ctx: *mut pluss_context,
        programs: *const *const pluss_nests,
        n: usize,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_trace_pack(
        ctx: *mut pluss_context,
        path: *const c_char,
        options: *const pluss_options,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_trace_generate(
        ctx: *mut pluss_context,
        what: *const c_char,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_trace_count_threads(
        ctx: *mut pluss_context,
        path: *const c_char,
        out: *mut u32,
    ) -> pluss_status;
    pub fn pluss_result_get_missing(result: *const pluss_result) -> pluss_status;
    pub fn pluss_record_run(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        nests: *const *const pluss_nest,
        n: usize,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_record_nests(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        nests: *const *const pluss_nest,
        n: usize,
        options: *const pluss_options,
        out: *mut *mut pluss_nests,
    ) -> pluss_status;
    pub fn pluss_nests_get_missing(nests: *const pluss_nests) -> pluss_status;
    pub fn pluss_machine_file_read(
        ctx: *mut pluss_context,
        path: *const c_char,
        out: *mut *mut pluss_machine_file,
    ) -> pluss_status;
    pub fn pluss_machine_file_free(file: *mut pluss_machine_file);
    pub fn pluss_machine_file_put(
        ctx: *mut pluss_context,
        file: *mut pluss_machine_file,
        calibration: *const pluss_calibration,
        by: *const pluss_calibrated_by,
    ) -> pluss_status;
    pub fn pluss_machine_file_get_info(
        file: *const pluss_machine_file,
        out: *mut pluss_machine_file_info,
    ) -> pluss_status;
    pub fn pluss_machine_file_write(
        ctx: *mut pluss_context,
        file: *const pluss_machine_file,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_options_get_threads(options: *const pluss_options, n: *mut usize) -> *const u32;
    pub fn pluss_options_get_caches(
        options: *const pluss_options,
        n: *mut usize,
    ) -> *const pluss_cache;
    pub fn pluss_model_get(i: usize, out: *mut pluss_model_info) -> pluss_status;
    pub fn pluss_predict(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_simulate(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_result_free(result: *mut pluss_result);
    pub fn pluss_result_count(result: *const pluss_result) -> usize;
    pub fn pluss_result_get(result: *const pluss_result, i: usize) -> *const pluss_curve;
    pub fn pluss_result_append(
        ctx: *mut pluss_context,
        dst: *mut pluss_result,
        src: *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_curve_get_info(
        curve: *const pluss_curve,
        out: *mut pluss_curve_info,
    ) -> pluss_status;
    pub fn pluss_result_get_capacities(
        result: *const pluss_result,
        i: usize,
        out: *mut pluss_capacities,
    ) -> pluss_status;
    pub fn pluss_curve_at(curve: *const pluss_curve, bytes: u64) -> f64;
    pub fn pluss_record_parse(
        ctx: *mut pluss_context,
        text: *const c_char,
        length: usize,
        file: *const c_char,
        out: *mut *mut pluss_record,
    ) -> pluss_status;
    pub fn pluss_record_read(
        ctx: *mut pluss_context,
        path: *const c_char,
        out: *mut *mut pluss_record,
    ) -> pluss_status;
    pub fn pluss_record_free(record: *mut pluss_record);
    pub fn pluss_record_get_info(
        record: *const pluss_record,
        out: *mut pluss_record_info,
    ) -> pluss_status;
    pub fn pluss_record_get_block(
        record: *const pluss_record,
        i: usize,
        out: *mut pluss_block_info,
    ) -> pluss_status;
    pub fn pluss_record_nest(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        block: usize,
        place: i64,
        nests: *const *const pluss_nest,
        n: usize,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_record_program(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        nests: *const *const pluss_nest,
        n: usize,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_record_predict(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        block: usize,
        nest: *const pluss_nest,
        options: *const pluss_options,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_record_simulate(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        block: usize,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_record_get_trace(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        out: *mut pluss_trace_info,
    ) -> pluss_status;

    pub fn pluss_timelines_read(
        ctx: *mut pluss_context,
        record: *const pluss_record,
        block: usize,
        nests: *const *const pluss_nest,
        n: usize,
        out: *mut *mut pluss_timelines,
    ) -> pluss_status;
    pub fn pluss_timelines_free(timelines: *mut pluss_timelines);
    pub fn pluss_timelines_get_info(
        timelines: *const pluss_timelines,
        out: *mut pluss_timelines_info,
    ) -> pluss_status;

    pub fn pluss_calibration_new(
        ctx: *mut pluss_context,
        options: *const pluss_options,
        out: *mut *mut pluss_calibration,
    ) -> pluss_status;
    pub fn pluss_calibration_free(calibration: *mut pluss_calibration);
    pub fn pluss_calibration_add(
        calibration: *mut pluss_calibration,
        record: *const pluss_record,
        nests: *const *const pluss_nest,
        n: usize,
    ) -> pluss_status;
    pub fn pluss_calibration_count(calibration: *const pluss_calibration) -> usize;
    pub fn pluss_calibration_count_runs(
        calibration: *const pluss_calibration,
        out: *mut u64,
    ) -> pluss_status;
    pub fn pluss_calibration_finish(calibration: *mut pluss_calibration) -> pluss_status;
    pub fn pluss_calibration_get(
        calibration: *const pluss_calibration,
        i: usize,
        out: *mut pluss_calibration_info,
    ) -> pluss_status;
    pub fn pluss_calibration_report(
        calibration: *const pluss_calibration,
        file: *const pluss_machine_file,
        name: *const c_char,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_curve_get_knee(
        curve: *const pluss_curve,
        i: usize,
        out: *mut pluss_knee_info,
    ) -> pluss_status;
    pub fn pluss_result_get_level(
        result: *const pluss_result,
        i: usize,
        out: *mut pluss_level_info,
    ) -> pluss_status;
    pub fn pluss_result_get_level_group(
        result: *const pluss_result,
        level: usize,
        by: pluss_level_grouping,
        i: usize,
        out: *mut pluss_level_group,
    ) -> pluss_status;
    pub fn pluss_result_get_level_reference(
        result: *const pluss_result,
        level: usize,
        i: usize,
        out: *mut pluss_level_reference,
    ) -> pluss_status;
    pub fn pluss_result_get_level_thread(
        result: *const pluss_result,
        level: usize,
        i: usize,
        out: *mut pluss_level_thread,
    ) -> pluss_status;
    pub fn pluss_curve_get_reuse(
        curve: *const pluss_curve,
        knee: usize,
        i: usize,
        out: *mut pluss_reuse_info,
    ) -> pluss_status;
    pub fn pluss_pri_collect(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        options: *const pluss_options,
        out: *mut *mut pluss_pri,
    ) -> pluss_status;
    pub fn pluss_pri_free(pri: *mut pluss_pri);
    pub fn pluss_pri_get(pri: *const pluss_pri, i: u32, out: *mut pluss_pri_info) -> pluss_status;
    pub fn pluss_nest_fold(
        ctx: *mut pluss_context,
        traces: *const *const c_char,
        n_traces: usize,
        symbols: *const *const c_char,
        n_symbols: usize,
        values: *const i64,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_nest_transform(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        steps: *const *const c_char,
        n: usize,
        out: *mut *mut pluss_nest,
    ) -> pluss_status;
    pub fn pluss_nest_codegen(
        ctx: *mut pluss_context,
        nest: *const pluss_nest,
        language: pluss_language,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_nests_symbolic(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_nests_symbolic_code(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_report_free(report: *mut pluss_report);
    pub fn pluss_report_format_get(i: usize, out: *mut pluss_format_info) -> pluss_status;
    pub fn pluss_report_write(
        ctx: *mut pluss_context,
        report: *const pluss_report,
        format: *const c_char,
        options: *const pluss_write_options,
        write: pluss_write_fn,
        user: *mut c_void,
    ) -> pluss_status;
    pub fn pluss_report_print(
        ctx: *mut pluss_context,
        report: *const pluss_report,
        format: *const c_char,
        options: *const pluss_write_options,
        text: *mut c_char,
        room: usize,
        length: *mut usize,
    ) -> pluss_status;
    pub fn pluss_nest_report(
        ctx: *mut pluss_context,
        nests: *const *const pluss_nest,
        n: usize,
        regions: *const *const c_char,
        n_regions: usize,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_machine_report(
        ctx: *mut pluss_context,
        machine: *const pluss_machine_info,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_machine_file_put_caches(
        ctx: *mut pluss_context,
        file: *mut pluss_machine_file,
        machine: *const pluss_machine_info,
    ) -> pluss_status;
    pub fn pluss_machine_file_put_costs(
        ctx: *mut pluss_context,
        file: *mut pluss_machine_file,
        costs: *const pluss_machine_costs,
    ) -> pluss_status;
    pub fn pluss_machine_file_get_level(
        file: *const pluss_machine_file,
        i: usize,
        out: *mut pluss_cache,
    ) -> pluss_status;
    pub fn pluss_machine_file_report(
        ctx: *mut pluss_context,
        file: *const pluss_machine_file,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_options_set_levels(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        file: *const pluss_machine_file,
    ) -> pluss_status;
    pub fn pluss_options_add_ways(
        ctx: *mut pluss_context,
        options: *mut pluss_options,
        file: *const pluss_machine_file,
    ) -> pluss_status;
    pub fn pluss_options_lack_ways(options: *const pluss_options) -> c_int;
    pub fn pluss_result_report(
        ctx: *mut pluss_context,
        result: *const pluss_result,
        options: *const pluss_report_options,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_overview_report(
        ctx: *mut pluss_context,
        result: *const pluss_result,
        options: *const pluss_overview_options,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_line_report(
        ctx: *mut pluss_context,
        result: *const pluss_result,
        file: *const c_char,
        line: u32,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_result_keep_level(
        ctx: *mut pluss_context,
        result: *mut pluss_result,
        name: *const c_char,
    ) -> pluss_status;
    pub fn pluss_result_derive_levels(
        ctx: *mut pluss_context,
        result: *mut pluss_result,
        options: *const pluss_options,
    ) -> pluss_status;
    pub fn pluss_profile_report(
        ctx: *mut pluss_context,
        result: *const pluss_result,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_profile_merge(
        ctx: *mut pluss_context,
        dst: *mut pluss_result,
        src: *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_result_read(
        ctx: *mut pluss_context,
        text: *const c_char,
        length: usize,
        file: *const c_char,
        out: *mut *mut pluss_result,
    ) -> pluss_status;
    pub fn pluss_curve_compare(
        ctx: *mut pluss_context,
        a: *const pluss_curve,
        b: *const pluss_curve,
        grid: pluss_grid,
        out: *mut pluss_difference,
    ) -> pluss_status;
    pub fn pluss_result_compare(
        ctx: *mut pluss_context,
        a: *const pluss_result,
        b: *const pluss_result,
        options: *const pluss_compare_options,
        out: *mut *mut pluss_comparison,
    ) -> pluss_status;
    pub fn pluss_nests_time(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        out: *mut *mut pluss_times,
    ) -> pluss_status;
    pub fn pluss_times_free(times: *mut pluss_times);
    pub fn pluss_times_get_missing(times: *const pluss_times) -> pluss_status;
    pub fn pluss_times_get(
        times: *const pluss_times,
        i: usize,
        out: *mut pluss_time_info,
    ) -> pluss_status;
    pub fn pluss_times_report(
        ctx: *mut pluss_context,
        times: *const pluss_times,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_nests_advise(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        out: *mut *mut pluss_advice,
    ) -> pluss_status;
    pub fn pluss_nests_remark(
        ctx: *mut pluss_context,
        nests: *const pluss_nests,
        options: *const pluss_options,
        worst: *mut pluss_severity,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_advice_free(advice: *mut pluss_advice);
    pub fn pluss_advice_get_missing(advice: *const pluss_advice) -> pluss_status;
    pub fn pluss_advice_get(
        advice: *const pluss_advice,
        i: usize,
        out: *mut pluss_advice_info,
    ) -> pluss_status;
    pub fn pluss_advice_put_times(
        ctx: *mut pluss_context,
        advice: *mut pluss_advice,
        now: f64,
        then: f64,
        runs: u32,
    ) -> pluss_status;
    pub fn pluss_advice_report(
        ctx: *mut pluss_context,
        advice: *const pluss_advice,
        file: *const c_char,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_comparison_free(comparison: *mut pluss_comparison);
    pub fn pluss_comparison_get_info(
        comparison: *const pluss_comparison,
        out: *mut pluss_comparison_info,
    ) -> pluss_status;
    pub fn pluss_comparison_get(
        comparison: *const pluss_comparison,
        i: usize,
        out: *mut pluss_difference,
    ) -> pluss_status;
    pub fn pluss_comparison_get_level(
        comparison: *const pluss_comparison,
        i: usize,
        out: *mut pluss_level_difference,
    ) -> pluss_status;
    pub fn pluss_comparison_report_changes(
        ctx: *mut pluss_context,
        comparison: *const pluss_comparison,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
    pub fn pluss_comparison_report(
        ctx: *mut pluss_context,
        comparison: *const pluss_comparison,
        out: *mut *mut pluss_report,
    ) -> pluss_status;

    pub fn pluss_gaps_new(
        ctx: *mut pluss_context,
        options: *const pluss_options,
        out: *mut *mut pluss_gaps,
    ) -> pluss_status;
    pub fn pluss_gaps_free(gaps: *mut pluss_gaps);
    pub fn pluss_gaps_add(gaps: *mut pluss_gaps, record: *const pluss_record) -> pluss_status;
    pub fn pluss_gaps_finish(gaps: *mut pluss_gaps) -> pluss_status;
    pub fn pluss_gaps_get_info(gaps: *const pluss_gaps, out: *mut pluss_gaps_info) -> pluss_status;
    pub fn pluss_gaps_get_test(
        gaps: *const pluss_gaps,
        run: usize,
        out: *mut pluss_gaps_test,
    ) -> pluss_status;
    pub fn pluss_gaps_report(gaps: *const pluss_gaps, out: *mut *mut pluss_report) -> pluss_status;
    pub fn pluss_sweep_parse(
        ctx: *mut pluss_context,
        text: *const c_char,
        length: usize,
        file: *const c_char,
        out: *mut *mut pluss_sweep,
    ) -> pluss_status;
    pub fn pluss_sweep_free(sweep: *mut pluss_sweep);
    pub fn pluss_sweep_get_info(
        sweep: *const pluss_sweep,
        out: *mut pluss_sweep_info,
    ) -> pluss_status;
    pub fn pluss_sweep_report(
        ctx: *mut pluss_context,
        sweep: *const pluss_sweep,
        cell: u64,
        missing: *mut pluss_status,
        out: *mut *mut pluss_report,
    ) -> pluss_status;
}
