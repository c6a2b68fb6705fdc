#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes each target tests/fuzz/fuzz_<target>.c for FUZZ_SECONDS (default 60) with libFuzzer, address
# and undefined-behaviour sanitizers; stops at the first fault and leaves the input that shows it in
# $BUILD/fuzz/<target>/. A new fault's input belongs into tests/fuzz/corpus/<target>/.
#
#   ci/fuzz.sh                              all targets
#   ci/fuzz.sh nest                         this one
#   ci/fuzz.sh --build-replay nest FILE     only builds FILE, which runs the target over given files
set -eu -o pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${FUZZ_SECONDS:-60}
clang=${FUZZ_CC:-clang-14}
include=(-std=gnu11 -O1 -g -Iruntime -Iffi)
libraries() { echo "$(pkg-config --libs gsl libelf jansson) -lm -lpthread"; }

# library COMPILER FOLDER SANITIZERS: the whole library in FOLDER/libpluss.a, what is new of it
library() {
    make --no-print-directory -s -j"$(nproc)" CC="$1" BUILD="$2" OPT="-O1 -g" SAN="$3" lib
}

if [ "${1:-}" = --build-replay ]; then
    # gcc, for the tests need no clang; the folder is the one of ci/sanitize.sh
    flags=-fsanitize=address,undefined
    library gcc "$build/asan" "$flags"
    # shellcheck disable=SC2046
    gcc "${include[@]}" "$flags" "tests/fuzz/fuzz_$2.c" tests/fuzz/replay.c \
        "$build/asan/libpluss.a" $(libraries) -o "$3"
    exit
fi

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        target=$(basename "$source" .c)
        targets+=("${target#fuzz_}")
    done
fi

library "$clang" "$build/fuzz/lib" "-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
for target in "${targets[@]}"; do
    work=$build/fuzz/$target
    mkdir -p "$work/corpus"
    # shellcheck disable=SC2046
    "$clang" "${include[@]}" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
        "tests/fuzz/fuzz_$target.c" "$build/fuzz/lib/libpluss.a" $(libraries) -o "$work/fuzz"
    dictionary=()
    [ -e "tests/fuzz/$target.dict" ] && dictionary=("-dict=tests/fuzz/$target.dict")
    echo "== $target: $seconds s"
    "$work/fuzz" -max_total_time="$seconds" -max_len=16384 -timeout=5 -rss_limit_mb=1024 \
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$work/" "${dictionary[@]}" \
        "$work/corpus" "tests/fuzz/corpus/$target" 2>&1 |
        grep -vE '^#[0-9]+.(NEW|REDUCE|pulse|RELOAD)|^INFO: -max_len|^"|^###### '
done
