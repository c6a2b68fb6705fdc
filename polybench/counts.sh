#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The hand counts of references in the kernels' headers, by themselves or against counted ones.
#   counts.sh                            kernel,loop,innermost,formula for every loop (0: serial)
#   counts.sh -e SIZE [KERNEL...]        kernel,loop,count: the formulas' values at a size
#   counts.sh -c OUT [SIZE [KERNEL...]]  TAP: the same against what the programs OUT/<kernel>.counted
#                                        count while they run (see driver/refcount.h); MINI by default
set -eu
cd "$(dirname "$0")"

formulas() { # [KERNEL...]
    local kernel
    for kernel in "${@:-$(./sizes.sh)}"; do
        for kernel in $kernel; do
            sed -nE -e 's/^ \*   serial: (.*) in all$/'"$kernel"',0,,\1/p' \
                -e 's/^ \*   loop ([0-9]+): ([0-9, ]+) innermost, (.*) in all$/'"$kernel"',\1,\2,\3/p' "$kernel.c" |
                sed -E ':a; s/^([^,]*,[0-9]+,[0-9 ]+), ([0-9])/\1 \2/; ta'
        done
    done
}

values() { # SIZE [KERNEL...]
    local size=$1 kernel loop innermost formula
    shift
    formulas "$@" | while IFS=, read -r kernel loop innermost formula; do
        (
            for binding in $(./sizes.sh "$kernel" "$size" raw); do declare -i "$binding"; done
            echo "$kernel,$loop,$((formula))"
        )
    done
}

case ${1:-} in
'') formulas ;;
-e)
    shift
    values "$@"
    ;;
-c)
    out=$2
    size=${3:-MINI}
    [ $# -le 3 ] && set -- -c "$out" "$size" $(./sizes.sh)
    shift 3
    failed=0
    for kernel; do
        hand=$(values "$size" "$kernel" | cut -d, -f2,3)
        # a kernel without serial references has no such line
        counted=$("$out/$kernel.counted" --size "$size" --counts | sed -E 's/^serial /0,/; s/^loop ([0-9]+) /\1,/' | grep -v '^0,0$')
        if [ -n "$hand" ] && [ "$hand" = "$counted" ]; then
            echo "ok - $kernel $size: $(wc -l <<<"$hand") hand counts are what a run counts"
        else
            echo "not ok - $kernel $size: hand counts are not what a run counts"
            diff <(echo "$hand") <(echo "$counted") | sed 's/^/    /'
            failed=1
        fi
    done
    exit $failed
    ;;
*)
    sed -n 's/^# \{0,1\}//; 3,8p' "$0" >&2
    exit 2
    ;;
esac
