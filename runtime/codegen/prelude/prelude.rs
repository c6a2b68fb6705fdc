// @stand-in
//
// The parts of a sampler in Rust that do not depend on the nest: what follows the lines "@text",
// which embed.awk makes strings of. In between stands what a nest with one loop brings, so that this
// file is a program, to be compiled and checked as it is.
// @text head
// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sampler made by `pluss codegen`: walks the nest as each of T threads would, with Rayon's
//! workers, and prints the private reuse intervals of every reference as JSON.
//!
//!     cargo run --release -- -T 4 -D name=value ... [--workers N] [--line BYTES]
#![forbid(unsafe_code)]
#![allow(unused_parens)] // expressions are in parentheses wherever they could need them

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use rayon::prelude::*;

fn die(what: &str) -> ! {
    eprintln!("{what}");
    std::process::exit(3)
}

#[allow(dead_code)]
fn floor_div(a: i64, b: i64) -> i64 {
    if b < 1 {
        die("a divisor is below 1");
    }
    a.div_euclid(b)
}

fn floor_mod(a: i64, b: i64) -> i64 {
    if b < 1 {
        die("a divisor is below 1");
    }
    a.rem_euclid(b)
}

#[allow(dead_code)]
fn least(a: i64, b: i64) -> i64 {
    a.min(b)
}

#[allow(dead_code)]
fn most(a: i64, b: i64) -> i64 {
    a.max(b)
}

#[allow(dead_code)]
fn team_of(threads: i64) -> i64 {
    if !(1..=4096).contains(&threads) {
        die("a team is of 1 to 4096 threads");
    }
    threads
}

/// Greatest common divisor of |a| and b > 0.
#[allow(dead_code)]
fn common(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a.unsigned_abs(), b.unsigned_abs());
    while x != 0 {
        (x, y) = (y % x, x);
    }
    y as i64
}

/// Lines that an access can touch, at least: more than one where it can straddle.
#[allow(dead_code)]
fn touches_of(line: i64, gcd: i64, offset: i64, width: u64) -> u64 {
    if floor_mod(offset, gcd) as u64 + width <= gcd as u64 {
        1
    } else {
        1 + (width - 1).div_ceil(line as u64)
    }
}

fn range(lo: i64, hi: i64, step: i64) -> impl Iterator<Item = i64> {
    let n = if step > 0 && lo < hi {
        (hi.abs_diff(lo) - 1) / step.unsigned_abs() + 1
    } else if step < 0 && lo > hi {
        (lo.abs_diff(hi) - 1) / step.unsigned_abs() + 1
    } else {
        0
    };
    (0..n).map(move |i| lo.wrapping_add((i as i64).wrapping_mul(step)))
}

#[allow(dead_code)]
const FAR: i64 = 1 << 46; // from one array to the next, bytes
#[allow(dead_code)]
const NEAR: i64 = 1 << 34; // from one thread's copy to the next

// @stand-in
const N_SYMBOLS: usize = 1;
const N_ARRAYS: usize = 1;
const N_REFS: usize = 1;

struct Symbols {
    n: i64,
    base: [i64; N_ARRAYS],
    touches: [u64; N_REFS],
}

const SYMBOLS: [(&str, &str, bool); N_SYMBOLS] = [("", "n", false)];

const REFS: [(&str, u64); N_REFS] = [("A[i]", 8)];

const DEFAULTS: [i64; N_SYMBOLS] = [0];

fn set_up(value: &[i64; N_SYMBOLS], given: &[bool; N_SYMBOLS], line: i64) -> Symbols {
    Symbols {
        n: if given[0] { value[0] } else { 0 },
        base: [FAR],
        touches: [touches_of(line, common(8, line), FAR, 8)],
    }
}

fn own_bases(s: &Symbols, thread: i64) -> [i64; N_ARRAYS] {
    [s.base[0] + (thread + 1) * NEAR]
}

// @text middle
// ---- what a thread has seen --------------------------------------------------------------------

