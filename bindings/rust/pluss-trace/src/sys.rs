// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raw declarations of libpluss-rt (rt/rt.h); tests/layout.rs compares the structs with the header.
#![allow(missing_docs)]

use std::ffi::{c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pluss_rt_ref {
    pub width: u32,
    pub stride_gcd: u32,
}

#[repr(C)]
pub struct pluss_rt_region {
    pub size: usize,
    pub name: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub n_refs: u32,
    pub n_symbols: u32,
    pub n_arrays: u32,
    pub r#ref: *const pluss_rt_ref,
    pub symbol: *const *const c_char,
    pub array: *const *const c_char,
}

#[repr(C)]
pub struct pluss_rt_run {
    _bytes: [u8; 0],
}

pub const PLUSS_RT_LINE_BYTES: u32 = 64;

extern "C" {
    pub fn pluss_rt_region_begin(
        region: *const pluss_rt_region,
        symbols: *const i64,
        bases: *const *const c_void,
    ) -> *mut pluss_rt_run;
    pub fn pluss_rt_region_end(run: *mut pluss_rt_run);
    pub fn pluss_rt_thread_begin(run: *mut pluss_rt_run, thread: u32, team: u32);
    pub fn pluss_rt_thread_end(run: *mut pluss_rt_run);
    pub fn pluss_rt_access(r#ref: u32, address: *const c_void);
    pub fn pluss_rt_lost(run: *mut pluss_rt_run, accesses: u64);
    pub fn pluss_rt_text(text: *mut *mut c_char, length: *mut usize) -> c_int;
    pub fn pluss_rt_reset();
    pub fn free(allocated: *mut c_void);
}
