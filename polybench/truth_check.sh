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
shopt -s nullglob
# shellcheck disable=SC2206
all=(polybench/truth/$match)
[ ${#all[@]} -gt 0 ] || { echo "not ok - no exact curves match $match"; exit 1; }
[ "$count" -eq 0 ] && count=${#all[@]}
echo "# drawn with SEED=$seed"
failed=0
given=$(mktemp -d)
trap 'rm -rf "$given"' EXIT
for file in $(printf '%s\n' "${all[@]}" | shuf -n "$count" --random-source=<(yes "$seed")); do
    value() { sed -n "s/^$1 //p" "$file"; }
    seeds=$(value seeds) kernel=$(value kernel)
    words=$(polybench/contents.sh "$kernel" "$(value size)" "$build/polybench/$kernel" "$given")
    # shellcheck disable=SC2046
    if "$build/polybench/truth" "$build/polybench/nests/$kernel.o" "$kernel" "$(value size)" \
        "$(value team)" "$(value schedule)" "${seeds%..*}" "${seeds#*..}" $(value symbols) $words |
        diff -I '^made-by' - "$file" >"$build/truth-check.diff"; then
        echo "ok - ${file##*/} recomputed"
    else
        echo "not ok - ${file##*/} recomputed"
        head -n 10 "$build/truth-check.diff" | sed 's/^/    /'
        failed=1
    fi
done
exit $failed