/// A line's last touch.
#[derive(Clone, Copy, Default)]
struct Seen {
    line: u64,
    last: u64, // accesses up to the last touch, from 1; 0: free
    first_ref: u32,
    sharers: u32,
}

/// Open addressing, a power of two of slots, at least half of them free.
struct Lines {
    slot: Vec<Seen>,
    n: usize,
}

impl Lines {
    fn new(cap: usize) -> Self {
        Self { slot: vec![Seen::default(); cap], n: 0 }
    }

    fn find(&self, line: u64) -> usize {
        let slot = self.slot.as_slice();
        let mask = slot.len() - 1;
        let mut at = (line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & mask;
        while slot[at].last != 0 && slot[at].line != line {
            at = (at + 1) & mask;
        }
        at
    }

    /// A slot has been filled.
    #[inline(never)]
    fn added(&mut self) {
        self.n += 1;
        if 2 * (self.n + 1) < self.slot.len() {
            return;
        }
        let mut bigger = Self::new(2 * self.slot.len());
        for seen in self.filled() {
            let at = bigger.find(seen.line);
            bigger.slot[at] = *seen;
        }
        self.slot = bigger.slot;
    }

    fn filled(&self) -> impl Iterator<Item = &Seen> {
        self.slot.iter().filter(|seen| seen.last != 0)
    }
}

#[derive(Clone, Copy, Default)]
struct Bin {
    interval: u64,
    count: u64,
}

/// Open addressing, as above; free where the count is 0.
struct Histogram {
    bin: Vec<Bin>,
    n: usize,
    latest: Bin, // not yet among the bins: the same interval comes many times in a row
}

impl Histogram {
    fn new(cap: usize) -> Self {
        Self { bin: vec![Bin::default(); cap], n: 0, latest: Bin::default() }
    }

    #[inline(never)] // the walk's code is then quicker
    fn add(&mut self, new: Bin) {
        let bin = self.bin.as_mut_slice();
        let mask = bin.len() - 1;
        let mut at = (new.interval.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & mask;
        while bin[at].count != 0 && bin[at].interval != new.interval {
            at = (at + 1) & mask;
        }
        let count = bin[at].count + new.count;
        let is_new = std::mem::replace(&mut bin[at], Bin { count, ..new }).count == 0;
        if !is_new {
            return;
        }
        self.n += 1;
        if 2 * (self.n + 1) < self.bin.len() {
            return;
        }
        let mut bigger = Self::new(2 * self.bin.len());
        for bin in self.bin.iter().filter(|bin| bin.count != 0) {
            bigger.add(*bin);
        }
        self.bin = bigger.bin;
    }

    fn count(&mut self, interval: u64) {
        if interval != self.latest.interval {
            let latest = std::mem::replace(&mut self.latest, Bin { interval, count: 0 });
            if latest.count != 0 {
                self.add(latest);
            }
        }
        self.latest.count += 1;
    }

    fn filled(&self) -> impl Iterator<Item = &Bin> {
        self.bin.iter().chain([&self.latest]).filter(|bin| bin.count != 0)
    }
}

struct Walker<'s> {
    s: &'s Symbols,
    me: i64,
    #[allow(dead_code)]
    default_team: i64,
    thread: i64,
    team: i64,
    most_team: i64,
    line_shift: u32,
    counting: bool, // accesses are counted, not made
    count: u64,
    clock: u64,
    base: [i64; N_ARRAYS],
    seen: Lines,
    histogram: [Histogram; N_REFS],
    slot: [usize; N_REFS], // of the line that each reference touched last: often the next, too
}

#[derive(Clone, Copy)]
#[allow(dead_code)]
struct Counting {
    counting: bool,
    count: u64,
}

impl Walker<'_> {
    #[allow(dead_code)]
    #[inline]
    fn touch_line(&mut self, reference: usize, line: u64) {
        self.clock += 1;
        let now = self.clock;
        let mut at = self.slot[reference];
        match self.seen.slot.get(at) {
            Some(seen) if seen.line == line && seen.last != 0 => {}
            _ => {
                at = self.seen.find(line);
                self.slot[reference] = at;
            }
        }
        let seen = &mut self.seen.slot[at];
        if seen.last != 0 {
            let interval = now - seen.last;
            seen.last = now;
            self.histogram[reference].count(interval);
        } else {
            *seen = Seen { line, last: now, first_ref: reference as u32, sharers: 0 };
            self.seen.added();
        }
    }

