// SPDX-License-Identifier: GPL-3.0-or-later
//! What the kernels' programs share.

/// The I-th argument of the program, a number.
pub fn argument(i: usize) -> usize {
    let text = std::env::args().nth(i).unwrap_or_else(|| panic!("argument {i} is missing"));
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

/// So many numbers, which are not all the same.
pub fn numbers(length: usize) -> Vec<f64> {
    (0..length).map(|i| (i % 7) as f64).collect()
}
