#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Predicting against running, at size LARGE on two threads, static: the kernel as it is, the kernel with every access
# recorded (mode=profile), and the prediction (clock, T = 2; and what one more team size, T = 16, costs). For kernels that
# make less than 1e9 accesses, the size from which on predicting is cheaper than running. And of one thread the misses at
# 32 KB and 1 MB, in millions, fully associative. Least of 2 runs (3 predictions), 1 of profile, seconds on the clock.
# Usage: BUILD=build polybench/large.sh
#   ALL    kernels (default: all that have a closed form)
#   MOST   accesses above which nothing is run with mode=profile (default 6e9), and 4 times that: nothing at all
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../build}
case $build in /*) ;; *) build=$(cd .. && pwd)/$build ;; esac
out=$build/polybench/large most=${MOST:-6e9}
unset PLUSS_INTERLEAVE OMP_NUM_THREADS
export PLUSS_RECORD=$out/record OMP_DYNAMIC=false
mkdir -p "$out"
# shellcheck source=modes.sh
. ./modes.sh

# KERNEL MODE SIZE RUNS: seconds of the kernel on two threads, the least
run() {
    "$out/$1.$2" --size "$3" --threads 2 --time "$4" | awk '{ t = $(NF - 6); if (!n++ || t < least) least = t } END { print least }'
}
# KERNEL SIZE TEAM: seconds of a prediction
predict() {
    # shellcheck disable=SC2046
    "$build/polybench/cost" "$build/polybench/nests/$1.o" "$3" static 3 clock $(./sizes.sh "$1" "$2" raw) | awk '{ print $1 / 1e3 }'
}
# KERNEL: accesses, and misses at 32 KB and 1 MB on one thread
sequential() {
    local define=()
    for s in $(./sizes.sh "$1" LARGE raw); do define+=(-D "$s"); done
    "$build/pluss" predict "$build/polybench/nests/$1.o" --together -T 1 --cache none "${define[@]}" --json 2>/dev/null | python3 -c '
import bisect, json, sys
c = json.load(sys.stdin)["curves"][0]
miss = lambda kb: c["accesses"] * c["miss_ratio"][bisect.bisect_right(c["size_lines"], kb * 1024 / 64) - 1]
print("%.0f %.3f %.3f" % (c["accesses"], miss(32) / 1e6, miss(1024) / 1e6))'
}
over() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

printf '# LARGE, two threads; %s processors, load average %s before\n' "$(nproc)" "$(load)"
printf '%-16s %7s %10s %10s %9s %9s %11s %12s %11s %11s\n' kernel 'G acc.' predict/ms 'T=16/ms' native/s profile/s native/pred profile/pred '32K misses/M' '1M misses/M'
for kernel in ${ALL:-$(./sizes.sh)}; do
    case $kernel in spmv | histogram) continue ;; esac
    read -r accesses l1 l2 <<<"$(sequential "$kernel")"
    over "$accesses" 999999999 || { echo "$kernel" >>"$out/small.$$"; continue; }
    native=- profile=-
    if ! over "$accesses" "$(awk "BEGIN { print 4 * $most }")"; then
        compile "$kernel" native profile
        native=$(run "$kernel" native LARGE 2)
        over "$accesses" "$most" || profile=$(run "$kernel" profile LARGE 1)
        rm -f "$PLUSS_RECORD" "$out/$kernel".native* "$out/$kernel".profile*
    fi
    echo "$kernel $accesses $(predict "$kernel" LARGE 2) $(predict "$kernel" LARGE 16) $native $profile $l1 $l2"
done | awk '
    function ratio(a, b) { return a == "-" ? "-" : sprintf("%.1f", a / b) }
    {
        printf "%-16s %7.2f %10.1f %10.1f %9s %9s %11s %12s %11.2f %11.2f\n", $1, $2 / 1e9, 1e3 * $3, 1e3 * $4, $5, $6, ratio($5, $3),
            ratio($6, $3), $7, $8
        fflush()
        if ($5 != "-") { n++; sn += log($5 / $3); if ($5 / $3 < 10) under = under " " $1 }
        if ($6 != "-") { p++; sp += log($6 / $3) }
        more += $4; all++
    }
    END {
        if (n) printf "geometric means: native / prediction %.1f (%d kernels), profile / prediction %.1f (%d kernels); T = 16: %.1f ms on average\n",
            exp(sn / n), n, p ? exp(sp / p) : 0, p, 1e3 * more / all
        if (under) print "less than ten times faster than the native run:" under
    }'
printf '\n# less than 1e9 accesses at LARGE: from which size on is predicting (T = 2) cheaper than running on two threads?\n'
touch "$out/small.$$"
while read -r kernel; do
    compile "$kernel" native
    from="at no size" row=
    for size in SMALL MEDIUM LARGE EXTRALARGE; do
        native=$(run "$kernel" native "$size" 2) predicted=$(predict "$kernel" "$size" 2)
        row="$row $size $(awk -v a="$native" -v b="$predicted" 'BEGIN { printf "%.1f / %.1f", 1e3 * a, 1e3 * b }')"
        [ "$from" = "at no size" ] && over "$native" "$predicted" && from="from $size"
    done
    printf '%-16s %-16s run / predicted, ms:%s\n' "$kernel" "$from" "$row"
done <"$out/small.$$"
rm -f "$out/small.$$"
printf '# load average %s after\n' "$(load)"
