// SPDX-License-Identifier: GPL-3.0-or-later
//! `same FILE...`: the gemm built here against the nests in files, out of the compiler or written
//! by hand: but for their places the nests must be equal, and what is predicted of them to the last
//! bit.

use pluss::{nest, Error, Model, Nest};

fn gemm() -> Result<Nest, Error> {
    nest! {
        region gemm(ni, nj, nk) {
            array f64 C[..][nj], A[..][nk], B[..][nj];
            parallel for i in 0..ni, schedule(static, 4) {
                for j in 0..nj {
                    update C[i][j];
                    for k in 0..nk { read A[i][k]; read B[k][j]; update C[i][j]; }
                }
            }
        }
    }
}

/// The canonical text without places in the source.
fn text(nest: &Nest) -> Result<String, Error> {
    let text = nest.to_text()?;
    let lines = text.lines().map(|line| match line.strip_prefix("region ") {
        Some(rest) => format!("region {}\n", rest.split(' ').next().unwrap_or("")),
        None => {
            let head = line.strip_suffix(" {").unwrap_or(line);
            let open = &line[head.len()..];
            format!("{}{open}\n", head.split(" @").next().unwrap_or(""))
        }
    });
    Ok(lines.collect())
}

/// All points of all curves that there are, as bits.
fn bits(nest: &Nest) -> Result<Vec<u64>, Error> {
    let mut all = Vec::new();
    // what a sampler kept is not in a nest
    for model in Model::all().filter(|model| model.name != "lines") {
        let teams: &[u32] = if model.name == "extrapolate" { &[1] } else { &[1, 4, 64] };
        let request = nest.predict().threads(teams.iter().copied()).model(model.name);
        let curves = request.bind("ni", 40).bind("nj", 20).bind("nk", 24).run()?;
        for curve in &curves {
            for point in curve.points() {
                all.extend([point.size_lines.to_bits(), point.miss_ratio.to_bits()]);
            }
        }
    }
    Ok(all)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let built = gemm()?;
    let (text_built, bits_built) = (text(&built)?, bits(&built)?);
    let mut files = 0;
    for file in std::env::args().skip(1) {
        let read = Nest::read(&file)?.into_iter().next().ok_or(format!("{file}: no nest"))?;
        if text(&read)? != text_built {
            return Err(format!("{file}: another nest:\n{}{text_built}", text(&read)?).into());
        }
        if bits(&read)? != bits_built {
            return Err(format!("{file}: another prediction").into());
        }
        println!("{file}: equal, and so are {} numbers predicted", bits_built.len());
        files += 1;
    }
    if files == 0 {
        return Err("usage: same FILE...".into());
    }
    Ok(())
}
