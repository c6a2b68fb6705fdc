#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Random OpenMP programs in C, C++ and Fortran through the plugin in every mode (trial.py says what is compared). TAP.
# RANDOM_COUNT=20 of them (tier full: 300, at all levels, and 100 watched by sanitizers) from number RANDOM_SEED=1. RANDOM_FOLDED=8 (2000) of one kernel are traced and folded (folded.py). What fails is left in $BUILD/random, cut down if RANDOM_SHRINK is set.
# Usage: tests/random/run.sh [OPTION of trial.py...]
# Tier: check, limit 1200 s (full: 14400 s)
set -u
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
export BUILD LC_ALL=C
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
gcc -std=c11 -O2 -Iruntime -Iffi -D_GNU_SOURCE tests/profile/profilecheck.c "$BUILD/libpluss.a" \
    $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$base/profilecheck" &&
    gcc -std=c11 -O2 -fopenmp -c tests/random/counting.c -o "$base/counting.o" || exit 1
mkdir -p "$BUILD/random"
count=20
[ "${PLUSS_TIER:-check}" = full ] && count=300 && [ $# -eq 0 ] && set -- --long
[ $# -gt 0 ] || set -- --quick
[ -n "${RANDOM_SHRINK:-}" ] || set -- "$@" --no-shrink
try() { # FIRST COUNT OPTION...: watched by sanitizers with --sanitize
    case " $* " in
    *' --sanitize '*)
        make --no-print-directory -s -j2 BUILD="$BUILD/asan" OPT="-O1 -g1" SAN=-fsanitize=address,undefined "$BUILD/asan/libpluss-rt.a" || return ;;
    esac
    python3 tests/random/trial.py --base "$base" --keep "$BUILD/random" --first "$1" --count "$2" "${@:3}"
}
try "${RANDOM_SEED:-1}" "${RANDOM_COUNT:-$count}" "$@"
status=$?
[ "${PLUSS_TIER:-check}" != full ] || try 2001 100 --quick --sanitize --no-shrink || status=1
folded=${RANDOM_FOLDED:-8}
[ "${PLUSS_TIER:-check}" = full ] && folded=${RANDOM_FOLDED:-2000}
python3 tests/random/folded.py --base "$base" --count $folded || status=1
exit $status
