#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages of what is committed (make deb: no network, lintian clean), installed in a bare root with what they depend on and
# nothing else, used, purged: the root then has the files that it had. Needs root, debhelper, and a bare root of this release:
# PACKAGES_ROOT=FOLDER, which is copied, or debootstrap, which makes one. TAP.
# Tier: full, limit 1800 s
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
skip() { echo "ok - packages # SKIP $1"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "root alone can change its root"
command -v dh >/dev/null && command -v lintian >/dev/null || skip "no debhelper, or no lintian"
[ -n "${PACKAGES_ROOT:-}" ] || command -v debootstrap >/dev/null || skip "no bare root, and no debootstrap"
work=$(mktemp -d -p /var/tmp)
root=$work/root log=$work/log failed=0
clean() {
    local mounted
    for mounted in proc dev; do umount "$root/$mounted" 2>/dev/null; done
    if grep -q " $root/" /proc/mounts; then echo "# left alone, as something is mounted there: $root"; else rm -rf --one-file-system "$work"; fi
}
trap clean EXIT
verdict() { # NAME STATUS
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; tail -n 25 "$log" | sed 's/^/    /'; failed=1; fi
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$root" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache -o -path ./tmp -o -path ./proc -o -path ./dev \) -prune -o -print | sort); }

if [ -z "${PACKAGES_BUILT:-}" ]; then
    ci/deb.sh >"$log" 2>&1
    verdict "make deb: built without a network, lintian has nothing to say" $?
fi
mkdir "$work/packages"
find "$BUILD/deb" -name '*.deb' ! -name '*-dbgsym_*' -exec cp {} "$work/packages" \;
[ "$(ls "$work/packages" | wc -l)" -ge 6 ] || { echo "not ok - packages are there"; exit 1; }

if [ -n "${PACKAGES_ROOT:-}" ]; then
    cp -a "$PACKAGES_ROOT" "$root"
else
    # shellcheck disable=SC1091
    debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$log" 2>&1 || { verdict "a bare root" 1; exit 1; }
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null
mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" || { echo "not ok - /proc and /dev in the root"; exit 1; }
mkdir -p "$root/tmp/packages"
cp "$work"/packages/*.deb "$root/tmp/packages"
mkdir "$root/tmp/use"
cp docs/examples/matmul.c tests/install/outside.c "$root/tmp/use"

# what they say that they need, and no more; a compiler driver's C library headers come with libpluss-dev
needed=$(for package in "$work"/packages/*.deb; do dpkg-deb -f "$package" Depends; done | tr , '\n' | sed 's/^ *//; s/ *$//' | grep -vE '^$|pluss' | sort -u | paste -sd,)
inside apt-get update -qq >"$log" 2>&1 && inside apt-get satisfy -y -qq --no-install-recommends "$needed, libc6-dev, pkg-config" >>"$log" 2>&1
verdict "what they depend on is in Debian" $?
files >"$work/before"
inside sh -c 'dpkg --install /tmp/packages/*.deb' >"$log" 2>&1
verdict "installed, by dpkg alone" $?

use() { # NAME COMMAND...
    local name=$1
    shift
    inside sh -euc "cd /tmp/use; $*" >"$log" 2>&1
    verdict "$name" $?
}
use "pluss cc, pluss predict" 'pluss cc --gcc=$(cd /usr/bin && ls gcc-[0-9]*[0-9] | head -n 1) -O2 -fopenmp -c matmul.c -o matmul.o
    pluss predict matmul.o -T 4 -D n=100 --cache 32K | grep "32 KiB"'
use "pluss cc --mode=auto, pluss run" 'pluss cc --gcc=$(cd /usr/bin && ls gcc-[0-9]*[0-9] | head -n 1) --mode=auto -O2 -fopenmp matmul.c -o matmul
    pluss run -T 4 --cache 32K ./matmul 60 | grep "32 KiB"'
use "gcc -fplugin=pluss" '$(cd /usr/bin && ls gcc-[0-9]*[0-9] | head -n 1) -fplugin=pluss -O2 -fopenmp -c matmul.c -o by-name.o
    pluss nests by-name.o | grep multiply'
use "pluss --version names the plugin" 'pluss --version | grep "plugin for GCC [0-9]"'
use "a C program with libpluss-dev" '$(cd /usr/bin && ls gcc-[0-9]*[0-9] | head -n 1) -std=c99 outside.c $(pkg-config --cflags --libs pluss) -o outside && ./outside'
use "pluss sweep under MPI" 'printf "files \"matmul.o\"\nsizes n=20,30\nthreads 1 2\ncaches 32K\nmodels clock\n" >small.sweep
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 pluss sweep small.sweep -o ranks.csv
    pluss sweep small.sweep -o processes.csv; cmp ranks.csv processes.csv'
rm -rf "$root/tmp/use"
inside sh -c 'dpkg --purge $(dpkg-query -W -f "\${Package}\n" | grep pluss)' >"$log" 2>&1
verdict "purged" $?
files | diff "$work/before" - >"$log"
verdict "nothing is left, and nothing is gone" $?
exit $failed
