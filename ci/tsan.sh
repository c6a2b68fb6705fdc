#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Data races in the kernels of polybench/, by GCC's thread sanitizer. libgomp's own synchronisation is invisible to it,
# so the kernels run on polybench/driver/team.c: threads created and joined at every region, nothing else.
# Every kernel at MINI (TSAN_SIZES), teams of 2 and 4, static, static,1 and dynamic,1. Then three kernels with a race put
# in, which must be found: else the silence of the others would mean nothing. TAP.
# Usage: BUILD=build ci/tsan.sh [KERNEL...]
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/polybench-tsan
sizes=${TSAN_SIZES:-MINI}
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(polybench/sizes.sh)
programs=()
for kernel; do programs+=("$out/$kernel.tsan"); done
failed=0
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
export TSAN_OPTIONS="exitcode=66 history_size=4"

make --no-print-directory -s -C polybench -j"${JOBS:-$(nproc)}" OUT="$out" "${programs[@]}" >"$log/make" 2>&1 || { echo "not ok - the kernels compile for the thread sanitizer"; sed 's/^/    /' "$log/make" | tail -n 20; exit 1; }

runs() { # PROGRAM: all teams and schedules; the sanitizer's reports go to $log/report; non-zero status if one run was bad
    local bad=0 size team schedule
    : >"$log/report"
    for size in $sizes; do
        for team in 2 4; do
            for schedule in static static,1 dynamic,1; do
                "$1" --check --size "$size" --threads "$team" --schedule "$schedule" >>"$log/report" 2>&1 || bad=1
            done
        done
    done
    return $bad
}

for kernel; do
    if runs "$out/$kernel.tsan"; then
        echo "ok - $kernel: no data race"
    else
        echo "not ok - $kernel: a data race, or a wrong result"
        grep -vE '^ok' "$log/report" | head -n 25 | sed 's/^/    /'
        failed=1
    fi
done

# ---- races put in --------------------------------------------------------------------------------------------------------
planted() { # KERNEL, WHAT, SED SCRIPT
    local kernel=$1
    [ -e "$out/$kernel.tsan" ] || return 0
    sed "$3" "polybench/$kernel.c" >"$log/planted.c"
    if cmp -s "polybench/$kernel.c" "$log/planted.c"; then
        echo "not ok - $kernel: the race ($2) could not be put in"
        failed=1
        return
    fi
    gcc -std=c11 -O1 -g -fopenmp -fsanitize=thread -DSCHEDULE=runtime -Ipolybench -c "$log/planted.c" -o "$log/planted.o" &&
        gcc -fsanitize=thread -pthread "$log/planted.o" "$out/$kernel.ref.o" "$out"/{driver.runtime,refcount_none,team}.o -lm -o "$log/planted"
    runs "$log/planted"
    if grep -q 'WARNING: ThreadSanitizer: data race' "$log/report"; then
        echo "ok - $kernel: a race that was put in is found ($2)"
    else
        echo "not ok - $kernel: a race that was put in is not found ($2)"
        failed=1
    fi
}
planted floyd-warshall "row k written while others read it" 's/if (i != k)/if (k >= 0)/'
planted histogram "increments that are not atomic" '/#pragma omp atomic/d'
planted trmm "rows in place of columns in parallel" 's/for (int j = 0; j < n; j++)/for (int i = 0; i < m; i++)/; t; s/for (int i = 0; i < m; i++) {/for (int j = 0; j < n; j++) {/'
exit $failed
