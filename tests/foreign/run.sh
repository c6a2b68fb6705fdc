#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The survey of foreign code (survey.py), on a few sources of our own: that it finds what they need,
# counts what it should, and notices compilers that go wrong. TAP. (The large survey: make foreign.)
# Tier: check, limit 300 s
set -u
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
build=${BUILD:-build}
[ "${build#/}" = "$build" ] && build=$root/$build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
unset GCC_COLORS CFLAGS
failed=0
report() { # name, status, file with detail
    if [ "$2" = 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/    /' "$3" | head -25
        failed=1
    fi
}
if [ ! -e "$build/pluss.so" ]; then
    echo "not ok - $build/pluss.so is there"
    echo "    build it first: make"
    exit 1
fi
survey() { # options...
    python3 survey.py --plugin "$build/pluss.so" --levels='-O0;-O2' --json "$work/lines" --report "$work/report" "$@" inputs/small >"$work/out" 2>&1
}

survey
status=$?
expected="5 sources, 3 compiled, 2 skipped, 6 compilations; 0 crashes, 0 other objects, 0 other faults; 4 parallel loops: 3 described in full, 1 in part, 0 not"
[ $status = 0 ] && [ "$(tail -n 1 "$work/out")" = "$expected" ]
report "sources of three languages, with headers, templates of headers and modules of the package" $? "$work/out"

grep -q '^| 1 | a header is missing |$' "$work/report" && grep -q '^| 1 | errors in the source |$' "$work/report" &&
    grep -q "^| 1 | call: a call to \`...' |$" "$work/report" && grep -q '^| 1 | omp for in omp target |$' "$work/report"
report "what is skipped, refused and left alone is in the report, with reasons" $? "$work/report"

survey --from "$work/lines"
[ $? = 0 ] && [ "$(tail -n 1 "$work/out")" = "$expected" ]
report "a report of earlier results" $? "$work/out"

# Compilers that behave otherwise with a plugin.
bend() { # name, shell commands before the true compiler runs with the plugin
    mkdir -p "$work/$1"
    for driver in gcc g++; do
        printf '#!/bin/sh\ncase "$*" in *-fplugin=*) %s ;; esac\nexec %s "$@"\n' "$2" "$(command -v $driver || echo false)" >"$work/$1/$driver"
        chmod +x "$work/$1/$driver"
    done
}
wrong() { # name, what to find, shell commands, options...
    bend "$1" "$3"
    ! survey --bin "$work/$1" --only plain.c "${@:4}" && grep -q -F -- "$2" "$work/out"
    report "a compiler that $1 is noticed" $? "$work/out"
}
wrong "makes other code" "another object" 'set -- "$@" -DDIFFERENT=1'
wrong "crashes" "1 crashes" 'case "$*" in *-O2*) echo "x.c:1:1: internal compiler error: in f, at g.c:1" >&2; exit 4 ;; esac'
wrong "says something else" "other diagnostics" 'echo "x.c:1:1: warning: strange" >&2'
wrong "fails" "fails: no" 'echo no >&2; exit 1'
bend "frames notes" 'echo "In function f:" >&2'
survey --bin "$work/frames notes" --only plain.c
report "a line that frames notes is no diagnostic, with a place in it or without" $? "$work/out"
wrong "never ends" "takes too long" 'case "$*" in *-O2*) exec sleep 100 ;; esac; set -- "$@" -O0' --timeout 4
exit $failed
