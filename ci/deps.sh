#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, from Debian's packages, and says how much that is. Does nothing, quickly, where all is there,
# by whatever means and in whatever version serves.
#   ci/deps.sh [--list] [build|demo|check|full]      each needs what those before it need; the default is check
# --list: only prints the packages that would be installed on a bare system of this release.
set -u

list=
[ "${1:-}" = --list ] && list=1 && shift
wanted=${1:-check}
case $wanted in build | demo | check | full) ;; *) echo "ci/deps.sh: $wanted is none of build, demo, check, full" >&2; exit 2 ;; esac

# GCC as it is called here, else the release's own
gcc_version() {
    local version
    version=$(gcc -dumpversion 2>/dev/null) || version=$(apt-cache depends gcc 2>/dev/null | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p')
    echo "${version%%.*}"
}
rust_serves() { # 1.85 or later
    local version
    command -v rustc >/dev/null && version=$(cargo --version 2>/dev/null | cut -d' ' -f2) &&
        [ "$(printf '%s\n' 1.85 "$version" | sort -V | head -n 1)" = 1.85 ] && cargo clippy --version >/dev/null 2>&1
}
plugin_headers() { [ -e "$("$1" -print-file-name=plugin)/include/gcc-plugin.h" ]; } # COMPILER
command_is() { command -v "$1" >/dev/null; }
library_is() { pkg-config --exists "$1"; }

packages=()
need() { # PACKAGE... -- TEST: the packages, if the test fails
    local names=()
    while [ "$1" != -- ]; do names+=("$1") && shift; done
    shift
    { [ -z "$list" ] && "$@" 2>/dev/null; } || packages+=("${names[@]}")
}
name_packages() {
    local version release other
    version=$(gcc_version)
    need g++ libc6-dev -- command_is g++
    need pkg-config -- command_is pkg-config
    need "gcc-${version:-12}-plugin-dev" -- plugin_headers gcc
    need libgsl-dev -- library_is gsl
    need libelf-dev -- library_is libelf
    need libjansson-dev -- library_is jansson
    need zlib1g-dev -- library_is zlib
    need libzstd-dev -- library_is libzstd
    need libisl-dev libgmp-dev -- library_is isl
    need libhwloc-dev -- library_is hwloc
    [ "$wanted" = build ] && return
    need gnuplot-nox -- command_is gnuplot
    # a browser, for the page of reports
    [ "$wanted" = full ] && need chromium chromium-driver fonts-dejavu-core -- command_is chromedriver
    [ "$wanted" = demo ] && return
    need check -- library_is check
    need valgrind -- command_is valgrind
    need zstd -- command_is zstd
    need binutils -- command_is objdump
    need file -- command_is file
    need python3 -- command_is python3
    need python3-jsonschema -- validates_json
    need man-db -- command_is man
    need cmake -- command_is cmake
    need libopenmpi-dev openmpi-bin -- command_is mpicc
    need "gfortran-${version:-12}" -- fortran_is "${version:-12}"
    # the plugin is tested with the GCC before, too
    other=$((${version:-12} - 1))
    need gcc-$other g++-$other gcc-$other-plugin-dev -- plugin_headers gcc-$other
    # Debian 12 has the clang-format that .clang-format is written for, the clang whose libFuzzer `make fuzz` uses, and two
    # Rusts, of which the one for browsers is recent enough.
    release=$(cut -d. -f1 /etc/debian_version 2>/dev/null)
    if [ "$release" = 12 ]; then
        need clang-14 libclang-rt-14-dev -- command_is clang-14
        need clang-format-14 -- command_is clang-format-14
        need rustc-web cargo-web rust-web-clippy -- rust_serves
    else
        need rustc cargo rust-clippy -- rust_serves
    fi
}
validates_json() { python3 -c 'import jsonschema' || /usr/bin/python3 -c 'import jsonschema'; }
fortran_is() { command_is "gfortran-$1" || command_is gfortran; }

name_packages
[ -n "$list" ] && printf '%s\n' "${packages[@]}" && exit 0
[ ${#packages[@]} -eq 0 ] && exit 0

fail() {
    echo "ci/deps.sh: $1" >&2
    exit 1
}
command_is apt-get || fail "this is no Debian system; docs/install.md says what other systems call: ${packages[*]}"
sudo=
if [ "$(id -u)" -ne 0 ]; then
    command_is sudo || fail "as root, install: ${packages[*]}"
    sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
$sudo apt-get update -qq >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "apt-get update failed"; }
# a bare system has no list of packages before this, and so no name for its GCC
packages=()
name_packages
size=$($sudo apt-get install --assume-no --no-install-recommends "${packages[@]}" 2>/dev/null |
    sed -nE 's/^Need to get ([0-9.,]+ [kMG]?B)(\/[0-9.,]+ [kMG]?B)? of archives.*/\1/p')
echo "ci/deps.sh: installing ${packages[*]} (${size:-?} to download)"
$sudo apt-get install -y -qq --no-install-recommends "${packages[@]}" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "installation failed"
}
