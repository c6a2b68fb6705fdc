#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of pluss report in a headless Chromium (tests/page/page.py). TAP.
#   tests/page/run.sh --screenshots FOLDER: pictures of it, `make screenshots`
# Tier: full, limit 600 s
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
here=$PWD/tests/page
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp/config
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
command -v chromedriver >/dev/null || { echo "not ok - chromium and chromium-driver are not installed"; exit 1; }
cp -r polybench/gemm.c polybench/jacobi-2d.c polybench/*.h tests/report/programs "$tmp"
[ "${1:-}" = --screenshots ] && { mkdir -p "$2"; folder=$(realpath "$2"); }
cd "$tmp" || exit 1
for program in gemm jacobi-2d programs/counters; do
    "$build/pluss" cc -O2 -fopenmp -c $program.c -o "$(basename $program).o" || exit 1
done
"$build/pluss" report gemm.o jacobi-2d.o counters.o -D ni=256 -D nj=256 -D nk=256 -D n=300 -D tsteps=20 -o page.html || exit 1
if [ -n "${folder:-}" ]; then
    cp programs/stencil.c . && "$build/pluss" cc -O2 -fopenmp -c stencil.c -o stencil.o &&
        "$build/pluss" report stencil.o -D n=1500 -T 1,2,4,8,16 --schedule written -o readme.html || exit 1
    python3 "$here/screenshots.py" "$tmp/page.html" "$tmp/readme.html" "$folder"
    exit
fi
cat >hostile.nest <<'N'
pluss-nest 1
region hostile "</script><script>document.title='ran'</script><img src=x onerror=alert(1)>.c":3
array f64 A[64]
parallel for i in 0..64 @4 { read A[i] @5 write A[i] @5 }
N
"$build/pluss" report hostile.nest -T 1,2 -o hostile.html || exit 1
{
    echo "pluss-nest 1"
    for i in $(seq 200); do
        echo "region region_$i \"many.c\":$i array f64 A${i}[100][100] array f64 B${i}[100][100]"
        echo "parallel for i in 0..100 @$i { for j in 0..100 @$i { read A${i}[j][i] @$i read B${i}[i][j] @$i write A${i}[j][i] @$i } }"
    done
} >many.nest
"$build/pluss" report many.nest -o many.html || exit 1
python3 "$here/page.py" "$tmp/page.html" "$tmp/hostile.html" "$tmp/many.html"
