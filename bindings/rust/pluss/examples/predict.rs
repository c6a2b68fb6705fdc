// SPDX-License-Identifier: GPL-3.0-or-later
//! `predict FILE THREADS RUNS NAME=VALUE...`: the least time of a prediction by the closed-form
//! sampler, through the safe layer, in microseconds, and the miss ratio of 32 KiB to the last bit.
//! The same in C: bench/predict.c.

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, threads, runs, symbols @ ..] = arguments.as_slice() else {
        return Err("usage: predict FILE THREADS RUNS NAME=VALUE...".into());
    };
    let (threads, runs): (u32, u32) = (threads.parse()?, runs.parse()?);
    let (mut least, mut bits) = (f64::INFINITY, 0);
    for _ in 0..runs {
        let nest = pluss::Nest::read(path)?.into_iter().next().ok_or("no nest")?;
        let mut predict = nest.predict().threads([threads]).model("clock");
        for symbol in symbols {
            let (name, value) = symbol.split_once('=').ok_or("NAME=VALUE")?;
            predict = predict.bind(name, value.parse()?);
        }
        let start = Instant::now();
        let curves = predict.run()?;
        least = least.min(start.elapsed().as_secs_f64() * 1e6);
        bits = curves.iter().next().ok_or("no curve")?.miss_ratio(32 << 10).to_bits();
    }
    println!("{least:.1} {bits:016x}");
    Ok(())
}
