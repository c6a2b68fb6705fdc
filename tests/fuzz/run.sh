#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fuzz target over its corpus (tests/fuzz/corpus/<target>/), without a fuzzer; prints TAP.
# In tier full built with the address and undefined-behaviour sanitizers, and then a minute of fuzzing for each target.
# Tier: check, limit 600 s (full: 3600 s)
set -u
[ "${PLUSS_TIER:-check}" = full ] || export PLAIN=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
cd "$(dirname "$0")/../.."
out=${BUILD:-build}/fuzz-replay
mkdir -p "$out"

if ! ci/fuzz.sh --build-replay "$out" >"$out/build.log" 2>&1; then
    echo "not ok - the replays do not build"
    sed 's/^/    /' "$out/build.log" | tail -n 20
    exit 1
fi
if ! tests/fuzz/seeds.sh "$out/seeds" >"$out/build.log" 2>&1; then
    echo "not ok - the inputs that are made are not made"
    sed 's/^/    /' "$out/build.log" | tail -n 20
fi
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    target=${target#fuzz_}
    files=()
    for file in "tests/fuzz/corpus/$target"/* "$out/seeds/$target"/*; do [ ! -f "$file" ] || files+=("$file"); done
    [ ${#files[@]} -gt 0 ] || echo "not ok - $target: there are no inputs"
    if "$out/$target" "${files[@]}" >"$out/$target.log" 2>&1; then
        for file in "${files[@]}"; do echo "ok - $target $(basename "$file")"; done
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
if [ "${PLUSS_TIER:-check}" = full ]; then
    if ci/fuzz.sh >"$out/log" 2>&1; then echo "ok - a minute of fuzzing for each target"; else echo "not ok - a minute of fuzzing for each target"; tail -n 30 "$out/log" | sed 's/^/    /'; fi
fi
