#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches Debian source packages for survey.py, with a configuration of apt's of its own: the
# system's lists and sources stay as they are.
#   tests/foreign/fetch.sh FOLDER PACKAGE...
# Each package goes to FOLDER/PACKAGE, unpacked. Those that are there already are left alone; those
# that cannot be had are named, and it is not an error. Of the compiler's own source, which holds an
# archive, only the OpenMP tests are taken out.
set -eu
[ $# -ge 2 ] || { sed -n '3,8p' "$0" >&2; exit 2; }
folder=$1
shift
command -v apt-get >/dev/null || { echo "fetch.sh: needs apt-get" >&2; exit 1; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"

# The system's Debian repositories, for sources.
for file in /etc/apt/sources.list.d/debian.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$(basename "$file")"
done
if [ -e /etc/apt/sources.list ]; then
    sed -n 's/^deb \(.*debian.*\)/deb-src \1/p' /etc/apt/sources.list >"$apt/parts/main.list"
fi
cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/parts";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "$(id -un)";
END
export APT_CONFIG=$apt/apt.conf
apt-get update -qq

for package; do
    at=$folder/$package
    [ -n "$(find "$at" -mindepth 1 -maxdepth 1 -type d 2>/dev/null)" ] && continue
    mkdir -p "$at"
    if ! (cd "$at" && nice apt-get source -qq "$package" >"$apt/log" 2>&1); then
        # A part of the package may be missing where the upstream source is there.
        source=$(find "$at" -maxdepth 1 -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
        if [ -n "$source" ]; then
            nice tar -xf "$source" -C "$at"
        else
            echo "fetch.sh: $package cannot be had" >&2
            rm -rf "$at"
            continue
        fi
    fi
    for archive in "$at"/*/gcc-*-dfsg.tar.xz; do
        [ -e "$archive" ] && nice tar -xf "$archive" -C "$(dirname "$archive")" --wildcards '*/libgomp/testsuite/*' '*/testsuite/*/gomp/*'
    done
    echo "fetch.sh: $package"
done
