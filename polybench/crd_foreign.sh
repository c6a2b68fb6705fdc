#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The model crd on programs of the foreign corpus (tests/foreign): OpenMP programs from Debian's source packages, compiled with
# -fsanitize=thread and linked with libpluss-trace. The exact curve is that of the trace in its order, crd is given each thread's
# own accesses. Lines as those of crd_recorded.sh.
# Usage: FOREIGN=/var/tmp/foreign BUILD=build polybench/crd_foreign.sh
#   TEAMS     default "2 4"
#   ACCESSES  most of a trace; default 20000000
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../build}
case $build in /*) ;; *) build=$(cd .. && pwd)/$build ;; esac
here=$PWD
work=$build/polybench/crd_foreign
mkdir -p "$work"
sources=$FOREIGN/src
../tests/foreign/fetch.sh "$sources" fasttree velvet >&2
cd "$work"
compile() { gcc -O2 -w -fopenmp -DOPENMP -fgnu89-inline -fsanitize=thread "$@"; }
link() { gcc "$@" "$build/libpluss-trace.a" -fopenmp -lm -lz; }

# sequences that mutate, and reads of a genome: the same each time
python3 - <<'END'
import random
draw = random.Random(1)
base = [draw.choice("ACGT") for _ in range(200)]
with open("sequences.fa", "w") as out:
    for i in range(60):
        out.write(f">s{i}\n" + "".join(c if draw.random() > 0.1 + 0.03 * (i % 7) else draw.choice("ACGT") for c in base) + "\n")
genome = "".join(draw.choice("ACGT") for _ in range(20000))
with open("reads.fa", "w") as out:
    for i in range(2000):
        at = draw.randrange(len(genome) - 100)
        out.write(f">r{i}\n{genome[at : at + 100]}\n")
END
compile -c "$sources"/fasttree/*/fasttree.c -o fasttree.o
link fasttree.o -o fasttree
rm -rf velvet && mkdir -p velvet/third-party && cp -r "$sources"/velvet/*/src velvet/src
ln -s /usr/include velvet/third-party/zlib-1.2.3
for main in run run2; do mv velvet/src/$main.c velvet/; done
for source in velvet/src/*.c velvet/*.c; do compile -Ivelvet/src -DMAXKMERLENGTH=31 -DCATEGORIES=2 -c "$source" -o "$source.o"; done
link velvet/src/*.o velvet/run.c.o -o velveth
link velvet/src/*.o velvet/run2.c.o -o velvetg
OMP_NUM_THREADS=1 ./velveth made 21 -short -fasta reads.fa >/dev/null

measure() { # NAME COMMAND...
    local team name=$1
    shift
    for team in ${TEAMS:-2 4}; do
        rm -rf assembly && cp -r made assembly # velvetg goes on from what an earlier run left
        "$build/pluss" trace -T "$team" --accesses "${ACCESSES:-20000000}" -o trace "$@" >/dev/null 2>log || { cat log >&2; continue; }
        "$build/pluss" simulate trace --cache none --json -o exact.json
        "$build/pluss" predict trace --model crd --cache none --json -o model.json
        "$here/crd_recorded.py" model.json exact.json "$name,foreign,$team,recorded,crd"
    done
}
measure fasttree ./fasttree -nt sequences.fa
measure velveth ./velveth again 21 -short -fasta reads.fa
measure velvetg ./velvetg assembly
