#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# misses.sh BASE: fails where the commit that is checked out makes loops miss the caches more than commit BASE does. It builds
# both with the plugin and compares the predicted misses. For continuous integration: github.yml, gitlab.yml and forgejo.yml in
# docs/ci of pluss call it. Needs git, make and pluss (install-pluss.sh); BASE has to be there (no shallow clone).
#
# Settings, from the environment:
#   MISSES_OBJECTS   what `make` makes of the loops, between spaces
#   MISSES_OPTIONS   of `pluss diff`: values of symbols, numbers of threads, regions
#   MISSES_CACHES    the caches; named here, so that the machine that this runs on does not matter
#   MISSES_FAIL      what is too much
set -eu
: "${MISSES_OBJECTS:=kernels.o}" "${MISSES_OPTIONS:=-D n=1000 -T 1,8}"
: "${MISSES_CACHES:=L1=32K:ways=8,L2=1M:ways=16,L3=32M:ways=16:shared}" "${MISSES_FAIL:=+0.5%@L2,+0.5%@L3}"
old=$(mktemp -d)
trap 'git worktree remove --force "$old/base" 2>/dev/null || :; rm -rf "$old"' EXIT
git worktree add --quiet --detach "$old/base" "$1"
for side in "$old/base" .; do
    # shellcheck disable=SC2086
    make -C "$side" CC="pluss cc" CXX="pluss cc --gcc=g++" FC="pluss cc --gcc=gfortran" $MISSES_OBJECTS
done
worst=0
for object in $MISSES_OBJECTS; do
    # shellcheck disable=SC2086
    pluss diff "$old/base/$object" "$object" $MISSES_OPTIONS --cache "$MISSES_CACHES" --fail="$MISSES_FAIL" || {
        status=$?
        [ "$status" -le "$worst" ] || worst=$status
    }
done
exit "$worst"
