#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make PGO=1`: what is no 1 is refused; the command is built with a profile, which changes no answer. TAP.
# Tier: full, limit 3600 s
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
verdict() { # NAME, exit status; what was said is in $tmp/said
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$tmp/said" | tail -n 12; fi
}
make -n PGO=yes lib >"$tmp/said" 2>&1
[ $? -eq 2 ] && grep -q 'PGO=yes: 1, or nothing' "$tmp/said"
verdict "PGO=yes is refused" $?

make --no-print-directory PGO=1 BUILD="$build/pgo" "$build/pgo/pluss" >"$tmp/said" 2>&1
verdict "builds with a profile" $?
[ -n "$(find "$build/pgo/obj/runtime/sampler" -name 'count.c.gcda' 2>/dev/null)" ]
verdict "the profile is of the objects that are built" $?

options=(-T 1,4 --cache=none --json -D ni=60 -D nj=70 -D nk=80 tests/fuzz/corpus/nest/gemm.nest)
"$build/pluss" predict "${options[@]}" >"$tmp/plain" 2>"$tmp/said" &&
    "$build/pgo/pluss" predict "${options[@]}" >"$tmp/profiled" 2>>"$tmp/said" && cmp "$tmp/plain" "$tmp/profiled" >>"$tmp/said" 2>&1
verdict "answers are the same to the byte" $?
echo "1..4"
