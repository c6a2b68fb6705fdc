#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a release needs, as far as a script can tell: the number is the same everywhere, the changes have a date, two clones give the same
# tarball, and what is in it builds and passes the tests. Then the list of what is left (CONTRIBUTING.md, "A release").
#   ci/release.sh [--numbers]      --numbers: of the numbers alone, which also holds between releases
set -u
cd "$(dirname "$0")/.."
version=$(cat VERSION)
failed=0
verdict() { # status, what
    if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2" && failed=1; fi
}
same() { # FILE, what it has to hold, at the beginning of a line
    grep -q "^$2" "$1"
    verdict $? "$1 has ${2%\$}"
}
IFS=. read -r major minor patch <<<"$version"
same ffi/pluss.h "#define PLUSS_VERSION_MAJOR $major\$"
same ffi/pluss.h "#define PLUSS_VERSION_MINOR $minor\$"
same ffi/pluss.h "#define PLUSS_VERSION_PATCH $patch\$"
same ffi/pluss.h "#define PLUSS_VERSION \"$version\"\$"
same CITATION.cff "version: $version\$"
same ci/debian/changelog "pluss ($version-"
same ci/spack/package.py "    version(\"$version\""
same bindings/rust/Cargo.toml "version = \"$version\"\$"
same CHANGELOG.md "## $version ("
[ "${1:-}" = --numbers ] && exit $failed

same CHANGELOG.md "## $version ([0-9]\{4\}-[0-9][0-9]-[0-9][0-9])\$"
[ -z "$(git status --porcelain)" ]
verdict $? "nothing is uncommitted"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for clone in one two; do
    git clone -q --no-local . "$work/$clone" && make --no-print-directory -s -C "$work/$clone" dist >"$work/$clone.log" 2>&1
    verdict $? "a tarball of clone $clone"
done
tarball=pluss-$version.tar.gz
cmp "$work/one/build/$tarball" "$work/two/build/$tarball"
verdict $? "both tarballs are the same: $(sha256sum <"$work/one/build/$tarball" | cut -d' ' -f1)"
tar -C "$work" -xzf "$work/one/build/$tarball" && make --no-print-directory -C "$work/pluss-$version" test >"$work/test.log" 2>&1
verdict $? "the tarball builds, and passes make test: $(tail -n 1 "$work/test.log")"

ci/semver.sh
verdict $? "the crates' interfaces have no more changes than the version says"

echo
sed -n '/^## A release$/,/^## /{ /^## /d; p; }' CONTRIBUTING.md
exit $failed
