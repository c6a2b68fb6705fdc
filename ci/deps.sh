#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, from Debian's packages, and says how much that is. Does nothing, quickly, where all is there,
# by whatever means and in whatever version serves.
#   ci/deps.sh [--list[=SYSTEM]] [build|check|full]   each needs what those before it need; the default is check
# --list: only prints the packages that would be installed on a bare system of this release; SYSTEM: the command that installs them on debian12,
# debian13, ubuntu24.04, fedora or arch.
set -u

list= system=
case ${1:-} in
--list) list=1 && shift ;;
--list=debian12 | --list=debian13 | --list=ubuntu24.04 | --list=fedora | --list=arch) list=1 system=${1#*=} && shift ;;
--list=*) echo "ci/deps.sh: ${1#*=} is none of debian12, debian13, ubuntu24.04, fedora, arch" >&2; exit 2 ;;
esac
wanted=${1:-check}
case $wanted in build | check | full) ;; *) echo "ci/deps.sh: $wanted is none of build, check, full" >&2; exit 2 ;; esac

# GCC as it is called here, else the release's own
gcc_version() {
    local version
    case $system in debian12) echo 12 ;; debian13) echo 14 ;; ubuntu24.04) echo 13 ;; esac
    [ -n "$system" ] && return
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
    # a browser, for the page of reports
    [ "$wanted" = full ] && need chromium chromium-driver fonts-dejavu-core -- command_is chromedriver
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
    need gfortran -- fortran_is "${version:-12}"
    # the plugin is tested with the GCC before, too
    other=$((${version:-12} - 1))
    need gcc-$other g++-$other gcc-$other-plugin-dev -- plugin_headers gcc-$other
    # Debian 12 has the clang-format that .clang-format is written for, the clang whose libFuzzer `make fuzz` uses, and two
    # Rusts, of which the one for browsers is recent enough.
    release=$(cut -d. -f1 /etc/debian_version 2>/dev/null)
    [ -z "$system" ] || release=${system#debian}
    if [ "$release" = 12 ]; then
        need clang-14 libclang-rt-14-dev -- command_is clang-14
        need clang-format-14 -- command_is clang-format-14
        need rustc-web cargo-web rust-web-clippy -- rust_serves
    else
        need rustc cargo rust-clippy -- rust_serves
    fi
}
validates_json() { python3 -c 'import jsonschema' || /usr/bin/python3 -c 'import jsonschema'; }
# by that name, but for the one that tests know by its version, too
fortran_is() { command_is gfortran || { [ "$1" = 12 ] && command_is gfortran-12; }; }

# The names of other systems, from their lists of packages: Debian's, Fedora's, Arch's; a - is in what others bring.
names_elsewhere='g++ gcc-c++ gcc
libc6-dev glibc-devel -
pkg-config pkgconf-pkg-config pkgconf
libgsl-dev gsl-devel gsl
libelf-dev elfutils-libelf-devel libelf
libjansson-dev jansson-devel jansson
zlib1g-dev zlib-devel zlib
libzstd-dev libzstd-devel zstd
libisl-dev isl-devel libisl
libgmp-dev gmp-devel gmp
libhwloc-dev hwloc-devel hwloc
chromium-driver chromedriver -
fonts-dejavu-core dejavu-sans-fonts ttf-dejavu
check check-devel check
python3 python3 python
python3-jsonschema python3-jsonschema python-jsonschema
libopenmpi-dev openmpi-devel openmpi
openmpi-bin openmpi -
gfortran gcc-gfortran gcc-fortran
rustc rust rust
rust-clippy clippy -
cargo cargo -'
elsewhere() { # SYSTEM PACKAGE...
    local column=2 package name
    [ "$1" = arch ] && column=3
    shift
    for package; do
        case $package in
        gcc-*-plugin-dev) [ $column = 2 ] && echo gcc-plugin-devel; continue ;;
        gcc-[0-9]* | g++-[0-9]* | clang* | libclang*) continue ;; # for tests that are left out without them
        esac
        name=$(awk -v name="$package" -v column=$column '$1 == name { print $column }' <<<"$names_elsewhere")
        [ "$name" = - ] || echo "${name:-$package}"
    done | sort -u
}
# What installs packages on a system, a line.
say_command() { # SYSTEM PACKAGE...
    local system=$1
    shift
    case $system in
    fedora) echo "dnf install $(elsewhere fedora "$@" | paste -sd' ')" ;;
    arch) echo "pacman -S --needed $(elsewhere arch "$@" | paste -sd' ')" ;;
    *) echo "apt-get install --no-install-recommends $*" ;;
    esac
}
this_system() {
    case " $(sed -nE 's/^(ID|ID_LIKE)=//p' /etc/os-release 2>/dev/null | tr -d '"' | paste -sd' ') " in
    *" fedora "* | *" rhel "*) echo fedora ;;
    *" arch "*) echo arch ;;
    *) echo debian ;;
    esac
}

name_packages
[ -n "$system" ] && say_command "$system" "${packages[@]}" && exit 0
[ -n "$list" ] && printf '%s\n' "${packages[@]}" && exit 0
[ ${#packages[@]} -eq 0 ] && exit 0

fail() {
    echo "ci/deps.sh: $1" >&2
    exit 1
}
# Without root it is for someone else to install them, or for modules, Spack or conda to have them: they are found by pkg-config and PATH.
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
# what has no name elsewhere is for tests that are left out without it
! command_is apt-get && [ "$(this_system)" != debian ] && [ -z "$(elsewhere "$(this_system)" "${packages[@]}")" ] && exit 0
if ! command_is apt-get || { [ -n "$sudo" ] && ! command_is sudo; }; then
    fail "these are missing; as root: $(say_command "$(this_system)" "${packages[@]}")
ci/deps.sh: or without root, by any means that pkg-config and PATH find (docs/install.md, \"Without root\")"
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
