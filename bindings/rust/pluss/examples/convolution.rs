// SPDX-License-Identifier: GPL-3.0-or-later
//! An image filtered with a small kernel, parallel over blocks of rows of the result.

use pluss::nest;
use pluss::rayon::{Watch, WatchSliceExt};
use pluss_trace::{Shape, Site};
use rayon::prelude::*;

mod shared;
use shared::{pool, print_curves, report, Aligned};

const TAPS: usize = 5;
const ROWS: usize = 4; // of a block

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (height, width) = (64, 96); // of the result
    let stride = width + TAPS - 1; // of the image
    let image = Aligned::new((height + TAPS - 1) * stride, |i| (i * 31 % 256) as f64);
    let taps = Aligned::new(TAPS * TAPS, |_| 1.0 / (TAPS * TAPS) as f64);
    let (image, taps) = (image.get(), taps.get());
    let site = Site::new("convolution", &[Shape::of::<f64>(); 5]);
    let watch = Watch::recording();
    for threads in [1, 2, 4] {
        let mut result = Aligned::new(height * width, |_| -1.0);
        pool(threads).install(|| {
            site.run(|run| {
                let result = result.get_mut().watch(&watch).par_chunks_mut(ROWS * width);
                result.enumerate().for_each(|(block, rows)| {
                    run.enter(|thread| {
                        let (image, taps) = (thread.reads(1, image), thread.reads(2, taps));
                        for r in 0..ROWS {
                            for x in 0..width {
                                thread.writes(0, rows)[r * width + x] = 0.0;
                                for dy in 0..TAPS {
                                    for dx in 0..TAPS {
                                        let y = block * ROWS + r + dy;
                                        thread.updates(3, 4, rows)[r * width + x] +=
                                            image[y * stride + x + dx] * taps[dy * TAPS + dx];
                                    }
                                }
                            }
                        }
                    })
                });
            });
        });
        assert!(result.get().iter().all(|x| (0.0..256.0).contains(x)));
    }

    let run = watch.last().expect("a run");
    println!("convolution: {} blocks of {} elements", run.items, run.chunk);
    for piece in &run.pieces {
        let thread = piece.thread.map_or("-".into(), |thread| thread.to_string());
        println!("  blocks {}..{} on thread {thread}", piece.first, piece.first + piece.len);
    }
    let (rows, taps) = (ROWS as i64, TAPS as i64);
    let nest = nest! {
        region convolution(height, width) {
            let stride = width + (taps - 1);
            array f64 result[height][width], image[height + (taps - 1)][stride], kernel[taps][taps];
            parallel for block in 0..(height / rows), schedule(rayon, run.min_len) {
                for r in 0..rows {
                    for x in 0..width {
                        write result[block * rows + r][x];
                        for dy in 0..taps {
                            for dx in 0..taps {
                                read image[block * rows + r + dy][x + dx]; read kernel[dy][dx];
                                update result[block * rows + r][x];
                            }
                        }
                    }
                }
            }
        }
    }?;
    let bindings = [("height", height as i64), ("width", width as i64)];
    let mut predict = nest.predict().threads([1, 2, 4]).model("cri");
    for (name, value) in bindings {
        predict = predict.bind(name, value);
    }
    print_curves(&predict.run()?);
    for region in &pluss_trace::take()?.regions {
        report(&nest, &bindings, region, &watch)?;
    }
    Ok(())
}