    #[allow(dead_code)]
    #[inline]
    fn touch(&mut self, reference: usize, address: i64) {
        let touches = self.s.touches[reference];
        if self.counting {
            self.count += touches;
            return;
        }
        let first = address as u64;
        for i in 1..touches {
            self.touch_line(reference, (first >> self.line_shift) + i - 1);
        }
        let last = if touches > 1 { first + REFS[reference].1 - 1 } else { first };
        self.touch_line(reference, last >> self.line_shift);
    }

    #[allow(dead_code)]
    fn count_from(&mut self) -> Counting {
        let before = Counting { counting: self.counting, count: self.count };
        self.counting = true;
        self.count = 0;
        before
    }

    #[allow(dead_code)]
    fn count_to(&mut self, before: Counting) -> u64 {
        let cost = self.count;
        self.counting = before.counting;
        self.count = before.count;
        cost
    }
}

// ---- how iterations are dispatched -------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)]
enum Kind {
    Static,
    Dynamic,
    Guided,
}

/// The block of a thread in a static loop without a chunk, as libgomp has it: the first n mod T have
/// one iteration more.
#[allow(dead_code)]
fn static_block(n: u64, team: u64, thread: u64) -> std::ops::Range<u64> {
    let (quotient, rest) = (n / team, n % team);
    let first = thread * quotient + thread.min(rest);
    first..first + quotient + u64::from(thread < rest)
}

/// The chunks of a dynamic or guided loop, one after another, as libgomp dispatches them. Of a
/// guided loop whose range is no multiple of its step (ragged) it counts one remaining iteration
/// less than there are.
#[allow(dead_code)]
struct Dispatch {
    n: u64,
    next: u64,
    chunk: u64, // the least
    team: u64,
    guided: bool,
    ragged: bool,
}

impl Iterator for Dispatch {
    type Item = std::ops::Range<u64>;

    fn next(&mut self) -> Option<Self::Item> {
        let remaining = self.n - self.next;
        if remaining == 0 {
            return None;
        }
        let mut size = self.chunk;
        if self.guided {
            size = size.max((remaining - u64::from(self.ragged)).div_ceil(self.team));
        }
        let first = self.next;
        self.next += size.min(remaining);
        Some(first..self.next)
    }
}

/// The iterations of a worksharing loop that the thread executes.
#[allow(dead_code)]
struct IterationSet {
    is_cyclic: bool, // static with a chunk: chunk number j goes to thread j mod T
    thread: u64,
    team: u64,
    chunk: u64,
    chunks: Vec<std::ops::Range<u64>>, // else the thread's, ascending
    at: usize,
}

#[allow(dead_code)]
impl IterationSet {
    /// chunk 0: none given. cost: accesses of each iteration, not for static.
    fn new(w: &Walker, kind: Kind, n: u64, chunk: i64, cost: &[u64], ragged: bool) -> Self {
        if chunk < 0 || (kind != Kind::Static && chunk < 1) {
            die("a chunk is below 1");
        }
        let (thread, team, chunk) = (w.thread as u64, w.team as u64, chunk as u64);
        let is_cyclic = kind == Kind::Static && chunk > 0;
        let mut set = Self { is_cyclic, thread, team, chunk, chunks: Vec::new(), at: 0 };
        if kind == Kind::Static {
            set.chunks.push(static_block(n, team, thread));
        } else {
            let guided = kind == Kind::Guided;
            set.dispatch(Dispatch { n, next: 0, chunk, team, guided, ragged }, cost);
        }
        set
    }

