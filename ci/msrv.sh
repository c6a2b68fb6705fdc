#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The crates with the oldest compiler that they promise to build with (rust-version in bindings/rust/Cargo.toml), from a
# folder with its cargo and rustc, or from rustup. Usage: ci/msrv.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=$(realpath -m "${BUILD:-build}")
oldest=$(sed -nE 's/^rust-version = "([^"]*)".*/\1/p' bindings/rust/Cargo.toml)
if [ $# -gt 0 ]; then
    PATH=$(realpath "$1"):$PATH
else
    export RUSTUP_TOOLCHAIN=$oldest
fi
case $(rustc --version) in
    "rustc $oldest."*) ;;
    *) echo "ci/msrv.sh: $(rustc --version) is not $oldest; give the folder of one that is" >&2; exit 1 ;;
esac
cd bindings/rust
PLUSS_LIB_DIR=$build CARGO_TARGET_DIR=$build/rust-target-msrv cargo test -q --workspace --all-features --locked
