#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The suites once more, and the safe Rust layer, under sanitizers: a third of what goes through many combinations. TAP.
# Tier: full, limit 7200 s
cd "$(dirname "$0")/../.." || exit 1
unset PLUSS_LONG
ci/sanitize.sh
ci/sanitize-rust.sh
