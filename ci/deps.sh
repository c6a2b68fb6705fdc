#!/usr/bin/env bash
# Installs the Debian packages that building and testing need and that are missing, and says which.
# Does nothing, quickly, when all is there. Usage: ci/deps.sh [--list]
set -eu

packages=(
    build-essential pkg-config            # gcc, g++, make
    gcc-12-plugin-dev                     # GCC's internal headers
    gcc-11 g++-11 gcc-11-plugin-dev       # the plugin is tested with both
    gfortran-12
    libgsl-dev libelf-dev libjansson-dev zlib1g-dev libhwloc-dev
    check valgrind
    clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 libomp-14-dev
    gnuplot-nox binutils file python3 man-db cmake
)

# Rust 1.85 or later, by whatever means; else Debian's: in Debian 12 rustc is 1.63, rustc-web is recent.
rust_is_there() {
    local version
    command -v rustc >/dev/null && version=$(cargo --version 2>/dev/null | cut -d' ' -f2) &&
        [ "$(printf '%s\n' 1.85 "$version" | sort -V | head -n 1)" = 1.85 ]
}
if [ "${1:-}" = --list ] || ! rust_is_there; then
    case $(cat /etc/debian_version 2>/dev/null) in
        12 | 12.*) packages+=(rustc-web cargo-web rust-web-clippy) ;;
        *) packages+=(rustc cargo rust-clippy) ;;
    esac
fi

if [ "${1:-}" = --list ]; then printf '%s\n' "${packages[@]}"; exit 0; fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || :)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

command -v apt-get >/dev/null || { echo "ci/deps.sh: not a Debian system; needed are: ${missing[*]}" >&2; exit 1; }
sudo=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "ci/deps.sh: as root, install: ${missing[*]}" >&2; exit 1; }
    sudo=sudo
fi
echo "ci/deps.sh: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "ci/deps.sh: installation failed (whole log: $log)" >&2
    exit 1
fi
rm -f "$log"