    /// The next chunk goes to the thread that has done the fewest accesses since the loop began.
    fn dispatch(&mut self, all: Dispatch, cost: &[u64]) {
        let mut clock = vec![0u64; self.team as usize];
        for chunk in all {
            let mut thread = 0;
            for k in 1..clock.len() {
                if clock[k] < clock[thread] {
                    thread = k;
                }
            }
            clock[thread] += cost[chunk.start as usize..chunk.end as usize].iter().sum::<u64>();
            if thread as u64 == self.thread {
                self.chunks.push(chunk);
            }
        }
    }

    /// Asked in ascending order of i.
    fn holds(&mut self, i: u64) -> bool {
        if self.is_cyclic {
            return i / self.chunk % self.team == self.thread;
        }
        while self.chunks.get(self.at).is_some_and(|chunk| i >= chunk.end) {
            self.at += 1;
        }
        self.chunks.get(self.at).is_some_and(|chunk| i >= chunk.start)
    }
}

// ---- the nest ----------------------------------------------------------------------------------

// @stand-in
fn walk(w: &mut Walker) {
    w.thread = w.me;
    w.team = team_of(w.default_team);
    if w.me >= w.team {
        return;
    }
    let mut cost: Vec<u64> = Vec::new();
    for i in range(0, w.s.n, 1) {
        let before = w.count_from();
        w.touch(0, w.base[0] + i * 8);
        cost.push(w.count_to(before));
    }
    let mut set = IterationSet::new(w, Kind::Guided, cost.len() as u64, 1, &cost, false);
    for i in range(0, w.s.n, 1) {
        if set.holds(i as u64) {
            w.touch(0, w.base[0] + i * 8);
        }
    }
}

fn find_teams(w: &mut Walker) {
    w.most_team = most(w.most_team, w.default_team);
}

// @text end
// ---- all threads, and what they saw together ---------------------------------------------------

fn walker(s: &Symbols, me: i64, team: i64, line: i64) -> Walker<'_> {
    Walker {
        s,
        me,
        default_team: team,
        thread: 0,
        team: 1, // the serial code around parallel regions
        most_team: team,
        line_shift: line.trailing_zeros(),
        counting: false,
        count: 0,
        clock: 0,
        base: own_bases(s, me),
        seen: Lines::new(1024),
        histogram: std::array::from_fn(|_| Histogram::new(16)),
        slot: [0; N_REFS],
    }
}

