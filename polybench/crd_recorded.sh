#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The model crd on recorded programs, beside cri and clock: each program is run once with every access recorded. Exact
# curves are of its touches merged as they were in time (order recorded), and as threads of equal speed make them (uniform).
# crd and cri start from the private reuse intervals of the same record, which are of all threads together, clock from the
# nest; crd-threads: crd from the nest, which has each thread's intervals.
# Usage: BUILD=build polybench/crd_recorded.sh
#   TEAMS  default "2 4"
#   CASES  default below: KERNEL:SYMBOL=VALUE,...
#   FOREIGN  a folder for Debian's sources: then foreign programs, too (crd_foreign.sh)
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../build}
case $build in /*) ;; *) build=$(cd .. && pwd)/$build ;; esac
out=$build/polybench/crd_recorded
export OMP_DYNAMIC=false
mkdir -p "$out"
# shellcheck source=modes.sh
. ./modes.sh
echo kernel,symbols,team,order,model,accesses,mae,mae_64,accuracy
for case in ${CASES:-gemm:ni=96,nj=96,nk=96 covariance:m=140,n=140 histogram:n=60000,nbins=8192 spmv:n=4000,nnz=40000}; do
    kernel=${case%%:*}
    IFS=, read -ra symbols <<<"${case#*:}"
    compile "$kernel" profile
    for team in ${TEAMS:-2 4}; do
        record=$out/$kernel-$team.record
        rm -f "$record"*
        PLUSS_RECORD=$record PLUSS_INTERLEAVE=tsc "$out/$kernel.profile" --threads "$team" "${symbols[@]}" --time 1 >/dev/null
        for order in recorded uniform; do
            rm -f "$out/$order.json" # uniform: not where subscripts are data, which the record does not have
            "$build/pluss" run --record "$record" --simulate --progress "$order" --cache none --json -o "$out/$order.json" || true
        done
        if [ -e "$out/uniform.json" ] &&
            "$build/pluss" predict "$out/$kernel.profile.o" --model crd -T "$team" "${symbols[@]/#/-D}" --cache none --json -o "$out/model.json" 2>/dev/null; then
            ./crd_recorded.py "$out/model.json" "$out/uniform.json" "$kernel,${symbols[*]},$team,uniform,crd-threads"
        fi
        for model in clock cri cri-line crd; do
            "$build/pluss" run --record "$record" --model "$model" --cache none --json -o "$out/model.json" 2>/dev/null || continue
            for order in recorded uniform; do
                [ ! -e "$out/$order.json" ] || ./crd_recorded.py "$out/model.json" "$out/$order.json" "$kernel,${symbols[*]},$team,$order,$model"
            done
        done
    done
done
if [ -n "${FOREIGN:-}" ]; then BUILD=$build ./crd_foreign.sh; fi
