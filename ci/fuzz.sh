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
build=${BUILD:-build}/fuzz
seconds=${FUZZ_SECONDS:-60}
clang=${FUZZ_CC:-clang-14}
flags=(-std=gnu11 -O1 -g -Iruntime -Iffi "-DPLUSSI_VERSION=\"$(cat VERSION)\"")

# What a target stands on: the nest's text needs libc alone, everything else the whole library.
sources_of() {
    case $1 in
    nest) ls runtime/base/*.c runtime/nest/*.c ;;
    *) find runtime ffi -name '*.c' ! -path 'runtime/rt/*' ;;
    esac
}

libraries_of() {
    case $1 in
    nest) echo -lm ;;
    *) echo "$(pkg-config --libs gsl libelf jansson) -lm -lpthread" ;;
    esac
}

if [ "${1:-}" = --build-replay ]; then
    # gcc: the tests need no clang
    # shellcheck disable=SC2046
    gcc "${flags[@]}" -fsanitize=address,undefined -fno-sanitize-recover=all \
        "tests/fuzz/fuzz_$2.c" tests/fuzz/replay.c $(sources_of "$2") $(libraries_of "$2") -o "$3"
    exit
fi

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        target=$(basename "$source" .c)
        targets+=("${target#fuzz_}")
    done
fi

for target in "${targets[@]}"; do
    work=$build/$target
    mkdir -p "$work/corpus"
    echo "== $target: building"
    # shellcheck disable=SC2046
    "$clang" "${flags[@]}" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
        "tests/fuzz/fuzz_$target.c" $(sources_of "$target") $(libraries_of "$target") \
        -o "$work/fuzz"
    dictionary=()
    [ -e "tests/fuzz/$target.dict" ] && dictionary=("-dict=tests/fuzz/$target.dict")
    echo "== $target: $seconds s"
    "$work/fuzz" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$work/" "${dictionary[@]}" \
        "$work/corpus" "tests/fuzz/corpus/$target" 2>&1 |
        grep -vE '^#[0-9]+.(NEW|REDUCE|pulse|RELOAD)|^INFO: -max_len|^"|^###### '
done
