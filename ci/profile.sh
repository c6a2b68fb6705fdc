#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make PGO=1` compiles the library for: predictions of a few kernels at size LARGE, by a library that counts what it executes
# (BUILD/profile/pluss). The counts go beside the objects of BUILD. Usage: BUILD=build ci/profile.sh
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
objects=$build/profile/obj nests=$build/profile/nests
mkdir -p "$nests"
find "$objects" -name '*.gcda' -delete
for kernel in gemm cholesky seidel-2d nussinov atax; do
    gcc -O2 -fopenmp -fplugin="$(realpath "$build/pluss.so")" -c "polybench/$kernel.c" -o "$nests/$kernel.o"
    # shellcheck disable=SC2046
    "$build/profile/pluss" predict "$nests/$kernel.o" --workers 1 -T 4,64 $(polybench/sizes.sh "$kernel" LARGE) >/dev/null 2>"$build/profile/messages"
done
mkdir -p "$build/obj"
into=$(realpath "$build/obj")
cd "$objects"
find runtime ffi -name '*.gcda' -exec cp --parents -t "$into" {} +
