#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Predictions of real threads, two on two cores, against the exact curves of what they did: `make accuracy-real`.
# Every kernel of real.csv is built with mode=time and run in processes of RUNS runs (12) each, in turn one to calibrate with
# and one to test against, threads pinned and waiting actively: at least two of each kind, and up to MOST (8), until there are
# LEAST (20) runs of each. harness/real_accuracy.c then compares, SEEDS (3) seeds a prediction. Runs in which a thread was kept
# from running for more than half of the time, be it by skew or by stalls, are left out and listed, whichever kind
# they are of; the rule (docs/models.md, "Real threads") does not look at predictions. CSV on stdout, all else on stderr.
# Usage: real.sh BUILD OUT [LABEL...]
set -eu -o pipefail
cd "$(dirname "$0")"
build=$1 out=$2
shift 2
runs=${RUNS:-12} seeds=${SEEDS:-3} least=${LEAST:-20} most=${MOST:-8}
programs=$out/real
mkdir -p "$programs"
export PATH=$build:$PATH LC_ALL=C PLUSS_STAMPS=tsc
export OMP_NUM_THREADS=2 OMP_PROC_BIND=true OMP_PLACES=cores OMP_DYNAMIC=false OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-active}
labels=" $* "
cases() {
    tail -n +2 real.csv | while IFS=, read -r label kernel symbols; do
        [ "$labels" = "  " ] || [[ $labels == *" $label "* ]] || continue
        echo "$label $kernel $symbols"
    done
}
compile() { # KERNEL
    local p=$programs/$1
    [ -x "$p" ] && [ "$p" -nt "$build/pluss.so" ] && [ "$p" -nt "$1.c" ] && [ "$p" -nt "$build/libpluss-rt.a" ] && return
    pluss cc --plugin="$build/pluss.so" --mode=time -fplugin-arg-pluss-notes=off -std=c11 -O2 -g -fopenmp -c "$1.c" -o "$p.o"
    pluss cc --plugin="$build/pluss.so" --mode=time -fopenmp "$p.o" "$out/$1.ref.o" "$out/driver.o" "$out/refcount_none.o" -lm -o "$p"
}
records() { # LABEL KIND: those there are, with commas between
    find "$programs" -name "$1.$2.*" ! -name '*.trace' | sort | paste -sd,
}
enough() { # LABEL KIND
    [ "$("$out/real_accuracy" count "$(records "$1" "$2")" 2>/dev/null)" -ge "$least" ]
}
# words are split: a kernel's symbols
# shellcheck disable=SC2086
measure() { # LABEL KERNEL SYMBOL...
    local label=$1 kernel=$2 kind n
    shift 2
    rm -f "$programs/$label."{calibration,test}.*
    for n in $(seq "$most"); do
        for kind in calibration test; do
            [ "$n" -gt 2 ] && enough "$label" $kind && continue
            PLUSS_RECORD=$programs/$label.$kind.$n "$programs/$kernel" "$@" --time "$runs" >"$programs/$label.log"
        done
    done
}
compare() { # LABEL
    "$out/real_accuracy" "$1" "$seeds" "$(records "$1" calibration)" "$(records "$1" test)" >"$programs/$1.csv" 2>"$programs/$1.txt" ||
        { echo "$1: failed"; cat "$programs/$1.txt"; } >&2
    rm -f "$programs/$1."{calibration,test}.*
}

echo "load before: $(uptime)" >&2
while read -r label kernel symbols; do
    compile "$kernel"
    # shellcheck disable=SC2086
    measure "$label" "$kernel" $symbols </dev/null
done < <(cases)
echo "load after: $(uptime)" >&2
export -f compare records
export out programs seeds
cases | cut -d' ' -f1 | xargs -P "${JOBS:-2}" -I{} bash -c 'compare {}'
echo kernel,prediction,runs,discarded,calibration_runs,calibration_discarded,accesses,footprint_lines,points,mae,worst_run,ms
while read -r label _; do
    cat "$programs/$label.txt" >&2
    cat "$programs/$label.csv"
done < <(cases)
