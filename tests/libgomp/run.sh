#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The closed forms of schedules against GCC and libgomp themselves: both programs print who gets
# which iterations of some hundred loops, and the prints must be equal.
# Tier: check, limit 120 s
set -u
cd "$(dirname "$0")/../.."
dir=${BUILD:-build}/tests/libgomp
mkdir -p "$dir"

wrap=
for kind in dynamic guided; do
    for call in start next; do wrap+=,--wrap=GOMP_loop_nonmonotonic_${kind}_$call; done
done
if ! gcc -std=c11 -O2 -fopenmp tests/libgomp/observed.c "-Wl$wrap" -o "$dir/observed" ||
    ! gcc -std=c11 -O2 -D_GNU_SOURCE -Iruntime tests/libgomp/expected.c "${BUILD:-build}/libpluss.a" $(pkg-config --libs gsl libelf jansson) -lm \
        -pthread -o "$dir/expected"; then
    echo "not ok - libgomp: the programs do not compile"
    exit 1
fi

failed=0
for kind in static collapse dynamic guided; do
    if OMP_DYNAMIC=false OMP_WAIT_POLICY=passive "$dir/observed" $kind >"$dir/$kind.observed" &&
        "$dir/expected" $kind >"$dir/$kind.expected" && [ -s "$dir/$kind.expected" ] &&
        diff "$dir/$kind.observed" "$dir/$kind.expected" >"$dir/$kind.diff"; then
        echo "ok - libgomp: $kind"
    else
        echo "not ok - libgomp: $kind"
        head -n 8 "$dir/$kind.diff" | sed 's/^/    /'
        failed=1
    fi
done
exit $failed
