// SPDX-License-Identifier: GPL-3.0-or-later
//
// Added to a generated sampler in Rust, whose main is called sampler_main: prints which lines of
// which array each thread touched.
fn main() {
    const THREADS: i64 = 9;
    let s = set_up(&DEFAULTS, &[false; N_SYMBOLS], 64);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for k in 0..THREADS {
        let mut w = walker(&s, k, THREADS, 64);
        walk(&mut w);
        for seen in w.seen.filled() {
            let (array, line) = (seen.line / (FAR as u64 / 64) - 1, seen.line % (FAR as u64 / 64));
            writeln!(out, "{k} {array} {line}").unwrap();
        }
    }
}
