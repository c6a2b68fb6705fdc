#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every mode of the plugin at every level of optimisation, on the repository's sources: the compiler must not crash, nor the
# analysis in its child process, nor may the checks of GCC's intermediate code find anything. Freed memory is overwritten
# (MALLOC_PERTURB_). TAP, one line a source.
#   tests/modes/run.sh               a fixed sample, two levels; in tier full as --all
#   tests/modes/run.sh --all         everything, -O0 to -O3
#   tests/modes/run.sh --valgrind    everything, profile and sample under valgrind: no error with the plugin in its stack
#   tests/modes/run.sh [--all|--valgrind] FILE|FOLDER...    those sources instead
# Tier: check, limit 900 s (full: 14400 s)
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
export plugin=$build/pluss.so LC_ALL=C modes="describe bind time sample profile auto" levels="-O0;-O2" how=compile
unset GCC_COLORS CFLAGS
all=0
[ $# -eq 0 ] && [ "${PLUSS_TIER:-check}" = full ] && set -- --all
case ${1:-} in
--all) all=1 levels="-O0;-O1;-O2;-O3 -g" && shift ;;
--valgrind) all=1 levels=-O1 modes="sample profile" how=valgrind && shift ;;
esac
if [ ! -e "$plugin" ]; then
    echo "not ok - $plugin is there"
    exit 1
fi
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

sources() { find "$@" -type f \( -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.f90' -o -name '*.F90' -o -name '*.f' \) | sort; }
if [ $# -gt 0 ]; then
    list=$(sources "$@")
elif [ $all = 1 ]; then
    list=$(sources tests/plugin/cases tests/objects tests/foreign/inputs tests/profile tests/sampler tests/run tests/races \
        tests/libgomp tests/progress tests/calibrate tests/kernels tests/truth tests/polybench polybench 2>/dev/null)
else
    list=$(printf '%s\n' tests/objects/inputs/*.c tests/profile/cases/*.cc tests/profile/cases/*.f90 tests/sampler/cases/*.c \
        polybench/*.c | sort | awk 'NR % 12 == 5')
fi

# Prints a line; the details of what went wrong behind it.
one() { # SOURCE
    local source=$1 compiler flags=(-fopenmp -Ipolybench -Iruntime -Iffi "-I$(dirname "$1")") case_flags name level mode out status ran=0 bad=""
    case $source in
    *.c) compiler=gcc ;;
    *.cc | *.cpp) compiler=g++ ;;
    *) compiler=$(command -v gfortran || echo gfortran-12) ;;
    esac
    name=$(mktemp -d "$work/XXXXXX")
    [ "$compiler" = gcc ] || [ "$compiler" = g++ ] || flags+=("-J$name")
    # shellcheck disable=SC2207
    case_flags=($(grep -hv -e '-fplugin' "$(dirname "$source")/flags" 2>/dev/null))
    flags+=("${case_flags[@]}")
    if ! timeout 300 "$compiler" "${flags[@]}" -O0 -S "$source" -o "$name/o.s" >/dev/null 2>&1; then
        echo "ok - $source # SKIP does not compile by itself"
        return
    fi
    IFS=';' read -ra each <<<"$levels"
    for level in "${each[@]}"; do
        for mode in $modes; do
            local run=("$compiler" "-fplugin=$plugin" "-fplugin-arg-pluss-mode=$mode" "${flags[@]}")
            [ $how = valgrind ] && run+=(-wrapper "valgrind,-q,--trace-children=no,--num-callers=40,--log-file=$name/valgrind.%p")
            # shellcheck disable=SC2086
            out=$(MALLOC_PERTURB_=165 timeout 600 "${run[@]}" $level -fchecking=2 -S "$source" -o "$name/o.s" 2>&1)
            status=$?
            ran=$((ran + 1))
            if [ $status != 0 ] || grep -qE 'its analysis (failed|takes)|internal compiler error' <<<"$out"; then
                bad+="mode=$mode $level: status $status"$'\n'$(grep -E 'error|its analysis|Segm' <<<"$out" | head -3)$'\n'
            fi
            # valgrind knows nothing of GCC's own collector: an error is the plugin's if that is in its stack
            if [ $how = valgrind ]; then
                grep -qs 'pluss.so\|gcc-plugin/' "$name"/valgrind.* &&
                    bad+="mode=$mode $level:"$'\n'$(grep -hs -B6 -A2 -m3 'pluss.so\|gcc-plugin/' "$name"/valgrind.* | head -12)$'\n'
                rm -f "$name"/valgrind.*
            fi
        done
    done
    if [ -z "$bad" ]; then
        echo "ok - $source, $ran times"
    else
        printf '%s\n' "not ok - $source
$(sed 's/^/    /' <<<"$bad" | cut -c1-200 | head -24)"
    fi
    rm -rf "$name"
}
export -f one
printf '%s\n' "$list" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one "$1"' _ {} | tee "$work/tap"
! grep -q '^not ok' "$work/tap"
