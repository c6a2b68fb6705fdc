#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiles every C file, and every header by itself, and prints the warnings and errors: neither `make all` nor `make tests`
# builds all of them. Writes no object; needs what the build generates (`make products`).
#
#   git ls-files '*.c' '*.h' '*.cc' | ci/syntax.sh
#
# Warnings are those of the Makefile, with three exceptions by folder:
#   tests/*/{cases,inputs,programs,linked,refused}: programs as users write them; they compile, in whatever style, and their
#       headers need not compile by themselves
#   tests/foreign/inputs: a package that cannot be built as a whole; left out
#   other tests, docs/examples and polybench: kernels have arrays of variable length and no prototypes
# tests/plugin compiles its own cases, tests/polybench the kernels and their references, without a warning.
set -u
export BUILD=${BUILD:-build}
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$BUILD/polybench"
make --no-print-directory -s -C "$top/polybench" OUT="$(realpath "$BUILD/polybench")" "$(realpath "$BUILD/polybench")/sizes.inc" >/dev/null
WARNINGS=$(sed -n 's/^WARN *= \(.*\) \$(WERROR)$/\1/p' "$top/Makefile")
[ -n "$WARNINGS" ] || { echo "ci/syntax.sh: no warnings found in the Makefile"; exit 1; }
C_FLAGS="-std=gnu11 -O2 -fopenmp -fsyntax-only -D_GNU_SOURCE -DPLUSSI_VERSION=\"$(cat "$top/VERSION")\" -I. -Iruntime -Iffi -Itests/unit \
-Itests/oracle -Ipolybench -Ipolybench/driver -I$BUILD/include -I$BUILD/polybench"
CXX_FLAGS="-std=gnu++17 -fno-rtti -fno-exceptions -fsyntax-only -Wall -Wextra -isystem $(gcc -print-file-name=plugin)/include -I. -Igcc-plugin -Iruntime"
export WARNINGS C_FLAGS CXX_FLAGS
files=$(cat)
# headers that the build has compiled by themselves, as a source includes them first
INCLUDED_FIRST=" $(grep -E '\.cc?$' <<<"$files" | while read -r source; do
    for object in "$BUILD/obj/$source.o" "$BUILD/plugin-obj/$source.o"; do
        if [ "$object" -nt "$source" ]; then echo "$source"; break; fi
    done
done | xargs -r awk 'FNR == 1 { found = 0 } !found && /^ *#include/ { found = 1; if (gsub(/"/, "", $2)) print FILENAME, $2 }' |
    while read -r source header; do
        for header in "${source%/*}/$header" {runtime,ffi,gcc-plugin}/"$header"; do
            if [ -e "$header" ] && { [ "$BUILD/obj/$source.o" -nt "$header" ] || [ "$BUILD/plugin-obj/$source.o" -nt "$header" ]; }; then echo "$header"; fi
        done
    done | sort -u | tr '\n' ' ')"
export INCLUDED_FIRST

compile() { # FILE
    local style=$WARNINGS
    [ "$BUILD/obj/$1.o" -nt "$1" ] && return # compiled, with these warnings
    case $INCLUDED_FIRST in *" $1 "*) return ;; esac
    case $1 in
    *.cc | tests/foreign/inputs/* | tests/plugin/cases/*) return ;;
    polybench/reference/*_ref.c) return ;;
    polybench/*/*) style+=" -Wno-vla" ;;
    polybench/*.c) return ;;
    cli/mpi/*.c) [ -e "$BUILD/pluss-mpi.so" ] && return ;; # compiled with mpicc, with these warnings
    tests/*/cases/* | tests/*/inputs/* | tests/*/programs/* | tests/*/linked/* | tests/*/refused/*)
        [ "${1##*.}" = c ] || return
        style=-w ;;
    runtime/* | ffi/* | cli/* | gcc-plugin/*) ;;
    tests/* | docs/*) style+=" -Wno-vla -Wno-missing-prototypes" ;;
    *) style+=" -Wno-vla" ;;
    esac
    case $1 in
    gcc-plugin/*.h) g++ $CXX_FLAGS -x c++ - <<<"#include \"$1\"" 2>&1 ;;
    *.h) gcc $C_FLAGS $style -x c - <<<"#include \"$1\"" 2>&1 ;;
    *.c) gcc $C_FLAGS $style "$1" 2>&1 ;;
    esac | grep -E ' (warning|error|fatal error): '
}
export -f compile
xargs -r -P "$(nproc)" -n 16 <<<"$files" bash -c 'for file; do compile "$file"; done; true' _
