#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Process time of loops before and after advice (advice/timed.c), the least of RUNS runs each, at -O2 without vectors, beside the gain that
# pluss advise predicts for the same loop on this machine's caches. usage: advice_time.sh PLUSS [RUNS]
set -u
pluss=$(realpath "$1") runs=${2:-5}
cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc -std=c11 -O2 -fno-tree-vectorize -fno-loop-interchange advice/timed.c -o "$tmp/timed" || exit 1
least() { # NAME
    for _ in $(seq "$runs"); do "$tmp/timed" "$1" 2>/dev/null; done | sort -g | head -n 1
}
predicted() { # KIND, nest on stdin: the gain of the best item of this kind
    cat >"$tmp/one.nest"
    "$pluss" advise "$tmp/one.nest" -T 1 --json |
        python3 -c 'import json, sys; print(next(("%.0f" % a["gain_percent"] for a in json.load(sys.stdin)["advice"] if a["kind"] == sys.argv[1]), "-"))' "$1"
}
row() { # BEFORE AFTER KIND, nest on stdin
    local gain a b
    gain=$(predicted "$3")
    a=$(least "$1") b=$(least "$2")
    awk -v n="$1" -v m="$2" -v k="$3" -v a="$a" -v b="$b" -v g="$gain" \
        'BEGIN { printf "%-10s %-16s %-12s %8.3f s %8.3f s %6.0f %% less time   %6s %% less cost predicted\n", n, m, k, a, b, 100 * (1 - b / a), g }'
}
row columns rows interchange <<<'pluss-nest 1 region r array f64 A[3000][3000], B[3000][3000] for j in 1..2999 { for i in 1..2999 {
    read A[i][j] read A[i][j - 1] read A[i][j + 1] read A[i + 1][j] read A[i - 1][j] write B[i][j] } }'
row transpose transpose_tiled tile <<<'pluss-nest 1 region r array f64 A[3000][3000], B[3000][3000] for i in 0..3000 { for j in 0..3000 {
    read A[i][j] write B[j][i] } }'
row product product_ikj interchange <<<'pluss-nest 1 region r array f64 X[600][600], Y[600][600], Z[600][600] for i in 0..600 { for j in 0..600 {
    for k in 0..600 { read X[i][k] read Y[k][j] read Z[i][j] write Z[i][j] } } }'
row wave wave_padded pad <<<'pluss-nest 1 region r array f64 P[4096][512] for t in 0..10 { for j in 0..511 { for i in 1..400 {
    read P[i - 1][j + 1] read P[i][j] write P[i][j] } } }'
