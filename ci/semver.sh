#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The crates' interfaces against those of an earlier revision, by cargo-semver-checks: what breaks users needs a new minor number
# (until 1.0; then major). Declarations alone are compared by bindings/rust/api.py, which tests/rust runs.
#   ci/semver.sh [REVISION]      REVISION: the latest tag v*; without one there is nothing to compare with
# Needs `cargo install cargo-semver-checks --locked`; without it this is skipped, which is said.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath -m "${BUILD:-build}")
skip() { echo "ok - the crates' interfaces # SKIP $1"; exit 0; }
revision=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
[ -n "$revision" ] || skip "no release before this one"
git rev-parse -q --verify "$revision^{commit}" >/dev/null || { echo "ci/semver.sh: there is no revision $revision" >&2; exit 2; }
cargo semver-checks --version >/dev/null 2>&1 || skip "no cargo-semver-checks; cargo install cargo-semver-checks --locked"
export PLUSS_LIB_DIR=$build CARGO_TARGET_DIR=$build/rust-target-semver
if cargo semver-checks --manifest-path bindings/rust/Cargo.toml --workspace --baseline-rev "$revision"; then
    echo "ok - the crates' interfaces against those of $revision"
else
    echo "not ok - the crates' interfaces against those of $revision"
    exit 1
fi
