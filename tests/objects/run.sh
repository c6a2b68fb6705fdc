#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Nests in object files, whatever way a program is built: nothing lost, nothing twice, and not a
# byte of the program another one. TAP.
#   tests/objects/run.sh [PART...]   builds, paths, versions, identity, oddities; default: all
# The identity part compiles every kernel at one level, one after another of them, and in tier full at every one; versions,
# which builds the plugin for another compiler, runs in tier full alone.
# Tier: check, limit 900 s
set -u
cd "$(dirname "$0")" || exit 1
here=$PWD
root=$(cd ../.. && pwd)
build=${BUILD:-build}
[ "${build#/}" = "$build" ] && build=$root/$build
plugin=$build/pluss.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
unset GCC_COLORS CFLAGS MAKEFLAGS
mkdir "$work/bin"
ln -s "$build/pluss" "$work/bin/pluss"
export PATH=$work/bin:$PATH

for file in "$build/pluss" "$plugin"; do
    [ -e "$file" ] && continue
    echo "not ok - $file is there"
    echo "    build it first: make"
    exit 1
done

failed=0
verdict() { # name, status, file with detail
    if [ "$2" = 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        [ -e "${3:-}" ] && sed 's/^/    /' "$3" | head -n 30
        failed=1
    fi
}
skip() { echo "ok - $1 # SKIP $2"; }

# A folder of its own with the inputs, to work in.
fresh() {
    rm -rf "$work/in"
    cp -r "$here/inputs" "$work/in"
    cd "$work/in" || exit 1
}

# The nests' names and places, in alphabetic order, one a line: "one one.c:8".
names() { pluss nests "$1" 2>&1 | grep '^[^ ]' | tr -s ' ' | sort; }
# Those that are marked as without a symbol.
unlinked() { pluss nests "$1" 2>&1 | awk '/^[^ ]/ { name = $1 } /not in the symbol table/ { print name }' | sort; }

expect_names() { # name, file, wanted lines as arguments
    local name=$1 file=$2
    shift 2
    diff <(printf '%s\n' "$@" | sort) <(names "$file") >"$work/detail" 2>&1
    verdict "$name" $? "$work/detail"
}
expect_unlinked() { # name, file, wanted names (none: none)
    local name=$1 file=$2
    shift 2
    diff <([ $# = 0 ] || printf '%s\n' "$@" | sort) <(unlinked "$file") >"$work/detail" 2>&1
    verdict "$name" $? "$work/detail"
}

# A file without the plugin's sections, written anew: equal ones have equal contents.
bare() { objcopy -R .pluss.nests -R .pluss.symbols "$1" "$2"; }
same_code() { # name, file with the plugin, file without
    { bare "$2" "$work/bare.with" && bare "$3" "$work/bare.without" &&
        cmp "$work/bare.with" "$work/bare.without"; } >"$work/detail" 2>&1
    verdict "$1" $? "$work/detail"
}
# Raw contents of the section of nests.
section() { # file, section
    # two may run side by side: a file for each
    local raw
    raw=$(mktemp "$work/raw.XXXXXX")
    objcopy -O binary --only-section="$2" --set-section-flags "$2=alloc" "$1" "$raw" 2>/dev/null && cat "$raw"
    rm -f "$raw"
}

parts=("$@")
if [ ${#parts[@]} = 0 ]; then
    parts=(builds paths oddities identity)
    [ "${PLUSS_TIER:-check}" = full ] && parts+=(versions)
fi
for part in "${parts[@]}"; do
    # shellcheck disable=SC1090
    . "$here/$part.sh"
done
exit $failed
