#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of polybench/ as the plugin describes them, against what is known of them without it:
#   - the references of each innermost loop's body, and of each parallel loop in all, as counted by hand (polybench/*.c);
#   - every single access of a run at MINI by one thread, in order: array, place and kind (polybench/driver/refcount.h);
#   - private reuse intervals of teams of 1, 3 and 4, walked, against brute force (pricheck.c);
#   - the parallel loops' lines in the source.
# Then the table of all parallel loops, polybench/loops.csv, as a golden file (polybench/loops.sh writes it). TAP.
# Usage: tests/kernels/run.sh [KERNEL...]
# Tier: check, limit 900 s (full: 7200 s)
set -u
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/kernels-check
mkdir -p "$out/nests"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(polybench/sizes.sh)
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 12; fi
}

programs=() shared=$BUILD/polybench-check # with tests/polybench: one makes at a time
for kernel; do programs+=("$shared/$kernel.counted"); done
flock "$shared.lock" make --no-print-directory -s -C polybench -j2 OUT="$shared" "${programs[@]}" >"$tmp/make" 2>&1 && [ ! -s "$tmp/make" ] &&
    gcc -std=c11 -O2 -Iruntime -D_GNU_SOURCE tests/kernels/nestwalk.c "$BUILD/libpluss.a" $(pkg-config --libs gsl libelf jansson zlib libzstd) \
        -lm -o "$out/nestwalk" 2>>"$tmp/make" &&
    gcc -std=c11 -O2 -Iruntime -D_GNU_SOURCE tests/kernels/pricheck.c tests/oracle/naive*.c "$BUILD/libpluss.a" \
        $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -o "$out/pricheck" 2>>"$tmp/make"
status=$?
verdict "counted programs, nestwalk and pricheck compile" $status "$tmp/make"
[ $status -eq 0 ] || exit 1

# Both sides: the read of an element that the same statement writes goes right before its write. (Where GCC puts it depends on
# the array's kind; the description puts it there always.)
canonical() {
    python3 -c '
import sys
reads = []
for line in sys.stdin:
    place, kind = line.rsplit(" ", 1)
    if kind[0] == "r":
        reads.append(line)
        continue
    own = place + " r\n"
    if own in reads:
        last = len(reads) - 1 - reads[::-1].index(own)
        reads.append(reads.pop(last))
    sys.stdout.writelines(reads)
    sys.stdout.write(line)
    reads = []
sys.stdout.writelines(reads)'
}

polybench/counts.sh >"$tmp/formulas"
for kernel; do
    nest=$out/nests/$kernel.o
    if ! timeout 60 gcc -std=c11 -O2 -fopenmp -fplugin="$BUILD/pluss.so" -Ipolybench -c "polybench/$kernel.c" -o "$nest" >"$tmp/gcc" 2>&1; then
        verdict "$kernel compiles with the plugin" 1 "$tmp/gcc"
        continue
    fi
    words=$(polybench/sizes.sh "$kernel" MINI raw)
    # what the index arrays hold
    index=$(polybench/contents.sh "$kernel" MINI "$shared/$kernel.counted" "$tmp")
    words="$words $index"

    awk -F, -v k="$kernel" '$1 == k && $2 { print "loop", $2, $3 }' "$tmp/formulas" >"$tmp/hand"
    timeout 60 "$out/nestwalk" --innermost "$nest" >"$tmp/described" 2>"$tmp/notes"
    diff "$tmp/hand" "$tmp/described" >"$tmp/diff" 2>&1
    status=$?
    cat "$tmp/notes" >>"$tmp/diff"
    verdict "$kernel: each innermost loop's references are as counted by hand" $status "$tmp/diff"

    polybench/counts.sh -e MINI "$kernel" | awk -F, '$2 { print "loop", $2, $3; next } { serial = $3 } END { print "serial", serial + 0 }' |
        sort >"$tmp/hand"
    # shellcheck disable=SC2086
    timeout 60 "$out/nestwalk" --counts "$nest" $words 2>"$tmp/notes" | sort >"$tmp/described"
    status=${PIPESTATUS[0]}
    diff "$tmp/hand" "$tmp/described" >"$tmp/diff" 2>&1 || status=1
    cat "$tmp/notes" >>"$tmp/diff"
    verdict "$kernel: each parallel loop makes as many references at MINI, and nothing is left out" $status "$tmp/diff"

    # shellcheck disable=SC2086
    timeout 60 "$out/nestwalk" --trace "$nest" $words 2>/dev/null | canonical >"$tmp/described"
    "$shared/$kernel.counted" --trace --size MINI | canonical >"$tmp/run"
    cmp "$tmp/run" "$tmp/described" >"$tmp/diff" 2>&1
    status=$?
    if [ $status -ne 0 ]; then diff "$tmp/run" "$tmp/described" 2>/dev/null | head -n 8 >>"$tmp/diff"; fi
    verdict "$kernel: access by access a run at MINI by one thread ($(wc -l <"$tmp/run"))" $status "$tmp/diff"

    [ -z "$index" ] || continue
    # shellcheck disable=SC2086
    timeout 120 "$out/pricheck" "$nest" $words >"$tmp/diff" 2>&1
    status=$?
    verdict "$kernel: walked private reuse intervals are those of brute force ($(tail -n 1 "$tmp/diff"))" $status "$tmp/diff"
done

# ---- lines: the parallel loops of the source are those described ------------------------------------------------------
for kernel; do
    # the line of the `for` after each pragma, or of the pragma itself: as GCC sees fit, but one a loop and in order
    grep -nE '^#pragma omp parallel for' "polybench/$kernel.c" | cut -d: -f1 >"$tmp/pragmas"
    "$BUILD/pluss" nests --json "$out/nests/$kernel.o" 2>/dev/null |
        python3 -c '
import json, sys
pragmas = [int(line) for line in open(sys.argv[1])]
found = [l.get("line", 0) for r in json.load(sys.stdin)["regions"] for l in r["loops"] if l["parallel"]]
if len(found) != len(pragmas) or any(f - p not in (0, 1) for f, p in zip(found, pragmas)):
    sys.exit(f"pragmas at lines {pragmas}, parallel loops described at {found}")' "$tmp/pragmas" 2>"$tmp/diff"
    verdict "$kernel: the parallel loops stand at their lines" $? "$tmp/diff"
done

if [ $# -eq "$(polybench/sizes.sh | wc -l)" ]; then
    BUILD=$BUILD NESTS=$out/nests polybench/loops.sh --check >"$tmp/diff" 2>&1
    verdict "polybench/loops.csv is what the plugin describes" $? "$tmp/diff"
fi
[ "${PLUSS_TIER:-check}" = full ] && bash tests/kernels/exactness.sh "$@"
exit 0
