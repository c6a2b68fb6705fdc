#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes each target tests/fuzz/fuzz_<target>.c for FUZZ_SECONDS (default 60) with libFuzzer, address
# and undefined-behaviour sanitizers, beginning with its corpus and what tests/fuzz/seeds.sh makes; goes on to the next target
# after a fault and leaves the input that shows it in $BUILD/fuzz/<target>/. Prints executions and peak memory of each. An
# input of 16 KB may take 30 s and 2 GB: sanitized code is several times as slow and large as the product, whose limits are 5 s
# and 1 GB. A new fault becomes a test in tests/unit; an input that is worth keeping goes into tests/fuzz/corpus/<target>/.
#
#   ci/fuzz.sh                              all targets
#   ci/fuzz.sh nest                         this one
#   ci/fuzz.sh --build-replay FOLDER [nest ...]     only builds FOLDER/nest ..., which run the targets over given files
set -eu -o pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${FUZZ_SECONDS:-60}
clang=${FUZZ_CC:-clang-14}
include=(-std=gnu11 -D_GNU_SOURCE -O1 -g -Iruntime -Iffi)
libraries() { echo "$(pkg-config --libs gsl libelf jansson zlib libzstd isl hwloc) -lm -lpthread"; }

# COMPILER FOLDER SANITIZERS: the library, and the command without its main, in FOLDER; what is new of them
library() {
    local source objects=()
    for source in cli/*.c; do [ "$source" = cli/main.c ] || objects+=("$2/obj/$source.o"); done
    make --no-print-directory -s -j"$(nproc)" CC="$1" BUILD="$2" OPT="-O1 -g" SAN="$3" lib "${objects[@]}"
    rm -f "$2/libcli.a"
    ar rcs "$2/libcli.a" "${objects[@]}"
}

# COMPILER FOLDER FLAGS SOURCE...: what all targets share, compiled into FOLDER/shared
shared_objects() {
    local compiler=$1 folder=$2 flags=$3 source
    shift 3
    rm -rf "$folder/shared"
    mkdir -p "$folder/shared"
    for source; do
        # shellcheck disable=SC2086
        "$compiler" "${include[@]}" $flags -c "$source" -o "$folder/shared/$(basename "$source" .c).o"
    done
}

# COMPILER FOLDER FLAGS TARGET PROGRAM
link_target() {
    # shellcheck disable=SC2046,SC2086
    "$1" "${include[@]}" $3 "tests/fuzz/fuzz_$4.c" "$2"/shared/*.o "$2/libcli.a" "$2/libpluss.a" $(libraries) -o "$5"
}

targets=("$@")
[ "${1:-}" != --build-replay ] || targets=("${@:3}")
if [ ${#targets[@]} -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        target=$(basename "$source" .c)
        targets+=("${target#fuzz_}")
    done
fi

if [ "${1:-}" = --build-replay ]; then
    # gcc, for the tests need no clang; the folder is the one of ci/sanitize.sh, or with PLAIN=1 the build that there is
    flags=-fsanitize=address,undefined folder=$build/asan
    [ -z "${PLAIN:-}" ] || flags='' folder=$build
    library gcc "$folder" "$flags"
    shared_objects gcc "$folder" "$flags" tests/fuzz/*target.c tests/fuzz/replay.c
    for target in "${targets[@]}"; do
        link_target gcc "$folder" "$flags" "$target" "$2/$target"
    done
    exit
fi

flags="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
library "$clang" "$build/fuzz/lib" "-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
shared_objects "$clang" "$build/fuzz/lib" "${flags/fuzzer/fuzzer-no-link}" tests/fuzz/*target.c
tests/fuzz/seeds.sh "$build/fuzz/seeds"
failed=0
for target in "${targets[@]}"; do
    work=$build/fuzz/$target
    mkdir -p "$work/corpus" "$work/tmp"
    link_target "$clang" "$build/fuzz/lib" "$flags" "$target" "$work/fuzz"
    options=()
    for dictionary in tests/fuzz/"$target".dict; do [ ! -e "$dictionary" ] || options+=("-dict=$dictionary"); done
    for corpus in tests/fuzz/corpus/"$target" "$build/fuzz/seeds/$target"; do [ ! -d "$corpus" ] || options+=("$corpus"); done
    echo "== $target: $seconds s"
    # messages of the command are not of interest: standard output and error are closed but for the fuzzer's own
    TMPDIR=$work/tmp "$work/fuzz" -max_total_time="$seconds" -max_len=16384 -timeout=30 -rss_limit_mb=2048 \
        -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$work/" "$work/corpus" "${options[@]}" >"$work/log" 2>&1 || {
        failed=1
        echo "$target FAILED, see $work/log"
        grep -E '^broken|^==[0-9]+==ERROR|runtime error|^SUMMARY|Test unit written' "$work/log" || true
    }
    grep -E '^stat::(number_of_executed_units|average_exec_per_sec|slowest_unit_time_sec|peak_rss_mb)' "$work/log" || true
    rm -rf "$work/tmp"
done
exit $failed
