#!/usr/bin/env bash
# Stated errors hold the exact curve: a few nests of some families of `make coverage`. TAP.
# Tier: check, limit 300 s
cd "$(dirname "$0")/../.." || exit 1
case ${BUILD:=build} in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make --no-print-directory -s -C polybench BUILD="$BUILD" "$BUILD/polybench/coverage" >"$tmp/log" 2>&1 &&
    "$BUILD/polybench/coverage" "$tmp" 2 1 single triangle vectors reduction lengths chunks >"$tmp/table" 2>>"$tmp/log"
[ $? -le 1 ] || cat "$tmp/log" # 1: a share is not within the bounds of the whole table
verdict() { # NAME, condition on the fields of the last line
    if awk -v n=0 "\$1 == \"all\" { n++; good = $2 } END { exit !(n == 1 && good) }" "$tmp/table" 2>/dev/null; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/    /' "$tmp/table"
    fi
}
verdict "95 % intervals hold the exact curve in at least 92 % of the points" '$7 + 0 >= 92'
verdict "and are not wider than 3 points on average" '$6 <= 3'
