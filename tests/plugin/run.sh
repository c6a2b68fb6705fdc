#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The GCC plugin: what it describes, that it changes nothing, how it behaves in a build. TAP.
#   tests/plugin/run.sh [--update] [CASE...]
# A case is a directory of cases/ with input.c (.cc, .f90), expected.nest, and optionally flags (added
# to the command line), expected.err (the plugin's notes; none are expected without it) and since (the first GCC that takes it). Every
# case is compiled with and without optimisation and debugging and must give the same nest and the
# code that the compiler gives without the plugin; in the modes that record it must compile, with
# freed memory overwritten. Tier test takes ten cases, check all of them at some levels, full at all levels and with every GCC that
# is installed (compilers.sh).
# --update writes the expected files anew: read the difference against the
# source before you commit it.
# Tier: test, limit 1800 s (full: 7200 s)
set -u
shopt -s extglob
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
build=${BUILD:-build}
[ "${build#/}" = "$build" ] && build=$root/$build
plugin=$build/pluss.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
unset GCC_COLORS CFLAGS

update=0
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
if [ ! -e "$plugin" ]; then
    echo "not ok - $plugin is there"
    echo "    build it first: make"
    exit 1
fi

failed=0
report() { # name, status, file with detail
    if [ "$2" = 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/    /' "$3" | head -25
        failed=1
    fi
}

# The nests of an object file, one after another.
nests() { # object
    objcopy -O binary --only-section=.pluss.nests --set-section-flags .pluss.nests=alloc "$1" "$1.nests" 2>/dev/null
    if [ -e "$1.nests" ]; then
        tr '\0' '\n' <"$1.nests"
        rm -f "$1.nests"
    fi
}

driver() { # source
    case $1 in
    *.c) echo gcc ;;
    *.cc) echo g++ ;;
    *.f90) command -v gfortran || echo gfortran-12 ;;
    esac
}

version=$(gcc -dumpversion | cut -d. -f1)
# The nest, or the notes, that are expected of this compiler with a level; differs.txt.
expected() { # case, level, nest or err
    local v
    for ((v = version; v > 10; v--)); do
        [ "${2:2:1}" != 0 ] && [ -e "cases/$1/expected.gcc-$v.O2.$3" ] && echo "cases/$1/expected.gcc-$v.O2.$3" && return
        [ -e "cases/$1/expected.gcc-$v.$3" ] && echo "cases/$1/expected.gcc-$v.$3" && return
    done
    [ -e "cases/$1/expected.$3" ] && echo "cases/$1/expected.$3" || echo /dev/null
}

tier=${PLUSS_TIER:-check}
levels=("-O0" "-O2 -g -fchecking=2")  # where the nest is compared,
plain=("-O2 -g -fchecking=2")         # of these the code with and without the plugin,
recorded=("-O0 -g -fchecking=2" "-O2 -fchecking=2") # the modes that record; but for tier full one of them, in turn,
modes=(profile sample) # with one of these, in turn: values and time stamps at each region's ends, and the choice by region of a mode
others=(bind time auto)
if [ "$tier" = full ]; then
    levels=("-O0" "-O1" "-O2 -fchecking=2" "-O3" "-O2 -g" "-O0 -g -fchecking=2")
    plain=("-O0" "-O2 -fchecking=2" "-O2 -g")
fi

