#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Speed and memory, side by side in one run (harness/bench.c, cost.c and queries.c say what is measured).
# Usage: BUILD=build polybench/bench.sh
#   PARTS    of "queries traces table size team kernels levels peers record large describe" (default: all); peers: peers.py,
#            record: recording.sh, large: large.sh, describe: tests/foreign/cost.sh
#   KERNELS  of the table (default: gemm atax mvt 2mm syrk jacobi-2d covariance)
#   SIZES    of the table, from sizes.csv (default: SMALL MEDIUM LARGE)
#   TEAM     threads in the table (default 4)
#   MOST     accesses above which nothing is walked (default 1e9)
#   RUNS     the best of so many (default 3)
#   ALL      kernels of the parts kernels and levels (default: all that have a closed form)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
tools=$build/polybench nests=$build/polybench/nests
team=${TEAM:-4} most=${MOST:-1e9} runs=${RUNS:-3}

wanted() { case " ${PARTS:-queries traces table size team kernels levels peers record large describe} " in *" $1 "*) ;; *) return 1 ;; esac; }
# shellcheck disable=SC2046
cost() { # KERNEL SIZE TEAMS SCHEDULE
    "$tools/cost" "$nests/$1.o" "$3" "$4" "$runs" clock $(polybench/sizes.sh "$1" "$2" raw)
}
columns() { awk "{ print $1 }"; }

echo "# $("$build/pluss" --version | head -n 1); $(nproc) processors"
if wanted queries; then
    "$tools/queries"
fi
if wanted traces; then
    printf '\n# packed traces of 100 million accesses, decoded and simulated (pluss simulate --cache none): seconds of processor time, MB\n'
    trace=$(mktemp)
    for one in "gemm 3000000" "random 10000000"; do # of gemm, a million lines are reached
        # shellcheck disable=SC2086
        "$tools/make_trace" $one 100000000 >"$trace"
        printf '%-8s %11s bytes, ' "${one% *}" "$(stat -c %s "$trace")"
        python3 - "$build/pluss" simulate "$trace" --cache none -o /dev/null <<'EOF'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.1f s, %.0f MB" % (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
EOF
    done
    rm -f "$trace"
fi
if wanted table; then
    printf '\n# side by side; milliseconds of processor time, medians of 3, or of one run that takes over a second\n'
    "$tools/bench"
    for kernel in ${KERNELS:-gemm atax mvt 2mm syrk jacobi-2d covariance}; do
        for size in ${SIZES:-SMALL MEDIUM LARGE}; do
            # shellcheck disable=SC2046
            "$tools/bench" "$nests/$kernel.o" "$kernel" "$size" "$team" "$most" $(polybench/sizes.sh "$kernel" "$size" raw)
        done
    done
fi
if wanted size; then
    printf '\n# by the problem: N x N x N, and 100 time steps on N x N; milliseconds of processor time\n'
    "$tools/bench"
    for n in 128 256 512 1024 2048 4096; do
        "$tools/bench" "$nests/gemm.o" gemm "$n" "$team" "$most" ni=$n nj=$n nk=$n
    done
    for n in 128 256 512 1024 2048 4096; do
        "$tools/bench" "$nests/jacobi-2d.o" jacobi-2d "$n" "$team" "$most" tsteps=100 n=$n
    done
fi
if wanted team; then
    printf '\n# by the team, LARGE, static: milliseconds on the clock (of processor time), best of %s\n' "$runs"
    for kernel in gemm jacobi-2d; do
        printf '%-12s' "$kernel"
        for t in 1 2 4 8 16 32 64 128 256; do
            cost "$kernel" LARGE $t static | columns '" T=" '"$t"' ": " $1 " (" $2 ")"' | tr -d '\n'
        done
        printf '\n'
    done
fi
if wanted kernels; then
    printf '\n# every kernel, milliseconds of processor time (all threads), best of %s; MB: the most memory of any run\n' "$runs"
    row='%-16s %8s %8s %8s %8s %8s %8s %8s %8s %6s\n'
    # shellcheck disable=SC2059
    printf "$row" kernel T=4 dynamic,1 guided XL,T=4 T=64 T=256 XL,T=256 '9 teams' MB
    for kernel in ${ALL:-$(polybench/sizes.sh)}; do
        case $kernel in spmv | histogram) continue ;; esac # indirect subscripts
        for one in "SMALL 4 static" "SMALL 4 dynamic,1" "SMALL 4 guided" "EXTRALARGE 4 static" "SMALL 64 static" \
            "SMALL 256 static" "EXTRALARGE 256 static" "SMALL 1,2,4,8,16,32,64,128,256 static"; do
            # shellcheck disable=SC2086
            cost "$kernel" $one
        done | awk -v kernel="$kernel" '{ ms = ms " " $2; most = $3 > most ? $3 : most } END { print kernel ms, most / 1024 }'
    done | awk '
        function row(name, v) {
            printf "%-16s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %6.1f\n", name, v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]
        }
        { split($0, v, " "); row($1, v); for (i = 2; i <= 9; i++) sum[i] += v[i]; sum[10] = v[10] > sum[10] ? v[10] : sum[10]; n++ }
        END {
            for (i = 2; i <= 9; i++) sum[i] /= n
            row("mean (most MB)", sum)
            printf "EXTRALARGE / SMALL: %.2f at T = 4, %.2f at T = 256; dynamic,1 / static: %.2f; guided / static: %.2f\n",
                sum[5] / sum[2], sum[8] / sum[7], sum[3] / sum[2], sum[4] / sum[2]
        }'
fi
if wanted levels; then
    # shellcheck disable=SC2086
    python3 polybench/level_cost.py "$build/pluss" "$nests" "$runs" ${ALL:-}
fi
if wanted peers; then
    printf '\n'
    make -s --no-print-directory -C polybench BUILD="$(realpath "$build")" peers
fi
if wanted record; then
    BUILD=$(realpath "$build") polybench/recording.sh
fi
if wanted large; then
    BUILD=$(realpath "$build") polybench/large.sh
fi
if wanted describe; then
    printf '\n# what the plugin costs the compiler, instructions (callgrind), children included\n'
    BUILD=$(realpath "$build") tests/foreign/cost.sh -O0 -O2 -O3
fi
