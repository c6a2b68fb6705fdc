#!/usr/bin/env bash
# Every command of README.md's sh blocks, in order, each of which must succeed; and the tables there and in
# docs/accuracy.md are those of the recorded results. TAP. `make test` and `make check` are left out: this is part of them.
# Tier: check, limit 600 s
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
log=$build/readme.log
mkdir -p "$build"
PATH=$(realpath "$build"):$PATH
export PATH
failed=0
while IFS= read -r command; do
    command=${command%% #*}
    case $command in "make test"* | "make check"*) continue ;; esac
    case $command in make\ *) command="${command% } BUILD=$build" ;; *) command=${command//build\//$build/} ;; esac
    if bash -c "$command" >"$log" 2>&1; then
        echo "ok - $command"
    else
        echo "not ok - $command"
        tail -n 10 "$log" | sed 's/^/    /'
        failed=1
    fi
done < <(awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on && NF' README.md)
polybench/tables.py || failed=1
exit $failed
