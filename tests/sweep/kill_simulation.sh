#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill_simulation.sh PLUSS TRACE: kills a rank other than the first while TRACE comes through a pipe. Within a minute mpirun says that a
# rank was killed, no other rank is left, and there is no report. (mpirun itself is not waited for longer: Debian's sometimes waits for a
# lock of PMIx for ever, after it has ended all ranks.)
set -u
rm -f killed.report fifo
mkfifo fifo
(cat "$2"; sleep 90) >fifo & # the simulation does not end by itself
feeder=$!
mpirun --oversubscribe -n 3 "$1" simulate fifo -o killed.report >killed.log 2>&1 &
job=$!
ranks() { # [NUMBER]: the processes of this job that live
    pgrep -P $job 2>/dev/null | while read -r pid; do
        tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q 'simulate fifo' || continue
        [ $# = 0 ] || tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" || continue
        echo "$pid"
    done
}
rank=
for ((i = 0; i < 300 && ${#rank} == 0; i++)); do sleep 0.1; rank=$(ranks 2); done
sleep 0.5
[ -n "$rank" ] && kill -9 "$rank"
told=1
for ((i = 0; i < 600 && told == 1; i++)); do
    sleep 0.1
    grep -q 'signal 9' killed.log && [ -z "$(ranks)" ] && told=0
done
sleep 1
kill -0 $job 2>/dev/null && kill -9 $job
wait $job 2>/dev/null
status=$?
kill $feeder 2>/dev/null
cat killed.log
[ $told = 0 ] && [ $status -ne 0 ] && [ ! -e killed.report ]
