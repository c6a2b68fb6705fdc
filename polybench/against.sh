#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Predictions of two builds side by side, in one run: milliseconds of processor time (all threads), best of RUNS.
# Usage: BUILD=build polybench/against.sh BASE      BASE: another build's program `cost` (make -C polybench ../build/polybench/cost)
#   ALL      kernels (default: all that have a closed form)
#   SIZE     from sizes.csv (default LARGE)
#   TEAMS    one row of figures each (default "1 4 64")
#   SCHEDULE default static
#   RUNS     default 2
set -eu
cd "$(dirname "$0")/.."
base=$1 build=${BUILD:-build} size=${SIZE:-LARGE} schedule=${SCHEDULE:-static} runs=${RUNS:-2}
[ -x "$base" ] || { echo "against.sh: $base: not a program" >&2; exit 2; }
ms() { # PROGRAM KERNEL TEAM
    # shellcheck disable=SC2046
    "$1" "$build/polybench/nests/$2.o" "$3" "$schedule" "$runs" clock $(polybench/sizes.sh "$2" "$size" raw) | cut -d' ' -f2
}
echo "# $size, $schedule; milliseconds of processor time: base, this build, ratio"
for team in ${TEAMS:-1 4 64}; do
    for kernel in ${ALL:-$(polybench/sizes.sh)}; do
        case $kernel in spmv | histogram) continue ;; esac # indirect subscripts
        echo "$kernel $(ms "$base" "$kernel" "$team") $(ms "$build/polybench/cost" "$kernel" "$team")"
    done | awk -v team="$team" '
        { printf "T=%-4s %-16s %8.1f %8.1f %6.2f\n", team, $1, $2, $3, $3 / $2; was += $2; is += $3; n++
          most[1] = $2 > most[1] ? $2 : most[1]; most[2] = $3 > most[2] ? $3 : most[2] }
        END { printf "T=%-4s mean of %-8d %8.1f %8.1f %6.2f   worst %.1f %.1f\n", team, n, was / n, is / n, is / was, most[1], most[2] }'
done
