#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make sweep`: a sweep of 10,240 cells with 1, 2 and 8 ranks and with processes, to the byte; 20 ranks killed at random; the
# efficiency of two processes against one. Needs MPI. Ten minutes; results are printed.
set -u
cd "$(dirname "$0")/../.."
BUILD=$(realpath "${BUILD:-build}")
here=$PWD/tests/sweep
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here"/*.nest "$here"/*.sweep "$tmp"
cd "$tmp" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
pluss=$BUILD/pluss fault=0
[ -e "$BUILD/pluss-mpi.so" ] && command -v mpirun >/dev/null || { echo "there is no mpirun, or pluss was built without MPI"; exit 1; }
timed() { # NAME COMMAND...: real seconds, and seconds of processor
    local name=$1 TIMEFORMAT='%R s, %U s of processor'
    shift
    printf '%s: ' "$name"
    time "$@" 2>&1
}
timed "1 process" "$pluss" sweep large.sweep -j 1 -o one.csv
timed "2 processes" "$pluss" sweep large.sweep -j 2 -o two.csv
cmp one.csv two.csv || fault=1
echo "$(tail -n 1 one.csv | cut -d, -f1) is the last cell, $(grep -c . one.csv) lines, $(cut -d, -f27 one.csv | grep -c OK) rows with figures"
for n in 1 2 8; do
    timed "$n ranks" mpirun --oversubscribe -n $n "$pluss" sweep large.sweep -o "ranks$n.csv"
    cmp one.csv "ranks$n.csv" && echo "the same bytes" || fault=1
done
bash "$here/kill_ranks.sh" "$pluss" large.sweep one.csv 20 4 || fault=1
sha256sum one.csv | cut -c1-16
exit $fault
