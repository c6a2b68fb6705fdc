#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Relative speeds of programs side by side, and of threads: speeds.py says what. Usage: BUILD=build polybench/speeds.sh
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../build}
case $build in /*) ;; *) build=$(cd .. && pwd)/$build ;; esac
out=$build/polybench/speeds
mkdir -p "$out"
# shellcheck source=modes.sh
. ./modes.sh
for kernel in gemm covariance mvt jacobi-2d; do compile "$kernel" native profile; done
./speeds.py "$out"
