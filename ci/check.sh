#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs tests and counts: the compiled suites, then the scripts tests/*/run.sh. All print TAP. Ends in a line
# "N passed, N failed"; exit status 0 only if none failed and some ran.
#
#   ci/check.sh [--tier=TIER] [--record=FILE] [NAME...]
#
# TIER: each holds the one before it.
#   test     all compiled suites with a third of their combinations (tests/unit/suite.h), the command's tests, ten cases of the
#            plugin: under two minutes on two quiet cores
#   check    (default) what a change has to pass: half of the combinations, all cases and kernels, Rust, lint; under ten minutes
#   full     all combinations, sanitizers, other compilers, all levels of optimisation, long random runs, every failing allocation: hours
# Scripts find it in PLUSS_TIER; suites find PLUSS_LONG=1 in tier full. A script says in a line of its own in which tier it
# begins and when it has failed, in seconds: "# Tier: check, limit 300 s (full: 3600 s)". Suites: SUITE_LIMIT below. A program
# that takes longer is ended and fails, the others go on. Limits are for a quiet machine: where more processes want to run
# than there are processors, they grow as much (BUSY=1: they do not).
# A script that calls make in the build names the targets, "# Makes: products tests": they are made before the first program
# starts, and the script tests by `make -q` that nothing is left to do. A program that is linked while another one runs it is
# not there for a moment (exit status 127 or 126).
#
# NAME: only programs whose path holds a NAME, in whatever tier they begin.
# --record=FILE: each program's counts go into FILE, a line a program, with the revision they are true of; lines of
# programs that did not run stay.
# JOBS programs run at a time (default: one more than there are processors, as some wait).
set -u
cd "$(dirname "$0")/.."
tier=check record=
while [ $# -gt 0 ]; do
    case $1 in
    --tier=test | --tier=check | --tier=full) tier=${1#*=} ;;
    --record=?*) record=${1#*=} ;;
    -*) echo "ci/check.sh: $1 is not understood" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
build=${BUILD:-build}
logs=$build/check-logs
export BUILD=$build PLUSS_TIER=$tier
SUITE_LIMIT=300
[ "$tier" = full ] && SUITE_LIMIT=7200 && export PLUSS_LONG=1
# Several programs share the processors: a thread of OpenMP that waits gives its processor away, in place of 300,000 turns of a loop.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
export CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-$((SUITE_LIMIT * 2 / 3))} # of one test, so that Check can name it
rm -rf "$logs"
mkdir -p "$logs"

# Of a script: "TIER LIMIT", the limit being that of this run's tier.
settings_of() { # SCRIPT
    sed -nE '/^# Tier: /{
        s/^# Tier: (test|check|full), limit ([0-9]+) s \(full: ([0-9]+) s\)\.?$/\1 \2 \3/p
        s/^# Tier: (test|check|full), limit ([0-9]+) s\.?$/\1 \2 \2/p
        q
    }' "$1" | awk -v tier="$tier" '{ print $1, tier == "full" ? $3 : $2 }'
}
begins_later() { case $tier:$1 in test:check | test:full | check:full) ;; *) false ;; esac; }
is_named() { # PROGRAM NAME...
    local program=$1 name
    shift
    for name; do case $program in *"$name"*) return 0 ;; esac; done
    return 1
}

