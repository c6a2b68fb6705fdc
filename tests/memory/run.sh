#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The command without memory, verb by verb: see sweep.py. TAP. POSITIONS of each are tried, 0: all, as in tier full.
# Tier: check, limit 900 s (full: 14400 s)
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD/tests/memory
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C OMP_NUM_THREADS=2 XDG_CONFIG_HOME=$tmp/config TMPDIR=$tmp/tmp
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
mkdir "$tmp/tmp"
cp -r tests/cli/inputs "$tmp/work"
cd "$tmp/work" || exit 1
pluss=$BUILD/pluss
{
    gcc -shared -fPIC -O1 -fno-builtin "$here/failing_malloc.c" -o "$tmp/failing.so" &&
        "$pluss" cc --mode=profile -fplugin-arg-pluss-notes=off -O1 -fopenmp "$here/two_loops.c" -o profiled &&
        "$pluss" cc --mode=time -fplugin-arg-pluss-notes=off -O1 -fopenmp "$here/two_loops.c" -o timed &&
        "$pluss" cc --mode=sample -fplugin-arg-pluss-notes=off -O1 -fopenmp "$here/two_loops.c" -o sampled_program &&
        "$pluss" cc -O1 -fopenmp -fplugin-arg-pluss-notes=off -c "$here/two_loops.c" -o two_loops.o && ar rcs lib.a two_loops.o &&
        "$pluss" run --save record -o report ./profiled &&
        "$pluss" simulate two.nest -D n=64 -T 2 --json -o a.json && "$pluss" simulate two.nest -D n=64 -T 2 --seed 1 --json -o b.json &&
        "$pluss" simulate two.nest -D n=64 -T 2,4 --sharing --save-profile locality.json -o report &&
        cp "$here/../fuzz/corpus/machine/whole.json" machine.json &&
        PLUSS_RECORD=timeline PLUSS_STAMPS=tsc ./timed &&
        "$pluss" run --save sampled -o report ./sampled_program &&
        echo 0 1 2 3 >idx &&
        printf 'files two.nest\ncaches 1K\nsizes n=48,64\nmodels simulate\n' >two.sweep &&
        awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 2, i * 40 % 9000, 12, i % 3 ? "r" : "w" }' >trace.txt &&
        gzip -k trace.txt && zstd -q trace.txt
} >"$tmp/log" 2>&1 || {
    echo "not ok - what the commands need"
    sed 's/^/    /' "$tmp/log"
    exit 1
}
[ "${PLUSS_TIER:-check}" = full ] && POSITIONS=${POSITIONS:-0}
python3 "$here/sweep.py" "$tmp/failing.so" "$pluss" "${POSITIONS:-3}" "$@"
