#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The three-way equality, case by case, and a summary at the end, which is also left in $BUILD/equality.txt:
#   sampler  private reuse intervals that mode=sample records, of the walked nest, and in closed form (tests/sampler/run.sh)
#   profile  the same of mode=profile, every access of the real run (tests/profile/run.sh)
#   run      the curves of pluss run --model cri on such records and of pluss predict on the nest (tests/run/run.sh)
# of every kernel of polybench/ whose subscripts are affine, at MINI and SMALL. The three go on at the same time.
# lu_dynamic, whose rows are dispatched on demand, is taken static and static,1 as the others are, and as it is written: by
# the sampler's rule (the thread with the fewest accesses is next), which walk and closed form follow, and, for run, with the
# chunks of a real run. What is left out is its curve from the sampler's rule: predict hands out at random, which is
# another order.
# Usage: tests/equality.sh. Exit status 1: a case differs, or is not there.
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
export BUILD EQUALITY=all
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels=$(polybench/sizes.sh | grep -cvxE 'spmv|histogram')
start=$(date +%s)
for part in sampler profile run; do
    bash tests/$part/run.sh | tee "$work/$part" &
done
wait
# A part's cases at a size: with two schedules each, and lu_dynamic as it is written.
tally() { # PART, SIZE, how many there are
    awk -v part="$1" -v size="$2" -v all="$3" '
        $0 ~ "[ ,]" size "[ ,:]" { if (/^ok/) ok++; else if (/^not ok/) bad++
                                   for (i = 2; i <= NF; i++) if ($i ~ /^(accesses|points)/) { sum += $(i - 1); unit = $i } }
        END { sub(",", "", unit)
              printf "%-8s %-5s %3d of %3d cases equal, %d differ; %.0f %s compared\n", part, size, ok, all, bad, sum, unit
              exit ok != all }' "$work/$1"
}
status=0
{
    echo "make equality, $(date -u +%F), $(git rev-parse --short HEAD 2>/dev/null || echo 'no repository'):" \
        "$kernels kernels, teams of 1, 2 and 4, $((($(date +%s) - start + 59) / 60)) minutes"
    for size in MINI SMALL; do
        tally sampler $size $((2 * kernels + 1)) || status=1
        tally profile $size $((2 * kernels)) || status=1
        tally run $size $((2 * kernels + 1)) || status=1
    done
    bad=$(cat "$work"/* | grep -c '^not ok')
    echo "$(cat "$work"/* | grep -c '^ok') passed, $bad failed (what is compiled counts too)"
    [ "$bad" -eq 0 ] || status=1
    exit $status
} >"$BUILD/equality.txt"
status=$?
cat "$BUILD/equality.txt"
exit $status