run_case() { # directory
    local name=$1 dir=cases/$1 src cc flags level detail=$work/detail object
    src=$(cd "$dir" && ls input.* | head -1)
    cc=$(driver "$src")
    command -v "$cc" >/dev/null || {
        echo "ok - $name # SKIP no $cc"
        return
    }
    [ "$version" -ge "$(cat "$dir/since" 2>/dev/null || echo 0)" ] || {
        echo "ok - $name # SKIP GCC $version does not take it"
        return
    }
    flags="-fopenmp $(cat "$dir/flags" 2>/dev/null)"
    [ "${src##*.}" = f90 ] && flags="$flags -J$work"
    : >"$detail"
    local status=0
    for level in "${levels[@]}"; do
        [ $status = 0 ] || break
        object=$work/$name$level.o # that of -O0 is read by build.sh, too
        # shellcheck disable=SC2086
        (cd "$dir" && $cc -fplugin="$plugin" $flags $level -c "$src" -o "$object") 2>"$work/err" || {
            echo "$cc $level fails:" >>"$detail"
            cat "$work/err" >>"$detail"
            status=1
            continue
        }
        nests "$object" >"$work/nest"
        # What the vectoriser does depends on the level (build.sh); newer compilers warn of older constructs.
        grep -E '(note|warning|error): ' "$work/err" | grep -vE 'pluss: GCC vectorises|\[-Wdeprecated-openmp\]' >"$work/notes"
        if [ $update = 1 ] && [ "$level" = "-O0" ]; then
            cp "$work/nest" "$dir/expected.nest"
            if [ -s "$work/notes" ]; then cp "$work/notes" "$dir/expected.err"; else rm -f "$dir/expected.err"; fi
        fi
        diff -u "$(expected "$name" "$level" nest)" "$work/nest" >"$work/diff" || {
            echo "$level: another nest" >>"$detail"
            cat "$work/diff" >>"$detail"
            status=1
        }
        diff -u "$(expected "$name" "$level" err)" "$work/notes" >"$work/diff" || {
            echo "$level: other notes" >>"$detail"
            cat "$work/diff" >>"$detail"
            status=1
        }
    done
    report "$name: the nest" $status "$detail"

    : >"$detail"
    status=0
    for level in "${plain[@]}"; do
        # shellcheck disable=SC2086
        (cd "$dir" && $cc ${flags//-fplugin-arg-*([^ ])/} $level -c "$src" -o "$work/without.o") 2>>"$detail" || status=1
        # Debugging information included. The sections for accelerators have names drawn at random.
        objcopy -w -R .pluss.nests -R .pluss.symbols -R '.gnu.offload_lto_*' "$work/$name$level.o" "$work/with.bare"
        objcopy -w -R '.gnu.offload_lto_*' "$work/without.o" "$work/without.bare"
        # Contents, relocations and symbols of all sections; the layout of the file may differ.
        (cd "$work" && mv with.bare bare && objdump -srt bare >with.dump && mv without.bare bare && objdump -srt bare >without.dump) || status=1
        diff "$work/without.dump" "$work/with.dump" >>"$detail" || status=1
    done
    report "$name: the code is the same without the plugin" $status "$detail"

    : >"$detail"
    status=0
    ran=$((ran + 1))
    local in_turn=("${recorded[ran % 2]}") modes=("${modes[@]}" "${others[ran % 3]}")
    [ "$tier" = full ] && in_turn=("${recorded[@]}") modes=(bind time profile sample auto)
    for level in "${in_turn[@]}"; do
        for mode in "${modes[@]}"; do
            # shellcheck disable=SC2086
            (cd "$dir" && MALLOC_PERTURB_=165 $cc -fplugin="$plugin" -fplugin-arg-pluss-mode=$mode -fplugin-arg-pluss-notes=off $flags $level -c "$src" -o "$work/o.o") 2>"$work/err" ||
                { echo "mode=$mode $level:"; cat "$work/err"; status=1; } >>"$detail"
        done
    done
    report "$name: the modes that record compile it" $status "$detail"
}

ran=0
cases=("$@")
if [ $# -eq 0 ] && [ "$tier" = test ]; then
    cases=(csr cxx_vectors fortran_shapes gemm_static not_affine not_described reduction schedules tiled triangular)
elif [ $# -eq 0 ]; then
    mapfile -t cases < <(ls cases)
fi
for name in "${cases[@]}"; do run_case "$name"; done
[ $# -gt 0 ] && exit $failed

# Tier full: every GCC that is installed with its plugin headers.
if [ "$tier" = full ]; then bash ./compilers.sh || failed=1; fi

. ./build.sh
exit $failed
