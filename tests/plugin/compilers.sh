#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The same nests from every GCC that is installed with its plugin headers: the plugin is built for it, and all cases are
# compiled with and without optimisation. TAP; a line "# gcc V: N of M cases" for each.
#   [CASES="NAME..."] tests/plugin/compilers.sh [--update] [VERSION...]        default: all cases, all versions that there are
# Where the nests differ, a case has a file expected.gcc-FIRST.nest, which is that of version FIRST and of later ones;
# (.O2.nest: with optimisation); differs.txt lists these cases with the reason, and is checked. --update writes such files for the versions given: read them.
set -u
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
build=${BUILD:-build}
[ "${build#/}" = "$build" ] && build=$root/$build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
unset GCC_COLORS CFLAGS
failed=0

update=
[ "${1:-}" = --update ] && update=1 && shift
mapfile -t cases < <(if [ -n "${CASES:-}" ]; then tr ' ' '\n' <<<"$CASES"; else ls cases; fi)
# the list of differences is complete, and has nothing that is not there
diff <(find cases -name 'expected.gcc-*.nest' | sed -E 's|cases/(.*)/expected\.(gcc-[0-9]+).*|\1 \2|' | sort -u) <(grep -v '^#' differs.txt | cut -d: -f1 | sort) >"$work/listed"
if [ -s "$work/listed" ] && [ -z "$update" ]; then
    echo "not ok - differs.txt lists the differences"
    sed 's/^/    /' "$work/listed"
    failed=1
else
    echo "ok - differs.txt lists the differences"
fi
if [ $# -gt 0 ]; then versions=("$@"); else versions=(11 12 13 14 15 16); fi
has_headers() { [ -e "$("gcc-$1" -print-file-name=plugin)/include/gcc-plugin.h" ]; }

nests() { # OBJECT
    objcopy -O binary --only-section=.pluss.nests --set-section-flags .pluss.nests=alloc "$1" "$1.nests" 2>/dev/null
    [ -e "$1.nests" ] && tr '\0' '\n' <"$1.nests"
    rm -f "$1.nests"
}
expected() { # CASE VERSION LEVEL: the file with its nest
    local v
    for ((v = $2; v > 10; v--)); do
        [ "${3:2:1}" != 0 ] && [ -e "cases/$1/expected.gcc-$v.O2.nest" ] && echo "cases/$1/expected.gcc-$v.O2.nest" && return
        [ -e "cases/$1/expected.gcc-$v.nest" ] && echo "cases/$1/expected.gcc-$v.nest" && return
    done
    echo "cases/$1/expected.nest"
}
# --update: that of -O0 is every level's, unless another differs
take_nest() { # CASE VERSION LEVEL
    local of_level=
    [ "${3:2:1}" = 0 ] || of_level=.O2
    cmp -s "$(expected "$@")" "$work/nest" || cp "$work/nest" "cases/$1/expected.gcc-$2$of_level.nest"
}
compile_case() { # CASE VERSION PLUGIN: what is wrong
    local name=$1 version=$2 plugin=$3 src cc flags level
    src=$(cd "cases/$name" && ls input.* | head -1)
    case $src in *.c) cc=gcc ;; *.cc) cc=g++ ;; *) cc=gfortran ;; esac
    cc=$cc-$version
    command -v "$cc" >/dev/null || { echo "no $cc"; return; }
    flags="-fopenmp $(cat "cases/$name/flags" 2>/dev/null)"
    [ "$cc" = "gfortran-$version" ] && flags="$flags -J$work"
    for level in "-O0 -g" "-O2 -fchecking=2"; do
        # shellcheck disable=SC2086
        (cd "cases/$name" && $cc -fplugin="$plugin" $flags $level -c "$src" -o "$work/$version.o") 2>"$work/err" || {
            echo "$cc $level fails:"
            cat "$work/err"
            return
        }
        nests "$work/$version.o" >"$work/nest"
        [ -z "$update" ] || take_nest "$name" "$version" "$level"
        diff -u "$(expected "$name" "$version" "$level")" "$work/nest" || return
    done
}

for version in "${versions[@]}"; do
    if ! command -v "gcc-$version" >/dev/null || ! command -v "g++-$version" >/dev/null || ! has_headers "$version"; then
        echo "ok - gcc $version # SKIP not installed"
        continue
    fi
    plugin=$build/gcc-$version/pluss.so
    if ! make -s -C "$root" PLUGIN_GCC="gcc-$version" BUILD="$build/gcc-$version" "$plugin" >"$work/make" 2>&1; then
        echo "not ok - gcc $version: the plugin builds"
        grep -E 'error' "$work/make" | head -n 20 | sed 's/^/    /'
        failed=1
        continue
    fi
    echo "ok - gcc $version: the plugin builds"
    good=0 all=0
    for name in "${cases[@]}"; do
        [ "$version" -ge "$(cat "cases/$name/since" 2>/dev/null || echo 0)" ] || continue
        compile_case "$name" "$version" "$plugin" >"$work/detail" 2>&1
        if grep -q '^no gfortran' "$work/detail"; then
            echo "ok - gcc $version: $name # SKIP no gfortran-$version"
            continue
        fi
        all=$((all + 1))
        if [ -s "$work/detail" ]; then
            echo "not ok - gcc $version: $name: the same nest"
            sed 's/^/    /' "$work/detail" | head -n 40
            failed=1
        else
            good=$((good + 1))
            echo "ok - gcc $version: $name: the same nest"
        fi
    done
    echo "# gcc $version: $good of $all cases"
done
exit $failed
