#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every kernel's result against its reference: check.sh OUT [KERNEL...], with OUT the folder of the
# programs. TAP lines, and a count at the end; exit status 0 only if all is well.
# CHECK_SIZES: the sizes, "MINI SMALL" by default. Teams of 1, 2 and 4; the schedule clause as it
# stands in the source (none), then static, static,1 and dynamic,1 chosen at run time.
set -u
out=$1
shift
[ $# -gt 0 ] || set -- $("$(dirname "$0")/sizes.sh")
# more threads than processors: do not spin
export OMP_WAIT_POLICY=passive OMP_DYNAMIC=false
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for kernel; do
    for size in ${CHECK_SIZES:-MINI SMALL}; do
        for program in "$out/$kernel" "$out/$kernel.runtime"; do
            lines=$("$program" --check --size "$size")
            status=$?
            echo "$lines"
            # a program that died, or said nothing, is a failure of its own
            if ! grep -q '^not ok' <<<"$lines" && { [ $status -ne 0 ] || ! grep -q '^ok' <<<"$lines"; }; then
                echo "not ok - $program --check --size $size ended with status $status"
            fi
        done
    done
done | tee "$log"
passed=$(grep -c '^ok' "$log")
failed=$(grep -c '^not ok' "$log")
echo "# $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
