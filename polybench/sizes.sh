#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What sizes.csv says, for scripts.
#   sizes.sh                  the kernels' names, one a line
#   sizes.sh KERNEL SIZE      the symbols as options of the command line: -D ni=60 -D nj=70 ...
#   sizes.sh KERNEL SIZE raw  the symbols as assignments: ni=60 nj=70 ...
set -eu
table=$(dirname "$0")/sizes.csv
if [ $# -eq 0 ]; then
    awk -F, 'NR > 1 && $1 != last { print last = $1 }' "$table"
    exit 0
fi
[ $# -ge 2 ] || { echo "usage: sizes.sh [KERNEL SIZE [raw]]" >&2; exit 2; }
symbols=$(awk -F, -v kernel="$1" -v size="$2" '$1 == kernel && $2 == size { print $3 }' "$table")
[ -n "$symbols" ] || { echo "sizes.sh: no size $2 of a kernel $1 in $table" >&2; exit 2; }
if [ "${3:-}" = raw ]; then echo "$symbols"; else echo "-D ${symbols// / -D }"; fi
