#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fuzz target over its corpus (tests/fuzz/corpus/<target>/), without a fuzzer; prints TAP.
# Built with the address and undefined-behaviour sanitizers.
set -u
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
cd "$(dirname "$0")/../.."
out=${BUILD:-build}/fuzz-replay
mkdir -p "$out"

for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    target=${target#fuzz_}
    corpus=tests/fuzz/corpus/$target
    if ! ci/fuzz.sh --build-replay "$target" "$out/$target" >"$out/$target.log" 2>&1; then
        echo "not ok - $target: the replay does not build"
        sed 's/^/    /' "$out/$target.log" | tail -n 20
        continue
    fi
    files=("$corpus"/*)
    if [ ! -e "${files[0]}" ]; then
        echo "not ok - $target: there is no corpus in $corpus"
        continue
    fi
    # one process a file: a crash is that file's failure alone
    for file in "${files[@]}"; do
        if "$out/$target" "$file" >"$out/$target.log" 2>&1; then
            echo "ok - $target $(basename "$file")"
        else
            echo "not ok - $target $(basename "$file")"
            sed 's/^/    /' "$out/$target.log" | head -n 20
        fi
    done
done
