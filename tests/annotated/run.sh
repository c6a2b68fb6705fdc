#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loop-annotated traces: what `pluss nests --annotated` prints is executed by a program of its own, and has the paper's tables
# and the curves of an exact simulation. Prints TAP.
# Tier: test, limit 120 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
work=$build/annotated-test
mkdir -p "$work"
pluss=$build/pluss
failed=0
verdict() { # NAME STATUS LOG
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; head -n 15 "$3" | sed 's/^/    /'; failed=1; fi
    : >"$3"
}
execute() { "$pluss" nests --annotated "$1" 2>>"$work/log" | python3 tests/annotated/annotated.py "${@:2}" 2>>"$work/log"; }

# figure 3 of the paper; the memory of k is `&k`, as the loop's induction variable has the name k
cat >"$work/figure_3.nest" <<'NEST'
pluss-nest 1
region figure_3 symbol K
array i32 retval, alpha, `&k`, A[500][500], B[500][500]
write retval write alpha write `&k`
for k in 0..K { read `&k` read alpha read `&k` read A[0][k] read `&k` write A[0][k]
  read alpha read `&k` write B[0][k] read `&k` write `&k` }
read `&k`
NEST
sed 's/K {/102 {/' "$work/figure_3.nest" >"$work/figure_3_102.nest"

: >"$work/log"
echo 'figure_3: retval, alpha, k, [102, k, alpha, k, A~0~k, k, A~0~k, alpha, k, B~0~k, k, k], k' >"$work/expected"
"$pluss" nests --annotated "$work/figure_3_102.nest" 2>>"$work/log" | diff "$work/expected" - >>"$work/log"
verdict "figure 3 has the paper's form" $? "$work/log"
printf '%s\n' '-1 207' '0 205' '1 409' '2 305' >"$work/expected"
execute "$work/figure_3.nest" k K=102 | diff "$work/expected" - >>"$work/log"
verdict "and its profile is table 2's" $? "$work/log"
printf '%s\n' '-1 7' '0 5' '1 9' '2 5' >"$work/expected"
execute "$work/figure_3.nest" k K=2 | diff "$work/expected" - >>"$work/log"
verdict "at k = 2, table 1's" $? "$work/log"

# other nests against exact simulation: misses in every size of a cache, elements as lines
curve() { # JSON on standard input, distances in $1
    python3 - "$1" <<'PY'
import json, sys
counts = dict(map(int, line.split()) for line in open(sys.argv[1]))
curve = json.load(open(sys.argv[1] + ".json"))["curves"][0]
total = sum(counts.values())
assert curve["accesses"] == total, (curve["accesses"], total)
for size, ratio in zip(curve["size_lines"], curve["miss_ratio"]):
    misses = sum(n for d, n in counts.items() if d < 0 or d >= size)
    assert abs(ratio * total - misses) < 1e-6 * total, (size, ratio * total, misses)
assert len(counts) > 2
PY
}
compare() { # NAME FILE LOOPS SYMBOL=VALUE...
    local values=()
    for v in "${@:4}"; do values+=(-D "$v"); done
    execute "$2" "${@:3}" >"$work/$1" && "$pluss" simulate -T 1 --line 8 "${values[@]}" --json "$2" >"$work/$1.json" 2>>"$work/log" &&
        curve "$work/$1" 2>>"$work/log"
    verdict "$1: the curve of an exact simulation" $? "$work/log"
}
compare gemm tests/cli/inputs/gemm.nest i,j,k ni=5 nj=6 nk=7
cat >"$work/steps.nest" <<'NEST'
pluss-nest 1
region steps symbol n
array f64 A[n + 4][n + 4], s
for i in 1..n { for j in 0..i { if (j < 3 && i > 2) { read A[i - 1][2 * j] } read A[j][i + 1] write s } }
for i in 3..n + 1 { read A[i][i] }
NEST
compare steps "$work/steps.nest" i:1,j,i:3 n=9

# every construct has a form
cat >"$work/all.nest" <<'NEST'
pluss-nest 1
region all repeat 3 symbol n
array f64 A[n], B[n]
array b48 S[n]
for i in n - 1..-1 step -2 { branch 0.25 { read A[i] } else { write B[i] } if (i > 3) { read A[i] } else { read S[i] bytes 8..16 } }
swap A, B
unknown call "f"
parallel for i in 2..11 step 3 schedule(static) { critical { write A[i] } }
NEST
cat >"$work/expected" <<'TEXT'
all: [3, [(n - 1 - (-1) + 1) / 2, {0.25: A~i | 0.75: B~i}, {i > 3: A~i | else: S~i:8..16}],
    swap(A, B), ?, [3, A~i]]
TEXT
"$pluss" nests --annotated "$work/all.nest" 2>>"$work/log" | diff "$work/expected" - >>"$work/log"
verdict "every construct has a form" $? "$work/log"
exit $failed
