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
exit $failed
