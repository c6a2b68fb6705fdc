#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of polybench/ have no data race: a few of them, in tier full all. TAP.
# Tier: check, limit 600 s (full: 3600 s)
some="gemm jacobi-2d floyd-warshall histogram trmm"
[ "${PLUSS_TIER:-check}" = full ] && some=
# shellcheck disable=SC2086
exec "$(dirname "$0")/../../ci/tsan.sh" $some
