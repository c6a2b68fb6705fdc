#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill_ranks.sh PLUSS SPEC EXPECTED KILLS RANKS: begins the sweep under mpirun, kills a rank drawn at random at a time drawn at
# random, KILLS times, each time going on with --resume; then lets it end. The job must end by itself, the journal must only
# grow, no cell may be in it twice, and the table must be EXPECTED.
set -u
pluss=$1 spec=$2 expected=$3 kills=$4 ranks=$5
out=killed.csv fault=0
rm -f $out $out.cells
RANDOM=$((ranks * 1000 + kills))
say() { echo "$1"; fault=1; }
count() { { grep -ac "^cell " $out.cells 2>/dev/null || true; } | grep . || echo 0; }

for ((k = 1; k <= kills; k++)); do
    before=$(count)
    timeout 300 mpirun --oversubscribe -n "$ranks" "$pluss" sweep "$spec" --resume -o $out >killed.log 2>&1 &
    job=$!
    wanted=$((before + 1 + RANDOM % 10)) # cells
    for ((i = 0; i < 2000; i++)); do
        [ -e $out ] || [ "$(count)" -ge $wanted ] && break
        sleep 0.02
    done
    victims=$(pgrep -f "^$pluss sweep $spec --resume -o $out" --parent "$(pgrep -P $job | head -n 1)" 2>/dev/null)
    [ -n "$victims" ] && kill -9 "$(shuf -n 1 --random-source=<(yes $RANDOM) <<<"$victims")" 2>/dev/null
    wait $job
    status=$?
    [ -e $out ] && break # it was faster
    [ $status -ne 0 ] || say "kill $k: the job ended with status 0"
    [ $status -ne 124 ] || say "kill $k: the job did not end"
    [ "$(count)" -ge "$before" ] || say "kill $k: finished cells are gone"
    echo "kill $k: $(count) cells"
done
mpirun --oversubscribe -n "$ranks" "$pluss" sweep "$spec" --resume -o $out >killed.log 2>&1 || say "the last run failed: $(cat killed.log)"
cmp $out "$expected" || say "another table"
[ ! -e $out.cells ] || say "a journal is left"
exit $fault
