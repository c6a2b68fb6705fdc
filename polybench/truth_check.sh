#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recomputes some of the exact curves in truth/ and compares to the last digit. TAP.
#   COUNT  how many, drawn at random (default 8; 0: all)
#   MATCH  shell pattern of their names (default *-SMALL-*)
#   SEED   of the draw (default 1)
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build}
count=${COUNT:-8} match=${MATCH:-*-SMALL-*} seed=${SEED:-1}
names() { # of all curves, with their tables
    local table
    for table in polybench/truth/*; do sed -n "s|^kernel \(.*\)|\1-${table##*/} $table \1|p" "$table"; done
}
wanted() { # those of the lines "NAME TABLE KERNEL" whose name matches
    local name rest
    # shellcheck disable=SC2254
    while read -r name rest; do case $name in $match) echo "$name $rest" ;; esac; done
}
mapfile -t all < <(names | wanted)
[ ${#all[@]} -gt 0 ] || { echo "not ok - no exact curves match $match"; exit 1; }
[ "$count" -eq 0 ] && count=${#all[@]}
failed=0
given=$(mktemp -d)
trap 'rm -rf "$given"' EXIT
while read -r name table kernel; do
    polybench/truth_part.sh "$table" "$kernel" >"$given/table"
    value() { sed -n "s/^$1 //p" "$given/table"; }
    seeds=$(value seeds)
    words=$(polybench/contents.sh "$kernel" "$(value size)" "$build/polybench/$kernel" "$given")
    # shellcheck disable=SC2046
    if "$build/polybench/truth" "$build/polybench/nests/$kernel.o" "$kernel" "$(value size)" \
        "$(value team)" "$(value schedule)" "${seeds%..*}" "${seeds#*..}" $(value symbols) $words |
        diff -I '^made-by' - "$given/table" >"$build/truth-check.diff"; then
        echo "ok - $name recomputed"
    else
        echo "not ok - $name recomputed"
        head -n 10 "$build/truth-check.diff" | sed 's/^/    /'
        failed=1
    fi
done < <(printf '%s\n' "${all[@]}" | shuf -n "$count" --random-source=<(yes "$seed"))
exit $failed
