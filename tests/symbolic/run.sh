#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Formulas written as C: they compile without warnings and say what `pluss symbolic` and an exact simulation say. Prints TAP.
# Tier: test, limit 300 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
work=$build/symbolic-test
mkdir -p "$work"
pluss=$build/pluss
failed=0
verdict() { # NAME STATUS LOG
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; head -n 15 "$3" | sed 's/^/    /'; failed=1; fi
}
misses_of() { python3 -c 'import json,sys; print([r["misses"] for r in json.load(sys.stdin)["regions"][0]["misses"]])'; }
exact_misses() { # FILE: of a simulation, caches of 256 and 4096 lines; its curve is a step function
    python3 - "$1" <<'END'
import bisect, json, sys
curve = json.load(open(sys.argv[1]))["curves"][0]
print([round(curve["accesses"] * curve["miss_ratio"][bisect.bisect(curve["size_lines"], n) - 1]) for n in (256, 4096)])
END
}

values="-D ni=40 -D nj=48 -D nk=56"
for line in 8 64; do
    "$pluss" symbolic --emit=c --line=$line tests/cli/inputs/gemm.nest -o "$work/gemm.c" >"$work/log" 2>&1 &&
        cat >"$work/main.c" <<END &&
#include <stdio.h>
#include "gemm.c"
int main(void)
{
    printf("[%lld, %lld]\n", (long long)kernel_gemm_misses(40, 48, 56, 256), (long long)kernel_gemm_misses(40, 48, 56, 4096));
    return kernel_gemm_misses(4, 48, 56, 1) != -1;
}
END
        gcc -std=gnu11 -O2 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Werror "$work/main.c" -o "$work/main" >"$work/log" 2>&1 &&
        "$work/main" >"$work/found" 2>"$work/log"
    verdict "functions in C compile and run, lines of $line bytes" $? "$work/log"
    "$pluss" symbolic --line=$line $values --cache $((256 * line)),$((4096 * line)) --json tests/cli/inputs/gemm.nest 2>"$work/log" |
        misses_of >"$work/told" 2>>"$work/log"
    diff "$work/told" "$work/found" >>"$work/log"
    verdict "and say what the report says" $? "$work/log"
    "$pluss" simulate -T 1 --line=$line $values --cache $((256 * line)),$((4096 * line)) --json tests/cli/inputs/gemm.nest >"$work/exact.json" 2>"$work/log" &&
        exact_misses "$work/exact.json" >"$work/exact" 2>>"$work/log"
    diff "$work/exact" "$work/found" >>"$work/log"
    verdict "and what an exact simulation says" $? "$work/log"
done

# ---- counters: a product of a sparse matrix and a vector, a guard, a branch ------------------------------------------------
cat >"$work/sparse.nest" <<'NEST'
pluss-nest 1
region product repeat 2
symbol n
symbol m = 3 * n
array i32 rows[n + 1]
array i64 kind[n][2]
array f64 x[m]
array f64 y[n]
array f64 A[]
array i32 `column`[]
parallel for i in 0..n {
  for k in rows[i]..rows[i + 1] { read A[k] read `column`[k] read x[`column`[k]] for t in m - 1..1 step -4 { read x[t] } }
  if (kind[i][1] % 3 == 1 && i != 2) { write y[i] } else { branch 0.25 { read y[i] } }
}
NEST
"$pluss" symbolic --emit=c "$work/sparse.nest" -o "$work/sparse.c" 2>"$work/log" && cat >"$work/main.c" <<'END' &&
#include <stdio.h>
#include "sparse.c"
int main(void)
{
    static const int32_t rows[] = {0, 3, 3, 8, 9};
    static const int64_t kind[] = {9, 1, 9, -2, 9, 4, 9, 3};
    double count[6];
    product_counters(4, rows, kind, count);
    for (int i = 0; i < 6; i++)
        printf("%g ", count[i]);
    return 0;
}
END
    gcc -std=c11 -O2 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Werror "$work/main.c" -o "$work/main" >"$work/log" 2>&1 &&
    "$work/main" >"$work/found" && cat "$work/found" >"$work/log"
# twice: 9 elements, with x at 11, 7 and 3 for each; rows 0 and 1 are written, as -2 % 3 is 1, and a quarter of the two others read
[ "$(cat "$work/found")" = "18 18 18 54 4 1 " ]
verdict "counters in C compile and count" $? "$work/log"

# ---- bounds of distances: a cache of that many lines has cold misses alone ------------------------------------------------------
cat >"$work/gather.nest" <<'NEST'
pluss-nest 1
region gather
array i32 at[12] values(3, 900, 17, 3, 512, 900, 44, 3, 18, 901, 17, 512)
array f64 x[1024]
array f64 y[500]
for i in 0..12 { read at[i] read x[at[i]] for j in 0..500 { write y[j] read x[at[11 - i]] } }
NEST
bound=$("$pluss" symbolic --json --cache 1M "$work/gather.nest" 2>"$work/log" |
    python3 -c 'import json,sys; b = json.load(sys.stdin)["regions"][0]["bounds"]; assert len(b) == 1 and b[0]["confidence"] == "sizes of arrays"; print(round(b[0]["lines"]))' 2>>"$work/log")
"$pluss" simulate -T 1 --json "$work/gather.nest" 2>>"$work/log" | python3 -c '
import bisect, json, sys
c = json.load(sys.stdin)["curves"][0]
misses = [round(r * c["accesses"]) for r in c["miss_ratio"]]
sys.exit(misses[bisect.bisect(c["size_lines"], int(sys.argv[1])) - 1] != c["footprint_lines"])' "${bound:-0}" 2>>"$work/log"
verdict "a cache of the bound of a loop's distances has cold misses alone" $? "$work/log"

# ---- lines of any size -----------------------------------------------------------------------------------------------------
cat >"$work/mvt.nest" <<'NEST'
pluss-nest 1
region mvt symbol n
array f64 A[n][n], x[n], y[n]
parallel for i in 0..n { for j in 0..n { read x[i] read A[i][j] read y[j] write x[i] } }
NEST
for nest in tests/cli/inputs/gemm.nest "$work/mvt.nest"; do
    "$pluss" symbolic --any-line --json "$nest" >"$work/any.json" 2>"$work/log" &&
        "$pluss" symbolic --line=1024 --json "$nest" >"$work/one.json" 2>>"$work/log" &&
        python3 tests/symbolic/any_line.py "$work/any.json" "$work/one.json" 128 2>>"$work/log"
    verdict "formulas in L are those for lines of 128 elements, which they were not made of: $(basename "$nest")" $? "$work/log"
done
"$pluss" symbolic --any-line gemm.nest --emit=c tests/cli/inputs/gemm.nest >"$work/log" 2>&1
verdict "functions in C are for one size" $(($? == 2 ? 0 : 1)) "$work/log"
# each iteration of a line has a distance of its own: as many reuses as elements
printf 'pluss-nest 1 region r symbol n array f64 A[n], B[n] for i in 0..n { read A[i] read B[n - 1 - i] } for i in 0..n { read A[i] read B[i] }\n' >"$work/turns.nest"
"$pluss" symbolic --any-line --json "$work/turns.nest" >"$work/any.json" 2>"$work/log" && grep -q "differ in" "$work/log" &&
    grep -q '"line_bytes": *64' "$work/any.json"
verdict "where formulas differ in more than numbers, those for one size take their place, with a warning" $? "$work/log"
exit $failed
