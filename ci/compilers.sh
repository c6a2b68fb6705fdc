#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The matrix of compilers on this Debian: installs each GCC from 11 to 16 that the release has, with its plugin headers, builds
# the plugin for it, and compares the nests of all test cases. Releases: 12 has GCC 11 and 12, 13 has 12, 13 and 14, unstable 13 to
# 16. Needs root; meant for a bare root made by debootstrap, or a container, of each release.
#   ci/compilers.sh [VERSION...]
set -u
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 11 12 13 14 15 16
ci/deps.sh build || exit 1
for version; do
    apt-cache show "gcc-$version-plugin-dev" >/dev/null 2>&1 || continue
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "gcc-$version" "g++-$version" "gfortran-$version" \
        "gcc-$version-plugin-dev" binutils >/dev/null 2>&1 || echo "ci/compilers.sh: GCC $version cannot be installed" >&2
done
exec tests/plugin/compilers.sh "$@"
