#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Misses of three kernels' programs as valgrind's callgrind counts them, against the simulation and the prediction of their nests
# (polybench/callgrind.py). With the OpenMP runtime's own accesses, which no nest has, one of the three must differ. TAP.
# Tier: check, limit 200 s
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
for needed in valgrind objdump; do
    command -v $needed >/dev/null || { echo "ok - misses of real programs # SKIP no $needed"; exit 0; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | tail -n 15; fi
}
count() { # OPTIONS KERNELS: rows of the table, as far as tests ask: kernel level accesses counted-accesses counted simulated predicted
    polybench/callgrind.py "$BUILD/pluss" "$tmp/build" --sizes SMALL --options "$1" --kernels "$2" 2>"$tmp/log" |
        awk -F, -v names="kernel level accesses counted_accesses counted simulated predicted" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = split(names, name, " "); next }
            { for (i = 1; i <= n; i++) printf "%s%s", $column[name[i]], i < n ? " " : "\n" }' >"$tmp/rows"
}
differ() { # PERCENT COLUMN: rows whose COLUMN is further than that from the counted misses
    awk -v most="$1" -v column="$2" '{ off = 100 * ($column - $5) / $5 } off > most || off < -most' "$tmp/rows" >"$tmp/off"
}

count sequential gemm,jacobi-2d,trisolv
[ "$(awk '$5 > 900' "$tmp/rows" | wc -l)" -eq 6 ]
verdict "three kernels are counted, simulated and predicted" $? "$tmp/log"
differ 1 6
[ ! -s "$tmp/off" ]
verdict "simulated misses are within 1 % of those counted" $? "$tmp/off"
differ 3 7
[ ! -s "$tmp/off" ]
verdict "predicted misses are within 3 % of those counted" $? "$tmp/off"
awk '$2 == "L1" && $1 == "jacobi-2d" && $4 == $3 { same++ } $2 == "L1" && $1 == "gemm" && $4 < 0.8 * $3 { fewer++ }
    END { exit same != 1 || fewer != 1 }' "$tmp/rows"
verdict "accesses: of jacobi-2d those of the source, of gemm a quarter less, a value being in a register" $? "$tmp/rows"

count O2-scalar trisolv
differ 10 6
[ "$(cut -d' ' -f1,2 "$tmp/off")" = "trisolv L1" ]
verdict "lines of the OpenMP runtime in a small cache show" $? "$tmp/rows"
