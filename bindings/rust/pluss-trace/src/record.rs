// SPDX-License-Identifier: MIT OR Apache-2.0
//! What libpluss-rt writes (docs/record-format.md), read back.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Everything recorded: one [`Region`] for each site and size of team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Runs that no memory was left for.
    pub lost_runs: u64,
    /// Runs that there was no room for: of more sites and teams than are kept.
    pub left_out: u64,
    /// In the order in which they first ended.
    pub regions: Vec<Region>,
}

/// All runs of a site with the same team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Source file.
    pub file: String,
    /// Line in it.
    pub line: u32,
    /// Threads.
    pub team: u32,
    /// How many runs are summed here.
    pub runs: u64,
    /// Accesses that no thread could be found for.
    pub lost: u64,
    /// By thread number.
    pub threads: Vec<Thread>,
    /// Histograms, by thread, then reference.
    pub intervals: Vec<Intervals>,
}

/// What a thread did in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Accesses recorded.
    pub accesses: u64,
    /// Accesses that could not be recorded.
    pub lost: u64,
}

/// Private reuse intervals of one reference on one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals {
    /// The thread.
    pub thread: u32,
    /// The reference.
    pub reference: u32,
    /// Accesses to lines that the thread had not touched before.
    pub first: u64,
    /// `(interval, count)` by ascending interval.
    pub bins: Vec<(u64, u64)>,
}

impl Region {
    /// First touches and intervals of a reference, all threads together.
    pub fn reference(&self, number: u32) -> (u64, BTreeMap<u64, u64>) {
        let mut first = 0;
        let mut bins = BTreeMap::new();
        for histogram in self.intervals.iter().filter(|h| h.reference == number) {
            first += histogram.first;
            for &(interval, count) in &histogram.bins {
                *bins.entry(interval).or_insert(0) += count;
            }
        }
        (first, bins)
    }

    /// All accesses of all threads.
    pub fn accesses(&self) -> u64 {
        self.threads.iter().map(|thread| thread.accesses).sum()
    }
}

/// A record that is not one: the line, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// What was expected.
    pub expected: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the record: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for ParseError {}

/// The words of one line.
struct Words<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Words<'t> {
    fn fail<T>(&self, expected: &'static str) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, expected })
    }

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_start();
        let end = rest.find(' ').unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn word(&mut self, word: &'static str) -> Result<(), ParseError> {
        if self.next() == Some(word) {
            Ok(())
        } else {
            self.fail(word)
        }
    }

    fn number<T: FromStr>(&mut self) -> Result<T, ParseError> {
        match self.next().and_then(|word| word.parse().ok()) {
            Some(number) => Ok(number),
            None => self.fail("a number"),
        }
    }

    fn field<T: FromStr>(&mut self, word: &'static str) -> Result<T, ParseError> {
        self.word(word)?;
        self.number()
    }

    /// A string between quotes; `\n` is a line end, any other escaped character itself.
    fn string(&mut self) -> Result<String, ParseError> {
        let Some(rest) = self.rest.trim_start().strip_prefix('"') else {
            return self.fail("a string");
        };
        let mut out = String::new();
        let mut chars = rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &rest[at + 1..];
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, c)) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        self.fail("the string's end")
    }
}

impl Region {
    fn head(words: &mut Words<'_>) -> Result<Self, ParseError> {
        let name = words.string()?;
        let file = words.string()?;
        words.rest = match words.rest.strip_prefix(':') {
            Some(rest) => rest,
            None => return words.fail("':' and a line number"),
        };
        let line = words.number()?;
        let team = words.field("team")?;
        let runs = words.field("runs")?;
        let lost = match words.next() {
            Some("lost") => words.number()?,
            Some("accesses") => words.number()?, // of runs that are left out
            _ => return words.fail("lost"),
        };
        if words.rest.trim_start().starts_with("by ") {
            words.word("by")?;
            words.next();
        }
        Ok(Self { name, file, line, team, runs, lost, ..Self::default() })
    }

    fn add_intervals(&mut self, words: &mut Words<'_>) -> Result<(), ParseError> {
        let thread = words.field("thread")?;
        let reference = words.field("ref")?;
        let first = words.field("first")?;
        let mut bins = Vec::new();
        while let Some(bin) = words.next() {
            let pair = bin.split_once(':');
            let pair = pair.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            match pair {
                Some(pair) => bins.push(pair),
                None => return words.fail("interval:count"),
            }
        }
        self.intervals.push(Intervals { thread, reference, first, bins });
        Ok(())
    }
}

impl FromStr for Record {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut record = Record::default();
        let mut open: Option<Region> = None;
        let mut last = 0;
        for (i, line) in text.lines().enumerate() {
            let mut words = Words { rest: line, line: i + 1 };
            last = i + 1;
            match (words.next(), &mut open) {
                (Some("pluss-record"), None) if i == 0 => words.word("3")?,
                _ if i == 0 => return words.fail("pluss-record 3"),
                (Some("line"), None) => record.line_bytes = words.number()?,
                (Some("lost-runs"), None) => record.lost_runs = words.number()?,
                (Some("region"), None) => open = Some(Region::head(&mut words)?),
                (Some("symbol" | "array"), Some(_)) => {
                    words.string()?;
                    words.number::<i128>()?;
                }
                (Some("thread"), Some(region)) => {
                    if words.number::<usize>()? != region.threads.len() {
                        return words.fail("the next thread");
                    }
                    let accesses = words.field("accesses")?;
                    let lost = words.field("lost")?;
                    region.threads.push(Thread { accesses, lost });
                }
                (Some("pri"), Some(region)) => region.add_intervals(&mut words)?,
                // a sequence is the record's last
                (Some("sequence"), None) => return Ok(record),
                (Some("left-out"), None) => record.left_out += Region::head(&mut words)?.runs,
                (Some("end"), Some(_)) => record.regions.extend(open.take()),
                (Some("end" | "region"), _) => return words.fail("a region before its end"),
                _ => words.rest = "", // facts that are not asked for here
            }
            if words.next().is_some() {
                return words.fail("the line's end");
            }
        }
        if last == 0 || open.is_some() {
            return Err(ParseError { line: last + 1, expected: "end" });
        }
        Ok(record)
    }
}
