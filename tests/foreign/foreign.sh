#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The large survey: fetches Debian source packages with OpenMP code in them and writes
# tests/foreign/results.md. Takes half an hour; niced.
#   tests/foreign/foreign.sh [PACKAGE...]      (without: those below)
# BUILD: where pluss.so is; FOREIGN: where sources and results go, outside of the repository;
# MOST: so many sources of a package (11), MOST_TESTS: of the compiler's own tests (400).
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
foreign=${FOREIGN:-/var/tmp/foreign}
packages=("$@")
[ $# -gt 0 ] || packages=(gcc-12 fasttree velvet healpix-cxx kraken2 graphicsmagick espresso clustalo
    sundials hypre openblas fftw3 suitesparse hhsuite imagemagick lammps faiss mumps freecontact
    iqtree mmseqs2 calculix-ccx cdftools code-saturne darknet darktable elpa getdp gromacs
    luminance-hdr pfstools)
tests/foreign/fetch.sh "$foreign/src" "${packages[@]}"
results=()
for package in "${packages[@]}"; do
    [ -d "$foreign/src/$package" ] || continue
    most=${MOST:-11}
    [ "$package" = gcc-12 ] && most=${MOST_TESTS:-400}
    nice python3 tests/foreign/survey.py --plugin "$build/pluss.so" --work "$foreign/work" --timeout 120 \
        --most "$most" --json "$foreign/$package.json" "$foreign/src/$package" || true
    results+=(--from "$foreign/$package.json")
done
python3 tests/foreign/survey.py --plugin "$build/pluss.so" "${results[@]}" --report tests/foreign/results.md
