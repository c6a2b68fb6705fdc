#!/usr/bin/env bash
# Makes the exact curves of polybench/truth/: every kernel of sizes.csv,
#   SMALL  at T = 1, 4      static; static,1; static,8; dynamic,1; guided   seeds 1..5
#          at T = 2         the same                                        seeds 1..20
#   MEDIUM at T = 8, 16     static; static,1; static,8                      seeds 1..2
#   T64    at T = 64        static; static,1; static,8                      seed  1
# in this order. Two threads drift further apart than more do, so their curves differ most from seed to seed. A file that
# is there is left alone, so an interrupted run goes on where it stopped.
#
# Usage: BUILD=build polybench/truth.sh [--list] [PATTERN]
#   --list    prints the names of all files, makes none
#   PATTERN   only files whose name matches this shell pattern, e.g. 'gemm-*' or '*-SMALL-*'
# JOBS (default: all cores) files at a time. OUT (default polybench/truth) is where they go.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=${OUT:-polybench/truth}
list=
[ "${1:-}" = --list ] && { list=1; shift; }
pattern=${1:-*}

plan() { # size teams schedules last-seed
    local kernel size symbols team schedule name
    while IFS=, read -r kernel size symbols; do
        [ "$size" = "$1" ] || continue
        for team in $2; do
            for schedule in $3; do
                name=$kernel-$size-t$team-${schedule/,/_}
                # shellcheck disable=SC2254
                case $name in $pattern) echo "$name $kernel $size $team $schedule 1 $4 $symbols" ;; esac
            done
        done
    done <polybench/sizes.csv
}

all() {
    plan SMALL "1 4" "static static,1 static,8 dynamic,1 guided" 5
    plan SMALL "2" "static static,1 static,8 dynamic,1 guided" 20
    plan MEDIUM "8 16" "static static,1 static,8" 2
    plan T64 "64" "static static,1 static,8" 1
}

if [ -n "$list" ]; then all | cut -d' ' -f1; exit 0; fi

mkdir -p "$out"
make_one() {
    set -eu
    local name=$1 kernel=$2 size=$3 given= words=
    shift
    [ -e "$out/$name" ] && return 0
    if [ -n "$(polybench/contents.sh "$kernel")" ]; then
        given=$(mktemp -d)
        words=$(polybench/contents.sh "$kernel" "$size" "$build/polybench/$kernel" "$given")
    fi
    # shellcheck disable=SC2086
    if "$build/polybench/truth" "$build/polybench/nests/$kernel.o" "$@" $words >"$out/$name.part" 2>"$out/$name.log"; then
        rm -f "$out/$name.log"
        mv "$out/$name.part" "$out/$name"
        echo "$name"
    else
        echo "FAILED $name: $(tail -n 1 "$out/$name.log")" >&2
        rm -f "$out/$name.part"
        failed=1
    fi
    [ -z "$given" ] || rm -rf "$given"
    return ${failed:-0}
}
export -f make_one
export out build
all | xargs -r -P "${JOBS:-$(nproc)}" -L 1 bash -c 'make_one "$@"' _
