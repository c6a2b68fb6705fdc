#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The commands of every page of docs/ that has some, and what they print (pages.py; --update writes that into the pages). TAP.
# tests/any-program and tests/rayon execute theirs, which need Rust.
# Tier: check, limit 600 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
ln -s "$build/pluss" "$tmp/bin/pluss"
ln -s "$build/libpluss.so" "$tmp/libpluss.so.1" # as it is installed
export LC_ALL=C.UTF-8 PATH=$tmp/bin:$PATH TMPDIR=$tmp OMP_NUM_THREADS=2 XDG_CONFIG_HOME=$tmp
# the library as pkg-config finds it: its file with the places of this build
sed -e "s|@LIBDIR@|$build|; s|@INCLUDEDIR@|$PWD/ffi|; s|@VERSION@|$(cat VERSION)|" ffi/pluss.pc.in >"$tmp/pluss.pc"
export PKG_CONFIG_PATH=$tmp:${PKG_CONFIG_PATH:-} CPATH=$PWD/ffi LIBRARY_PATH=$build LD_LIBRARY_PATH=$tmp
mapfile -t pages < <(grep -l '^```sh' docs/*.md | grep -vxE 'docs/(any-program|rust)\.md')
[ ${#pages[@]} -gt 0 ] && python3 tests/docs/pages.py "$@" "${pages[@]}"
