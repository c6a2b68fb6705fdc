#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Inputs for the fuzz targets that are no files of the repository, made by the products in $BUILD: object files, archives and a
# program that the plugin compiled, and what runs of programs leave, in FOLDER/<target>/.
#
#   tests/fuzz/seeds.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
loops=$PWD/tests/memory/two_loops.c
mkdir -p "$1"/{object,trace,trace_reader,replay,machine}
cp tests/cli/inputs/small-machine.json "$1/machine/caches"
cd "$1"
export OMP_NUM_THREADS=2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pluss_cc() { "$build/pluss" cc "$@" -fplugin-arg-pluss-notes=off -g0 -fopenmp -DN=${n:-64}; }

for level in -O0 -O2 -O3; do pluss_cc -c "$loops" $level -o object/o$level.o; done
ar rcs object/archive.a object/o-O0.o object/o-O2.o
(cd object && ar rcsT thin.a o-O0.o)
pluss_cc -O1 -shared -fPIC -nostdlib -s "$loops" -Wl,-z,noseparate-code,--hash-style=gnu -o object/shared.so
pluss_cc -O1 "$loops" -s -Wl,-z,noseparate-code -o object/program
objcopy --only-keep-debug object/program object/separate

# TARGET NAME [SIDECAR]: nest, record and its sidecar file, as the targets take them
join() {
    { "$build/pluss" nests --text "$work/a.out" && printf '\0' && cat "$work/record" && printf '\0' && cat "${3:-/dev/null}"; } >"$1/$2" || true
}
for mode in profile time sample bind; do
    n=16 pluss_cc --mode=$mode -O1 "$loops" -o "$work/a.out" && rm -f "$work"/record*
    (cd "$work" && PLUSS_RECORD=record PLUSS_STAMPS=tsc PLUSS_INTERLEAVE=tsc PLUSS_SAMPLE_TEAMS=2 PLUSS_SAMPLE_LINES=all ./a.out >/dev/null 2>&1)
    join replay $mode
    [ ! -e "$work/record.trace" ] || { join trace $mode "$work/record.trace" && cp "$work/record.trace" trace_reader/$mode; }
    [ $mode != time ] ||
        "$build/pluss" calibrate --runs 1 --processes 1 --machine machine/calibrated "$work/a.out" >/dev/null 2>&1 || rm -f machine/calibrated
done
