#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What recording costs, side by side: the kernel as it is, with every access recorded (mode=profile, 1 and 2 threads), and
# before it a sampler of a team of two (mode=sample, 1 and 2 workers). Best of RUNS, in turn; times are of the kernel's call
# alone, and of the sampler without the run that follows it. Threads stay on their cores.
# Usage: BUILD=build polybench/recording.sh
#   RUNS   default 3
#   CASES  default "gemm:ni=512,nj=512,nk=512 jacobi-2d:tsteps=45,n=1000 jacobi-2d:tsteps=10,n=1000": two of the same number of
#          accesses, and one so short that what a record costs whatever its length (tables that grow, first touches) shows
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../build}
case $build in /*) ;; *) build=$(cd .. && pwd)/$build ;; esac
out=$build/polybench/recording runs=${RUNS:-3}
unset PLUSS_INTERLEAVE PLUSS_SAMPLE_SCHEDULE PLUSS_SAMPLE_RATE PLUSS_SAMPLE_LINES OMP_NUM_THREADS
export PLUSS_RECORD=$out/record PLUSS_SAMPLE_TEAMS=2 OMP_DYNAMIC=false OMP_PROC_BIND=true
mkdir -p "$out"

# shellcheck source=modes.sh
. ./modes.sh
# KERNEL MODE THREADS WORKERS SYMBOL=VALUE...: mode, what there are 1 or 2 of, seconds elapsed, of processor time
run() {
    local kernel=$1 mode=$2 threads=$3 workers=$4 n=$3
    shift 4
    [ "$mode" = sample ] && n=$workers
    PLUSS_SAMPLE_WORKERS=$workers "$out/$kernel.$mode" --threads "$threads" "$@" --time 1 |
        awk -v mode="$mode" -v n="$n" '{ print mode, n, $(NF - 6), $(NF - 4) }'
}

printf '\n# recording: best of %s, in turn; %s processors, load average %s before\n' "$runs" "$(nproc)" "$(load)"
printf '%-12s %-8s %2s %14s %9s %9s %14s %9s %9s\n' kernel mode n accesses clock/s cpu/s 'M acc./s core' x-native speed-up
for case in ${CASES:-gemm:ni=512,nj=512,nk=512 jacobi-2d:tsteps=45,n=1000 jacobi-2d:tsteps=10,n=1000}; do
    kernel=${case%%:*}
    IFS=, read -ra symbols <<<"${case#*:}"
    compile "$kernel" native profile sample
    rm -f "$PLUSS_RECORD"
    for ((i = 0; i < runs; i++)); do
        run "$kernel" native 1 1 "${symbols[@]}"
        run "$kernel" native 2 1 "${symbols[@]}"
        run "$kernel" sample 1 1 "${symbols[@]}"
        run "$kernel" sample 1 2 "${symbols[@]}"
        run "$kernel" profile 1 1 "${symbols[@]}"
        run "$kernel" profile 2 1 "${symbols[@]}"
    done >"$out/times"
    # all accesses of the run that was recorded last
    accesses=$(awk '$1 == "thread" { n += $4 } END { printf "%.0f", n }' "$PLUSS_RECORD")
    awk -v kernel="$kernel" -v accesses="$accesses" '
        function least(a, k, v) { if (!(k in a) || v < a[k]) a[k] = v }
        { least(clock, $1 $2, $3); least(cpu, $1 $2, $4) }
        END {
            n = split("native1 native2 profile1 profile2 sample1 sample2", order, " ")
            for (i = 1; i <= n; i++) {
                k = order[i]; mode = substr(k, 1, length(k) - 1); own = mode == "sample"
                c = clock[k] - (own ? clock["native1"] : 0); p = cpu[k] - (own ? cpu["native1"] : 0)
                one = clock[mode 1] - (own ? clock["native1"] : 0)
                printf "%-12s %-8s %2s %14s %9.3f %9.3f %14.0f %9.1f %9.2f\n", kernel, mode, substr(k, length(k)), accesses,
                    c, p, accesses / p / 1e6, p / cpu["native1"], one / c
            }
        }' "$out/times"
done
printf '# load average %s after\n' "$(load)"
