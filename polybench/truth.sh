#!/usr/bin/env bash
# Makes the exact curves of polybench/truth/: every kernel of sizes.csv,
#   SMALL  at T = 1, 4      static; static,1; static,8; dynamic,1; guided   seeds 1..5
#          at T = 2         the same                                        seeds 1..20
#   MEDIUM at T = 8, 16     static; static,1; static,8                      seeds 1..2
#   T64    at T = 64        static; static,1; static,8                      seed  1
#          at T = 256       static                                          seed  1
# in this order, a table for each size, team and schedule. Two threads move further apart than more do, so their curves differ
# most from seed to seed. A curve that is there is left alone; those that are made go into $BUILD/truth-parts/ first and
# into their tables at the end, so an interrupted run goes on where it stopped.
#
# Usage: BUILD=build polybench/truth.sh [--list] [PATTERN]
#   --list    prints the names of all curves, KERNEL-SIZE-tTEAM-SCHEDULE, makes none
#   PATTERN   only curves whose name matches this shell pattern, e.g. 'gemm-*' or '*-SMALL-*'
# JOBS (default: all cores) curves at a time. OUT (default polybench/truth) is where the tables go.
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
    plan T64 "256" "static" 1
}

if [ -n "$list" ]; then all | cut -d' ' -f1; exit 0; fi

parts=$build/truth-parts
mkdir -p "$out" "$parts"
make_one() { # NAME KERNEL SIZE TEAM SCHEDULE FIRST-SEED LAST-SEED SYMBOLS
    set -eu
    local name=$1 kernel=$2 size=$3 given= words= failed=0
    shift
    if [ -e "$parts/$name" ] || grep -qxs "kernel $kernel" "$out/${name#"$kernel"-}"; then return 0; fi
    if [ -n "$(polybench/contents.sh "$kernel")" ]; then
        given=$(mktemp -d)
        words=$(polybench/contents.sh "$kernel" "$size" "$build/polybench/$kernel" "$given")
    fi
    # shellcheck disable=SC2086
    if "$build/polybench/truth" "$build/polybench/nests/$kernel.o" "$@" $words >"$parts/$name.unfinished" 2>"$parts/$name.log"; then
        rm -f "$parts/$name.log"
        mv "$parts/$name.unfinished" "$parts/$name"
        echo "$name"
    else
        echo "FAILED $name: $(tail -n 1 "$parts/$name.log")" >&2
        rm -f "$parts/$name.unfinished"
        failed=1
    fi
    [ -z "$given" ] || rm -rf "$given"
    return $failed
}
head_of() { sed '/^kernels /,$d' "$1"; }
settings_of() { head_of "$1" | grep -v '^made-by '; }
merge() { # TABLE: the curves it has and the new ones, in the order of sizes.csv
    local table=$out/$1 kernel curve curves=() head
    for kernel in $(polybench/sizes.sh); do
        if [ -e "$parts/$kernel-$1" ]; then curves+=("$parts/$kernel-$1")
        elif grep -qxs "kernel $kernel" "$table"; then curves+=("$table:$kernel"); fi
    done
    head=$(head_of "${curves[0]%:*}")
    for curve in "${curves[@]}"; do
        [ "$(settings_of "${curve%:*}")" = "$(settings_of "${curves[0]%:*}")" ] || { echo "FAILED $1: $curve has other seeds" >&2; return 1; }
    done
    {
        printf '%s\nkernels %d\n' "$head" ${#curves[@]}
        for curve in "${curves[@]}"; do
            kernel=${curve#"$table":}
            [ "$kernel" != "$curve" ] || { kernel=${curve#"$parts/"} && kernel=${kernel%-"$1"}; }
            polybench/truth_part.sh "${curve%:*}" "$kernel" | sed '1,/^kernels /d'
        done
    } >"$table.part" && mv "$table.part" "$table" && rm -f "$parts"/*-"$1"
}
export -f make_one
export out build parts
status=0
all | xargs -r -P "${JOBS:-$(nproc)}" -L 1 bash -c 'make_one "$@"' _ || status=1
for table in $(all | awk '{ sub("^" $2 "-", "", $1); print $1 }' | sort -u); do
    if compgen -G "$parts/*-$table" >/dev/null; then merge "$table" || status=1; fi
done
exit $status