fn quoted(s: &str) -> String {
    format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Of the k threads that touch a line, each one's first touch is 1/k cold, 1 - 1/k thread-first.
fn print_all(walkers: &[Walker], team: i64, out: &mut impl Write) -> std::io::Result<()> {
    let mut lines = Lines::new(1024); // by how many threads each line is touched
    for seen in walkers.iter().flat_map(|w| w.seen.filled()) {
        let at = lines.find(seen.line);
        let line = &mut lines.slot[at];
        let is_new = line.last == 0;
        *line = Seen { line: seen.line, last: 1, first_ref: 0, sharers: line.sharers + 1 };
        if is_new {
            lines.added();
        }
    }
    let row = walkers.len() + 1;
    let mut first_by = vec![0u64; N_REFS * row];
    for seen in walkers.iter().flat_map(|w| w.seen.filled()) {
        let sharers = lines.slot[lines.find(seen.line)].sharers as usize;
        first_by[seen.first_ref as usize * row + sharers] += 1;
    }
    let accesses: u64 = walkers.iter().map(|w| w.clock).sum();
    write!(out, "{{\"version\": 1, \"generator\": \"pluss codegen\", \"threads\": {team}, ")?;
    writeln!(out, "\"accesses\": {accesses}, \"lines\": {}, \"refs\": [", lines.n)?;
    for (reference, (text, _)) in REFS.iter().enumerate() {
        let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
        for bin in walkers.iter().flat_map(|w| w.histogram[reference].filled()) {
            *bins.entry(bin.interval).or_insert(0) += bin.count;
        }
        let (mut cold, mut thread_first) = (0.0, 0.0);
        for k in 1..row {
            let first = first_by[reference * row + k] as f64;
            cold += first / k as f64;
            thread_first += first * (k - 1) as f64 / k as f64;
        }
        let bins: Vec<String> = bins.iter().map(|(r, n)| format!("[{r}, {n}]")).collect();
        write!(out, "    {{\"ref\": {reference}, \"text\": {}, ", quoted(text))?;
        write!(out, "\"cold\": {cold}, \"thread_first\": {thread_first}, ")?;
        let comma = if reference + 1 < N_REFS { "," } else { "" };
        writeln!(out, "\"bins\": [{}]}}{comma}", bins.join(", "))?;
    }
    writeln!(out, "]}}")?;
    out.flush()
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

struct Given {
    value: [i64; N_SYMBOLS],
    given: [bool; N_SYMBOLS],
    strong: [bool; N_SYMBOLS],
}

impl Given {
    /// NAME=VALUE or REGION.NAME=VALUE; the second is the stronger.
    fn define(&mut self, text: &str) -> Result<(), String> {
        let pair = text.split_once('=').and_then(|(name, value)| Some((name, number(value)?)));
        let Some((name, value)) = pair else { return Err("-D wants NAME=VALUE".into()) };
        let mut found = false;
        for (i, (region, symbol, _)) in SYMBOLS.iter().enumerate() {
            let plain = name == *symbol;
            let full = !region.is_empty() && name == format!("{region}.{symbol}");
            found |= plain || full;
            if full || (plain && !self.strong[i]) {
                self.value[i] = value;
                self.given[i] = true;
                self.strong[i] = full;
            }
        }
        if found {
            Ok(())
        } else {
            Err("-D names no symbol".into())
        }
    }
}

struct Options {
    team: i64,
    line: i64,
    workers: usize,
    symbols: Given,
}

fn arguments() -> Result<Options, String> {
    let (mut team, mut line) = (1, 64);
    let mut workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut given =
        Given { value: DEFAULTS, given: [false; N_SYMBOLS], strong: [false; N_SYMBOLS] };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let argument = arguments.next().ok_or("an option without its argument")?;
        match option.as_str() {
            "-T" => {
                team = number(&argument)
                    .filter(|team| (1..=4096).contains(team))
                    .ok_or("-T wants 1 to 4096")?;
            }
            "--workers" => {
                workers = number(&argument)
                    .filter(|workers| (1..=256).contains(workers))
                    .ok_or("--workers wants 1 to 256")? as usize;
            }
            "--line" => {
                line = number(&argument)
                    .filter(|line| (1..=4096).contains(line) && line & (line - 1) == 0)
                    .ok_or("--line wants a power of two up to 4096")?;
            }
            "-D" => given.define(&argument)?,
            other => return Err(other.to_string()),
        }
    }
    for (i, (_, name, bound)) in SYMBOLS.iter().enumerate() {
        if !bound && !given.given[i] {
            return Err(format!("{name}: has no value"));
        }
    }
    Ok(Options { team, line, workers, symbols: given })
}

fn main() -> ExitCode {
    let Options { team, line, workers, symbols } = match arguments() {
        Ok(all) => all,
        Err(what) => {
            let names: Vec<String> = SYMBOLS
                .iter()
                .map(|(_, name, bound)| format!(" {name}{}", if *bound { "" } else { "=?" }))
                .collect();
            eprintln!(
                "{what}\nusage: [-T THREADS] [-D NAME=VALUE]... [--workers N] [--line BYTES]"
            );
            eprintln!("symbols:{}", names.concat());
            return ExitCode::from(2);
        }
    };
    let s = set_up(&symbols.value, &symbols.given, line);
    let mut first = walker(&s, 0, team, line);
    find_teams(&mut first);
    let n = first.most_team;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers.min(n as usize)).build();
    let Ok(pool) = pool else { die("no threads") };
    let walkers: Vec<Walker> = pool.install(|| {
        let threads = (0..n as usize).into_par_iter().with_max_len(1);
        threads
            .map(|me| {
                let mut w = walker(&s, me as i64, team, line);
                walk(&mut w);
                w
            })
            .collect()
    });
    match print_all(&walkers, team, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}