# "LIMIT PROGRAM" a line
list_programs() { # NAME...
    local source script settings
    shopt -s nullglob
    for source in tests/oracle/test_*.c tests/unit/test_*.c; do # only programs that still have a source
        if [ $# -eq 0 ] || is_named "$source" "$@"; then echo "$SUITE_LIMIT $build/${source%.c}"; fi
    done
    for script in tests/*/run.sh; do
        if [ $# -gt 0 ] && ! is_named "$script" "$@"; then continue; fi
        settings=$(settings_of "$script")
        if [ -z "$settings" ]; then
            echo "0 $script"
        elif [ $# -gt 0 ] || ! begins_later "${settings% *}"; then
            echo "${settings#* } $script"
        fi
    done
}

# What the scripts of the list on standard input make in the build, each target once.
list_targets() { grep -o 'tests/[a-z-]*/run\.sh' | xargs -r sed -n 's/^# Makes: \([a-z ]*\)$/\1/p' | tr ' ' '\n' | sort -u; }

# How many times as long things take as on a quiet machine.
busy() { awk -v processors="$(nproc)" '{ n = int($1 / processors + 0.999); print (n > 1 ? n : 1) }' /proc/loadavg 2>/dev/null || echo 1; }

run_one() { # LIMIT PROGRAM
    local limit=$(($1 * ${BUSY:-$(busy)})) program=$2 name=${2#"$build"/} log status start=$SECONDS
    log=$logs/$(tr / _ <<<"$name").tap
    local command=("$program")
    [ "${program##*.}" = sh ] && command=(bash "$program")
    if [ "$limit" -eq 0 ]; then
        echo "not ok - $name has no line '# Tier: ..., limit ... s' (see ci/check.sh)" >"$log"
        status=0
    else
        TIMEFORMAT='%U %S'
        { time timeout -k 10 "$limit" "${command[@]}" >"$log" 2>&1; } 2>"$log.time"
        status=$?
    fi
    # a program that took too long, died, or said nothing, is a failure of its own
    if [ $status -ne 0 ] && [ "$limit" -gt 0 ] && [ $((SECONDS - start)) -ge "$limit" ]; then
        echo "not ok - $name was ended after $limit s, its limit" >>"$log"
    elif [ $status -ne 0 ] && ! grep -q '^not ok' "$log"; then
        echo "not ok - $name ended with status $status" >>"$log"
    fi
    grep -qE '^(not )?ok' "$log" || echo "not ok - $name ran no test" >>"$log"
    printf '%-36s %5d ok %3d failed %5d s, %6.1f s of processor\n' "$name" "$(grep -c '^ok' "$log")" "$(grep -c '^not ok' "$log")" \
        $((SECONDS - start)) "$(awk '{ sum += $1 + $2 } END { print sum + 0 }' "$log.time" 2>/dev/null)"
    printf '%s\t%d\t%d\t%d\n' "$name" "$(grep '^ok' "$log" | grep -vc '# SKIP')" "$(grep -c '^not ok' "$log")" \
        "$(grep -c '^ok.*# SKIP' "$log")" >"${log%.tap}.counts"
    grep -A12 '^not ok' "$log" | sed 's/^/    /' | head -n 60
}
export -f run_one busy
export logs build
mapfile -t targets < <(list_programs "$@" | list_targets)
[ ${#targets[@]} -eq 0 ] || make --no-print-directory -s -j"$(nproc)" BUILD="$build" "${targets[@]}" >"$logs/make" 2>&1 || {
    tail -n 30 "$logs/make"
    echo "ci/check.sh: make ${targets[*]} has failed" >&2
    exit 1
}
# those that may take longest first, so that none is left alone at the end
list_programs "$@" | sort -s -k1,1nr | xargs -r -P "${JOBS:-$(($(nproc) + 1))}" -L 1 bash -c 'run_one "$@"' _

record_counts() { # FILE
    local revision head
    revision=$(git describe --always --dirty --exclude='*' 2>/dev/null || echo unknown)
    head="# What the tests of tier $tier gave when they last ran: \`make check-full\`, or ci/check.sh --tier=$tier --record=$1 NAME...
# for some. $(gcc --version | head -n 1); $(uname -sm).
# program	passed	failed	left out	revision"
    {
        cat "$1" 2>/dev/null | grep -v '^#' | awk -F'\t' 'NR == FNR { ran[$1]; next } !($1 in ran)' <(cat "$logs"/*.counts) -
        sed "s/\$/\t$revision/" "$logs"/*.counts
    } | LC_ALL=C sort >"$logs/lines"
    { echo "$head"; cat "$logs/lines"; } >"$1.part" && mv "$1.part" "$1"
}
[ -z "$record" ] || record_counts "$record"

passed=$(cat "$logs"/*.tap 2>/dev/null | grep -c '^ok')
failed=$(cat "$logs"/*.tap 2>/dev/null | grep -c '^not ok')
echo "processor: $(cat "$logs"/*.time 2>/dev/null | awk '{ sum += $1 + $2 } END { printf "%.0f", sum }') s, on the clock: $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
