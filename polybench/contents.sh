#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The index arrays of a kernel: those whose contents make subscripts or bounds. A walk needs to know what they hold.
#   contents.sh KERNEL                 their names, on one line (nothing: it has none)
#   contents.sh KERNEL SIZE PROGRAM DIR
#       writes what PROGRAM (the kernel's main program) fills them with into files in DIR, prints ARRAY@FILE ...
set -eu
case ${1:?usage: contents.sh KERNEL [SIZE PROGRAM DIR]} in
spmv) arrays="row col" ;;
histogram) arrays=key ;;
*) arrays= ;;
esac
[ $# -gt 1 ] || { echo "$arrays"; exit 0; }
words=
for array in $arrays; do
    "$3" --size "$2" --contents "$array" >"$4/$1-$array"
    words="$words${words:+ }$array@$4/$1-$array"
done
echo "$words"
