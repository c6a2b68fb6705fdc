#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make deb`: Debian packages of what is committed, in $BUILD/deb, and what lintian says of them. debian/ is made of ci/debian: the
# plugin's package has the name of this release's GCC, and the tarball of the project has none of Debian's files at its top.
# Nothing is fetched: where there may be name spaces, the build has no network. DEB_BUILD_OPTIONS=nocheck leaves out the suites.
#   ci/deb.sh [GCC-VERSION]
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build}")
gcc=${1:-$(gcc -dumpversion | cut -d. -f1)}
version=$(cat VERSION)
out=$build/deb
for tool in dpkg-buildpackage dh; do
    command -v $tool >/dev/null || { echo "ci/deb.sh: there is no $tool; install build-essential and debhelper" >&2; exit 1; }
done
rm -rf "$out"
mkdir -p "$out"
make --no-print-directory -s dist BUILD="$build" >/dev/null
cp "$build/pluss-$version.tar.gz" "$out/pluss_$version.orig.tar.gz"
tar -C "$out" -xzf "$out/pluss_$version.orig.tar.gz"
tree=$out/pluss-$version
cp -R "$tree/ci/debian" "$tree/debian"
for file in control.in rules gcc-plugin-pluss.install; do
    sed -i "s/@GCC@/$gcc/g" "$tree/debian/$file"
done
mv "$tree/debian/control.in" "$tree/debian/control"
mv "$tree/debian/gcc-plugin-pluss.install" "$tree/debian/gcc-$gcc-plugin-pluss.install"
cd "$tree"
apart=()
unshare --net --map-root-user true 2>/dev/null && apart=(unshare --net --map-root-user)
"${apart[@]}" dpkg-buildpackage -us -uc -j"$(nproc)" >"$out/log" 2>&1 || {
    tail -n 40 "$out/log" >&2
    exit 1
}
cd "$out"
rm -rf "$tree"
ls -- *.deb *.dsc
! command -v lintian >/dev/null || lintian --allow-root --fail-on error,warning ./*.changes
