#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Speed, side by side in one run (harness/bench.c says what the columns are). Usage: BUILD=build polybench/bench.sh
#   KERNELS  which (default: gemm atax mvt 2mm syrk jacobi-2d covariance)
#   SIZES    of sizes.csv (default: SMALL MEDIUM LARGE)
#   TEAM     threads (default 4)
#   MOST     accesses above which nothing is walked (default 1e9)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
echo "# $("$build/pluss" --version | head -n 1); $(nproc) processors; times are medians of 3, or of one run that takes over a second"
"$build/polybench/bench"
for kernel in ${KERNELS:-gemm atax mvt 2mm syrk jacobi-2d covariance}; do
    for size in ${SIZES:-SMALL MEDIUM LARGE}; do
        # shellcheck disable=SC2046
        "$build/polybench/bench" "$build/polybench/nests/$kernel.o" "$kernel" "$size" "${TEAM:-4}" "${MOST:-1e9}" \
            $(polybench/sizes.sh "$kernel" "$size" raw)
    done
done
