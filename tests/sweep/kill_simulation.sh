#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill_simulation.sh PLUSS TRACE: kills a rank other than the first while TRACE comes through a pipe; mpirun ends within a minute, says
# that a rank was killed, and there is no report.
set -u
rm -f killed.report fifo
mkfifo fifo
(cat "$2"; sleep 20) >fifo & # the simulation does not end by itself
feeder=$!
timeout 60 mpirun --oversubscribe -n 3 "$1" simulate fifo -o killed.report >killed.log 2>&1 &
job=$!
rank=
for ((i = 0; i < 200 && ${#rank} == 0; i++)); do
    sleep 0.1
    rank=$(grep -lz '^OMPI_COMM_WORLD_RANK=2$' /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
        tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q 'simulate fifo' && echo "$pid"; done | head -n 1)
done
kill -9 "$rank" || exit 1
wait $job
status=$?
kill $feeder 2>/dev/null
cat killed.log
[ $status -ne 0 ] && [ $status -ne 124 ] && grep -q 'signal 9' killed.log && [ ! -e killed.report ]
