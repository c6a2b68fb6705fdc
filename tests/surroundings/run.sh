#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The command where something is lacking, verb by verb (trial.py), and interrupted (interrupt.py). TAP.
# Tier: check, limit 900 s
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
here=$PWD/tests/surroundings
loops=$PWD/tests/memory/two_loops.c
tmp=$(mktemp -d)
trap 'umount "$tmp/full" 2>/dev/null; rm -rf "$tmp"' EXIT
export LC_ALL=C OMP_NUM_THREADS=2 XDG_CONFIG_HOME=$tmp/config TMPDIR=$tmp/tmp
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
# where other users can read it
chmod 755 "$tmp"
mkdir "$tmp/bin" "$tmp/tmp" "$tmp/full" && chmod 1777 "$tmp/tmp"
cp "$build"/pluss "$build"/pluss.so "$build"/libpluss-rt.a "$tmp/bin/"
cp -r tests/cli/inputs "$tmp/work"
cd "$tmp/work" || exit 1
{
    pluss=$tmp/bin/pluss
    for mode in profile time; do "$pluss" cc --mode=$mode -fplugin-arg-pluss-notes=off -O1 -fopenmp -DN=512 "$loops" -o $mode || exit 1; done
    "$pluss" cc --mode=bind -fplugin-arg-pluss-notes=off -O1 -fopenmp "$here/interrupted.c" -o interrupted &&
        "$pluss" run --save record -o report ./profile &&
        "$pluss" simulate two.nest -D n=64 -T 2 --json -o a.json && cp a.json b.json && cp "$loops" loops.c
} >"$tmp/log" 2>&1 || {
    echo "not ok - what the commands need"
    sed 's/^/    /' "$tmp/log"
    exit 1
}
chmod -R a+rX "$tmp/bin" "$tmp/work"
mount -t tmpfs -o size=16k,mode=1777 none "$tmp/full" 2>/dev/null && touch "$tmp/full/mounted"
python3 "$here/trial.py" "$tmp/bin/pluss" "$tmp/full"
python3 "$here/interrupt.py" "$tmp/bin/pluss" ./interrupted
