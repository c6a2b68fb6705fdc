#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Some kernels of a table of exact curves, as a table. Usage: polybench/truth_part.sh TABLE KERNEL...
set -eu
table=$1
shift
awk -v table="$table" -v wanted="$*" '
    BEGIN { n = split(wanted, names, " "); for (i in names) want[names[i]] }
    $1 == "kernels" { print "kernels " n; next }
    $1 == "kernel" { inside = 1; on = $2 in want; if (on) found++; if (on && found > 1) print "" }
    !inside || on && NF
    END { if (found != n) { print table ": not all there: " wanted >"/dev/stderr"; exit 1 } }' "$table"
