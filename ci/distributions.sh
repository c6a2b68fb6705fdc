#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A target of the Makefile in bare roots of distributions: what a newcomer meets there. Each run works in a copy of the root, with a
# clone of what is committed. A line for each: what was downloaded, how long it took, what the tests say. Needs root.
#   ci/distributions.sh [--keep] TARGET SUITE[=ROOT]...      e.g.  ci/distributions.sh demo bookworm trixie=/srv/roots/trixie sid
# ROOT: a folder with a bare system, which has make, git and ca-certificates; without one, debootstrap makes it in
# DISTRIBUTIONS=/var/tmp/pluss-distributions, once. --keep keeps the copies. Exit status 1: the target failed somewhere.
set -u
cd "$(dirname "$0")/.."
keep=
[ "${1:-}" = --keep ] && keep=1 && shift
target=${1:?a target of the Makefile is expected}
shift
[ $# -gt 0 ] || { echo "ci/distributions.sh: a suite is expected, as in bookworm, trixie or sid" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "ci/distributions.sh: root alone can change its root" >&2; exit 1; }
base=${DISTRIBUTIONS:-/var/tmp/pluss-distributions}
mkdir -p "$base"
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(http[^ ]*\) .*/\1/p' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /dev/null 2>/dev/null | head -n 1)

root_of() { # SUITE[=ROOT]
    local suite=${1%%=*} root
    case $1 in *=*) echo "${1#*=}"; return ;; esac
    root=$base/$suite
    if [ ! -e "$root.ok" ]; then
        rm -rf "$root"
        debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 || return
        cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
        touch "$root.ok"
    fi
    echo "$root"
}
leave() { # COPY
    local mounted
    for mounted in dev/shm dev sys proc; do umount "$1/$mounted" 2>/dev/null; done
    if [ -n "$keep" ]; then echo "# kept: $1"; elif ! grep -q " $1/" /proc/mounts; then rm -rf --one-file-system "$1"; fi
}
run() { # SUITE ROOT
    local copy=$base/$1.$$ log=$base/$1-$target.log status TIMEFORMAT='%R s, %U s of processor'
    cp -a "$2" "$copy"
    cp /etc/resolv.conf /etc/hosts "$copy/etc/"
    cp -L /etc/ssl/certs/ca-certificates.crt "$copy/etc/ssl/certs/"
    mount -t proc proc "$copy/proc" && mount -t sysfs -o ro sysfs "$copy/sys" && mount --bind /dev "$copy/dev" && mount --bind /dev/shm "$copy/dev/shm"
    git clone -q --no-local . "$copy/srv/project"
    {
        time env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 TERM=dumb \
            chroot "$copy" bash -c "cd /srv/project && make $target" >"$log" 2>&1 </dev/null
    } 2>"$log.time"
    status=$?
    printf '%-10s make %-6s %-6s GCC %-8s %s, %s to download; %s\n' "$1" "$target" "$([ $status -eq 0 ] && echo ok || echo FAILED)" \
        "$(chroot "$copy" gcc -dumpfullversion 2>/dev/null)" "$(cat "$log.time")" "$(sed -n 's/^ci\/deps.sh: installing.*(\(.*\) to download)$/\1/p' "$log" | paste -sd+)" \
        "$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)"
    [ $status -eq 0 ] || grep -A8 -E '^ *not ok' "$log" | head -n 40 || tail -n 20 "$log"
    leave "$copy"
    return $status
}
failed=0
for suite; do
    root=$(root_of "$suite")
    if [ -z "$root" ] || [ ! -d "$root/etc" ]; then
        echo "${suite%%=*}: no root; $base/${suite%%=*}.log" && failed=1
        continue
    fi
    run "${suite%%=*}" "$root" || failed=1
done
exit $failed
