#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pluss diff on files of every kind: a change that spoils a loop makes the exit status 1, one that does not leaves it 0. And the
# workflows of docs/ci, whose commands run here in a repository of their own. TAP. tests/cli/cases/diff.cmd has its reports.
# Tier: check, limit 300 s
set -u
cd "$(dirname "$0")/../.."
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C XDG_CONFIG_HOME=$tmp/config HOME=$tmp OMP_NUM_THREADS=2
mkdir "$tmp/bin"
ln -s "$build/pluss" "$tmp/bin/pluss"
export PATH=$tmp/bin:$PATH
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 30; fi
}
cd "$tmp" || exit 1

# A loop, as it is, spoilt (columns of a matrix in rows' order), and with other names.
program() { # LOOP over i and j, NAME of a variable
    cat <<C
#include <stdio.h>
#include <stdlib.h>
static double a[400][400], b[400][400];
void transform(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int $2 = 0; $2 < n; $2++)
            $1;
}
int main(int argc, char **argv)
{
    transform(argc > 1 ? atoi(argv[1]) : 300);
    printf("%g\n", b[1][2]);
    return 0;
}
C
}
write_old() { program 'b[i][j] = 2 * a[i][j] + 1' j; }
write_same() { echo "/* other lines */"; program 'b[i][col] = 1 + 2 * a[i][col]' col; }
write_bad() { program 'b[j][i] = 2 * a[j][i] + 1' j; }
caches="--cache L1=8K:ways=8,L2=64K:ways=8"
differs() { # KIND of file, options: old.KIND, same.KIND and bad.KIND
    local kind=$1 new status bad=0
    shift
    : >log
    for new in same bad; do
        # shellcheck disable=SC2086
        pluss diff "old.$kind" "$new.$kind" --fail=+2%@L1,+2%@L2 "$@" >>log 2>&1
        status=$?
        echo "$new: exit status $status" >>log
        [ $new = same ] && [ $status -ne 0 ] && bad=1
        [ $new = bad ] && [ $status -ne 1 ] && bad=1
    done
    grep -q "transform, T = 2: L1 misses" log && grep -q '\[j\]\[i\]' log || bad=1
    verdict "what spoils a loop fails, what does not passes: $kind" $bad log
}
for side in old same bad; do
    write_$side >$side.c
    pluss cc -O1 -fopenmp -c $side.c -o $side.o && pluss cc --mode=profile -O1 -fopenmp $side.c -o $side.program && PLUSS_RECORD=$side.record ./$side.program >log
    pluss nests $side.o --text >$side.nest
    # shellcheck disable=SC2086
    pluss predict $side.o -D n=300 -T 2 $caches --json -o $side.json
    # shellcheck disable=SC2086
    pluss simulate $side.o -D n=120 -T 2 $caches --save-profile $side.exact >$side.table
    # shellcheck disable=SC2086
    pluss predict $side.o -D n=300 -T 2 $caches --save-profile $side.predicted >$side.table
done
# shellcheck disable=SC2086
{
    differs o -D n=300 -T 2 $caches
    differs program -D n=300 -T 2 $caches
    differs nest -D n=300 -T 2 $caches
    differs record $caches
    differs json
    differs exact $caches
    differs predicted $caches
}

pluss diff old.predicted bad.predicted --cache L1=8K,L3=4M:shared --fail=+2%@L2 >log 2>&1
{ [ $? -eq 3 ] && grep -q "no region has the level L2 in both files" log; }
verdict "a limit on a level that is not there" $? log
pluss diff old.predicted bad.predicted --cache none --fail=+2% >log 2>&1
{ [ $? -eq 3 ] && grep -q "no region has levels in both files" log; }
verdict "a limit where there are no levels" $? log
pluss diff old.predicted bad.json --cache L1=8K:ways=8 --csv >log 2>&1 && grep -q "^transform,2,L1,1," log
verdict "a profile against a report: fully associative levels of both" $? log

# ---- workflows --------------------------------------------------------------------------------------------------------------
# Each forge's file is YAML with one job that runs ci/misses.sh with the revision that the change is based on.
command_of() { # FORGE: the line that compares
    sed -nE 's/^ *(- )?(run: )?(sh ci\/misses.sh .*)$/\3/p' "$root/docs/ci/$1.yml"
}
git_quiet() { git -c user.name=a -c user.email=a@b.c -c init.defaultBranch=main -c commit.gpgsign=false "$@" >>git.log 2>&1; }
seeds=2
[ "${PLUSS_TIER:-check}" = full ] && seeds=20
if ! command -v git >log; then
    echo "ok - workflows # SKIP: git is not here"
    exit 0
fi
for forge in github gitlab forgejo; do
    python3 - "$root/docs/ci/$forge.yml" >log 2>&1 <<'P'
import sys
try:
    import yaml
except ImportError:
    sys.exit(0)
file = yaml.safe_load(open(sys.argv[1]))
if "jobs" in file:  # "on" is True in YAML 1.1
    (job,) = file["jobs"].values()
    assert file[True] == "pull_request" and job["steps"][0]["with"]["fetch-depth"] == 0 and "BASE" in job["env"]
    settings, commands = job["env"], [step["run"] for step in job["steps"][1:]]
else:
    (job,) = file.values()
    settings, commands = job["variables"], job["before_script"] + job["script"]
    assert settings["GIT_DEPTH"] == 0
assert {"MISSES_OBJECTS", "MISSES_OPTIONS", "MISSES_FAIL"} <= set(settings)
assert "ci/install-pluss.sh" in commands[-2] and commands[-1].startswith("sh ci/misses.sh "), commands
P
    verdict "the workflow is what the forge takes: $forge" $? log
done
bad=0
: >log
for seed in $(seq $seeds); do
    forge=$(case $((seed % 3)) in 0) echo forgejo ;; 1) echo github ;; *) echo gitlab ;; esac)
    rm -rf project
    mkdir -p project/ci && cd project || exit 1
    cp "$root/docs/ci/misses.sh" "$root/docs/ci/install-pluss.sh" ci/
    printf 'kernels.o: kernels.c\n\t$(CC) -O1 -fopenmp -c kernels.c -o $@\n' >Makefile
    sed "s/400/$((250 + 10 * seed))/g" ../old.c >kernels.c
    { git_quiet init && git_quiet add . && git_quiet commit -m old; } || bad=1
    base=$(git rev-parse HEAD)
    for side in same bad; do
        sed "s/400/$((250 + 10 * seed))/g" ../$side.c >kernels.c
        git_quiet commit -a -m $side && rm -f kernels.o
        MISSES_OBJECTS=kernels.o MISSES_OPTIONS="-D n=$((240 + 10 * seed)) -T 2" MISSES_CACHES="${caches#--cache }" MISSES_FAIL=+2%@L1 \
            BASE=$base CI_MERGE_REQUEST_DIFF_BASE_SHA=$base sh -c "$(command_of "$forge")" >out.log 2>&1
        status=$?
        echo "$forge, $side: exit status $status" >>../log
        [ $side$status = same0 ] || [ $side$status = bad1 ] || { bad=1 && cat out.log >>../log; }
        [ "$(git worktree list | wc -l)" = 1 ] || bad=1
        git_quiet reset --hard "$base"
    done
    cd ..
done
verdict "a commit that spoils a loop fails the workflow, one that does not passes: $seeds seeds" $bad log
