#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pluss calibrate and the machine file: what is written, who takes it, what is said of files that are none. Nothing here
# depends on how fast anything runs: on a busy machine all runs of a region may be discarded, which is also a right answer.
# TAP.
# Tier: check, limit 600 s
set -u
unset OMP_WAIT_POLICY # which ci/check.sh sets: here is measured when threads run
cd "$(dirname "$0")/../.."
here=$PWD/tests/calibrate
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C COLUMNS=80 OMP_NUM_THREADS=2 HOME=$tmp/home
unset XDG_CONFIG_HOME PLUSS_RECORD PLUSS_STAMPS OMP_PROC_BIND OMP_PLACES
mkdir "$tmp/bin" "$tmp/tmp" "$tmp/home"
ln -s "$build/pluss" "$tmp/bin/pluss"
export PATH=$tmp/bin:$PATH TMPDIR=$tmp/tmp
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
same() { # NAME, expected, got
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; diff <(echo "$2") <(echo "$3") | sed 's/^/    /' | head -n 20; fi
}
cd "$tmp" || exit 1
cat >gemm.nest <<'END'
pluss-nest 1
region gemm
symbol n = 24
array f64 A[n][n], B[n][n], C[n][n]
parallel for i in 0..n {
  for j in 0..n {
    for k in 0..n {
      read A[i][k]
      read B[k][j]
      write C[i][j]
    }
  }
}
region other
array f64 D[100]
parallel for i in 0..100 {
  read D[i]
}
END
engines() { # OPTION...: the engines of the curves, one a line
    pluss "$@" --json | python3 -c 'import json, sys; [print(c["region"], c["threads"], c["engine"]) for c in json.load(sys.stdin)["curves"]]'
}

# ---- who takes the file ----------------------------------------------------------------------------------------------
same "without a machine file: what is usual" "gemm 2 clock, rates:0.03:500:1" "$(engines predict gemm.nest --region gemm -T 2 --progress rates 2>&1)"
calibrated="gemm 2 clock, rates:0.02:300:1.25+rates+stalls+loops of machine.json
gemm 4 clock, rates:0.05:700:0.5 of machine.json, all regions
other 2 clock, rates:0.05:700:0.5 of machine.json, all regions
other 4 clock, rates:0.05:700:0.5 of machine.json, all regions"
same "predict: region and team, else the machine" "$calibrated" "$(engines predict gemm.nest -T 2,4 --progress rates --machine "$here/machine.json" 2>&1)"
mkdir -p home/.config/pluss config/pluss
cp "$here/machine.json" home/.config/pluss/
same "~/.config/pluss/machine.json" "$calibrated" "$(engines predict gemm.nest -T 2,4 --progress rates 2>&1)"
sed 's/"sigma": 0.05/"sigma": 0.25/' "$here/machine.json" >config/pluss/machine.json
same "\$XDG_CONFIG_HOME/pluss/machine.json" "other 3 clock, rates:0.25:700:0.5 of machine.json, all regions" \
    "$(XDG_CONFIG_HOME=$tmp/config engines predict gemm.nest --region other -T 3 --progress rates 2>&1)"
same "a sigma that is given is taken alone" "gemm 2 clock, rates:0.1:500:1" "$(engines predict gemm.nest --region gemm -T 2 --progress rates:0.1 2>&1)"
same "no other progress looks at it" "gemm 2 clock" "$(engines predict gemm.nest --region gemm -T 2 2>&1)"
same "simulate" "gemm 2 rates:0.02:300:1.25+rates+stalls+loops of machine.json" "$(engines simulate gemm.nest --region gemm -T 2 --progress rates 2>&1)"
same "several regions together: the machine" "gemm+other 2 clock, rates:0.05:700:0.5 of machine.json, all regions" \
    "$(engines predict gemm.nest --together -T 2 --progress rates 2>&1)"
# thread 0 has a head start of its rate: the curve lies elsewhere
pluss predict gemm.nest --region gemm -T 2 --progress rates --json >with.json 2>err
sed 's/1\.1, 0\.9/1, 1/; s/"costs": \[.*\]/"costs": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]/' "$here/machine.json" >even.json
pluss predict gemm.nest --region gemm -T 2 --progress rates --machine even.json --json >even.out 2>>err
! cmp -s <(sed 's/.*size_lines//' with.json) <(sed 's/.*size_lines//' even.out)
verdict "rates move the curve" $? err
pluss predict gemm.nest --region gemm -T 2 --progress rates --json 2>&1 | cmp - with.json >log 2>&1
verdict "twice the same" $? log
# slices: the time slice over the time of an access, of the region with this team, with another, of all
sed 's/^  "sigma"/  "access": 2.5, "slice": 3000,&/; s/^      "sigma"/      "access": 1.5,&/' "$here/machine.json" >timed.json
slices="gemm 2 clock, slices:2000:1 of timed.json
gemm 3 clock, slices:2000:1 of timed.json, 2 threads
other 2 clock, slices:1200:1 of timed.json, all regions
other 3 clock, slices:1200:1 of timed.json, all regions"
same "slices: the region's time of an access, else the machine's" "$slices" "$(engines predict gemm.nest -T 2,3 --progress slices::1 --machine timed.json 2>&1)"
same "slices: simulate" "gemm 3 slices:2000:2 of timed.json, 2 threads" "$(engines simulate gemm.nest --region gemm -T 3 --progress slices::2 --machine timed.json 2>&1)"
same "slices: several regions together" "gemm+other 2 clock, slices:1200:1 of timed.json, all regions" \
    "$(engines predict gemm.nest --together -T 2 --progress slices::1 --machine timed.json 2>&1)"
same "slices: a file that has no such times" "gemm 2 clock, slices:4000000:1" "$(engines predict gemm.nest --region gemm -T 2 --progress slices::1 2>&1)"
sed 's/"slice": 3000,//' timed.json >untimed.json
same "slices: 4 ms where the file does not tell" "other 2 clock, slices:1600000:1 of untimed.json, all regions" \
    "$(engines predict gemm.nest --region other -T 2 --progress slices::1 --machine untimed.json 2>&1)"
sed 's/"access": [0-9.]*,//' timed.json >untimed.json
same "slices: an access a nanosecond where it does not tell" "other 2 clock, slices:3000:1 of untimed.json, its slice alone" \
    "$(engines predict gemm.nest --region other -T 2 --progress slices::1 --machine untimed.json 2>&1)"
same "slices: a length that is given is taken" "gemm 2 clock, slices:7:1" "$(engines predict gemm.nest --region gemm -T 2 --progress slices:7:1 --machine timed.json 2>&1)"
# ... and then is that of slices:LENGTH to the bit
apart='s/"engine":"[^"]*"//g; s/"progress":{[^}]*}//g' # but for what tells who chose it
for verb in predict simulate; do
    pluss $verb --progress slices::2 gemm.nest --region gemm -T 2,3,5 --machine timed.json --json >with.json 2>err
    pluss $verb --progress slices:2000:2 gemm.nest --region gemm -T 2,3,5 --json >given.json 2>>err
    grep -q '"footprint' given.json && cmp <(sed "$apart" with.json) <(sed "$apart" given.json) >>err 2>&1
    verdict "slices: ${verb% *} as with the same length by hand" $? err
done
rm -r home/.config

# a pool: the region's numbers with the team that is nearest, else the means of all
sed 's/^parallel for/& /; s/0\.\.n {/0..n schedule(rayon) {/; s/0\.\.100 {/0..100 schedule(rayon) {/; /for [jk]/s/ schedule(rayon)//' gemm.nest >rayon.nest
sed 's/^  "sigma"/  "pools": [{"region": "gemm", "team": 2, "runs": 10, "wake": 1000, "access": 0.5},\n    {"region": "gemm", "file": null, "team": 8, "runs": 10, "wake": 9000, "access": 2}],\n&/' "$here/machine.json" >pools.json
pools="gemm 2 clock, pool:1000:0.5:0 of pools.json
gemm 3 clock, pool:1000:0.5:0 of pools.json, 2 threads
gemm 9 clock, pool:9000:2:0 of pools.json, 8 threads
other 2 clock, pool:3000:1:0 of pools.json, all regions
other 3 clock, pool:3000:1:0 of pools.json, all regions
other 9 clock, pool:3000:1:0 of pools.json, all regions"
same "pool: the region's numbers, else the machine's" "$pools" "$(engines predict rayon.nest -T 2,3,9 --progress pool --machine pools.json 2>&1)"
same "pool: simulate, with cores" "gemm 2 pool:1000:0.5:2 of pools.json" "$(engines simulate rayon.nest --region gemm -T 2 --progress pool:::2 --machine pools.json 2>&1)"
same "pool: a number that is given is taken alone" "gemm 2 clock, pool:3000:0.25:0
gemm 2 clock, pool:7:1:0" "$(for law in pool::0.25 pool:7; do engines predict rayon.nest --region gemm -T 2 --progress $law --machine pools.json 2>&1; done)"
same "pool: a file that has none" "gemm 2 clock, pool:3000:1:0" "$(engines predict rayon.nest --region gemm -T 2 --progress pool --machine "$here/machine.json" 2>&1)"
same "pool: other laws take the rest of the file" "gemm 2 clock, rates:0.02:300:1.25+rates+stalls+loops of pools.json" \
    "$(engines predict rayon.nest --region gemm -T 2 --progress rates --machine pools.json 2>&1)"
echo '{"version": 1, "pools": [{"region": "gemm", "team": 2, "runs": 1, "wake": 5, "access": 3}]}' >alone.json
same "pool: a file of nothing else" "gemm 2 clock, pool:5:3:0 of alone.json
gemm 2 clock, rates:0.03:500:1" "$(for law in pool rates; do engines predict rayon.nest --region gemm -T 2 --progress $law --machine alone.json 2>&1; done)"
cp alone.json saved.json
pluss machine --save saved.json >out 2>err
same "pool: pluss machine --save keeps it" "gemm 2 clock, pool:5:3:0 of saved.json" "$(engines predict rayon.nest --region gemm -T 2 --progress pool --machine saved.json 2>&1)"

# ---- files that are none ---------------------------------------------------------------------------------------------
fault() { # NAME, expected message behind "m.json", sed command
    sed "$3" "$here/machine.json" >m.json
    pluss predict gemm.nest -T 2 --progress rates --machine m.json >out 2>err
    same "$1" "3 m.json$2" "$? $(cat err)"
}
pluss predict gemm.nest -T 2 --progress rates --machine none.json >out 2>err
same "none" "3 none.json: error: there is no such file; pluss calibrate and pluss machine --save make it" "$? $(cat err)"
fault "another version" ": error: version: this is not a machine file of version 1" 's/"version": 1/"version": 2/'
fault "a number is missing" ": error: skew: missing" '/^  "skew"/d'
fault "a number is none" ': error: sigma: not a number' 's/"sigma": 0.05/"sigma": "much"/'
fault "out of range" ": error: regions[0].sigma: 11 is not in 0 ... 10" 's/"sigma": 0.02/"sigma": 11/'
fault "too few rates" ": error: regions[0].rates: 1 numbers, 2 expected" '0,/"rates": \[1.1, 0.9\]/s//"rates": [1.1]/'
fault "a bad rate" ": error: regions[0].loops[0].rates[1]: -1 is not in 1e-06 ... 1e+06" 's/^          "rates": .*/          "rates": [1.1, -1],/'
fault "too few costs" ": error: regions[0].loops[0].costs: 15 numbers, 16 expected" 's/0.2, 0, 0/0.2, 0/'
fault "no threads" ": error: regions[0].team: 0 is not in 1 ... 65536" 's/"team": 2/"team": 0/'
fault "all runs discarded" ": error: regions[0].discarded: 20 is not in 0 ... 19" 's/"discarded": 1/"discarded": 20/'
fault "no region" ": error: regions[0]: not an object" 's/"regions": \[/"regions": [7,/'
fault "no time of an access" ": error: access: 0 is not in 1e-06 ... 1e+15" 's/^  "sigma"/  "access": 0,&/'
fault "a time that is no number" ': error: regions[0].access: not a number' 's/^      "sigma"/      "access": [1],&/'
fault "a slice that is none" ": error: slice: -4e+06 is not in 1000 ... 1e+12" 's/^  "sigma"/  "slice": -4000000,&/'
fault "a pool without a region" ": error: pools[0].region: missing" 's/^  "sigma"/  "pools": [{"team": 2}],&/'
fault "a pool that never wakes" ": error: pools[0].wake: 0 is not in 0.001 ... 1e+12" 's/^  "sigma"/  "pools": [{"region": "a", "team": 2, "runs": 1, "wake": 0, "access": 1}],&/'
fault "pools that are none" ": error: pools: not an array" 's/^  "sigma"/  "pools": 3,&/'
fault "no JSON" ":1:8: error: '[' or '{' expected near 'nonsense'" 's/.*/nonsense/'
mkdir folder
pluss predict gemm.nest -T 2 --progress rates --machine folder >out 2>err
grep -q '^folder:.* error: ' err
verdict "a folder" $? err

# Mangled files: refused or taken, never more.
python3 - "$here/machine.json" >mangled 2>&1 <<'END'
import random, subprocess, sys
text = open(sys.argv[1], "rb").read()
random.seed(1)
texts = [text[:n] for n in range(0, len(text), 41)]
for _ in range(120):
    t = bytearray(text)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(t))
        if random.random() < 0.3:
            del t[at:at + random.randint(1, 30)]
        else:
            t[at] = random.choice(b'0123456789.-eE[]{},:"nul\x00\xff')
    texts.append(bytes(t))
taken = 0
for t in texts:
    open("mangled.json", "wb").write(t)
    p = subprocess.run(["pluss", "predict", "gemm.nest", "--region", "other", "-T", "2", "--progress", "rates", "--machine", "mangled.json"],
                       capture_output=True)
    taken += p.returncode == 0
    if p.returncode not in (0, 3) or (p.returncode == 3) != (b"error: " in p.stderr):
        print(p.returncode, p.stderr, t)
        sys.exit(1)
print(taken, "of", len(texts), "taken")
sys.exit(not 0 < taken < len(texts))
END
verdict "mangled files" $? mangled

# ---- pluss calibrate -------------------------------------------------------------------------------------------------
pluss cc --plugin="$build/pluss.so" --mode=time -fplugin-arg-pluss-notes=off -O2 -fopenmp "$here/triangle.c" -o triangle >log 2>&1
verdict "triangle.c compiles" $? log
pluss cc --plugin="$build/pluss.so" --mode=bind -fplugin-arg-pluss-notes=off -O2 -fopenmp "$here/triangle.c" -o bound >log 2>&1
# regions of which all runs were discarded are left out; until there is one with some
for _ in 1 2 3 4 5 6; do
    pluss calibrate --pin --runs 6 --processes 2 ./triangle 6 >out 2>err
    status=$?
    [ $status -eq 0 ] && break
done
good=1
if [ $status -eq 0 ]; then
    python3 - home/.config/pluss/machine.json >log 2>&1 <<'END'
import json, sys
file = json.load(open(sys.argv[1]))
assert file["version"] == 1 and file["regions"], file
for r in file["regions"]:
    assert r["region"] in ("sums", "two") and r["file"].endswith("triangle.c") and r["team"] == 2, r
    assert r["command"] == "pluss calibrate ./triangle 6" and r["runs"] >= 12 > r["discarded"] - r["runs"], r
    assert len(r["rates"]) == 2 and r["sigma"] > 0 and r["skew"] >= 1, r
    assert 1e-3 < r["access"] < 1e6, r
    assert len(r["loops"]) == (1 if r["region"] == "sums" else 2), r
    for l in r["loops"]:
        assert len(l["rates"]) == 2 and len(l["costs"]) == 16, l
assert file["date"] and file["sigma"] > 0 and 1e-3 < file["access"] < 1e6
assert "slice" not in file or 1e3 <= file["slice"] <= 1e12, file # not seen: on a machine that never lets two take turns
END
    good=$?
elif [ $status -eq 1 ] && grep -q 'kept from running' err; then # six times nothing: another's machine
    good=0
fi
cat out err >>log
verdict "calibrate writes the machine file" $good log
if [ $status -eq 0 ]; then
    name=$(python3 -c 'import json; print(json.load(open("home/.config/pluss/machine.json"))["regions"][0]["region"])')
    engines predict triangle --region "$name" -T 2 --progress rates >out 2>err
    grep -q "^$name 2 clock, rates:.*+rates.*+loops of machine.json$" out
    verdict "which predict takes" $? out
    engines predict triangle --region "$name" -T 2 --progress slices::1 >out 2>err
    grep -qE "^$name 2 clock, slices:[0-9]+:1 of machine.json$" out
    verdict "of slices, too" $? out
    pluss run -o report --json --progress slices::1 --region "$name" ./triangle 1 >out 2>err
    grep -qE 'slices:[0-9]+:1 of machine.json"' report
    verdict "and run of slices" $? err
    pluss run -o report --json --progress rates --region "$name" ./triangle 1 >out 2>err
    grep -q 'rates:.*+loops of machine.json"' report
    verdict "and run" $? err
    cp home/.config/pluss/machine.json before.json
    # a file with another region keeps it
    cp "$here/machine.json" m.json
    pluss calibrate --machine m.json --runs 6 --region "$name" ./triangle 6 >out 2>err
    status=$?
    grep -q '"region": "gemm"' m.json && # without a time of an access, as it was
        python3 -c 'import json; assert not any("access" in r for r in json.load(open("m.json"))["regions"] if r["region"] == "gemm")' && { [ $status -eq 1 ] || grep -q "\"region\": \"$name\"" m.json; }
    verdict "other regions stay" $? err
    cmp -s before.json home/.config/pluss/machine.json
    verdict "--machine is written alone" $? err
fi
same "nothing is left in TMPDIR" "" "$(ls "$TMPDIR")"
cp "$here/machine.json" m.json
pluss calibrate --machine m.json ./bound 1 >out 2>err
same "a program without time stamps" "3 pluss calibrate: error: ./bound left no time stamps: it ended before it could write them, or it was not built with pluss cc --mode=time" "$? $(cat err)"
pluss calibrate --machine m.json ./triangle 1 5 >out 2>err
same "a program that fails" "5 pluss calibrate: error: ./triangle failed: nothing is calibrated" "$? $(cat err)"
pluss calibrate --machine m.json ./missing >out 2>err
same "a program that is none" "127" "$?"
OMP_NUM_THREADS=1 pluss calibrate --machine m.json ./triangle 1 >out 2>err
same "one thread" "3 pluss calibrate: error: ./triangle ran no region with two threads or more" "$? $(cat err)"
pluss calibrate >out 2>err
same "no program" 2 $?
cmp -s m.json "$here/machine.json"
verdict "the file stays as it was" $? err
# all runs but the first one are discarded, and that one, too, on a busy machine
pluss cc --mode=time -fplugin-arg-pluss-notes=off -O1 -fopenmp "$here/stalled.c" -o stalled 2>err
pluss calibrate --machine m.json --runs 1 --processes 1 ./stalled >out 2>err
status=$?
[ $status -eq 1 ] && grep -qE 'in (each of the|9 of) 10 runs a thread was kept from running for more than half of the time' err &&
    grep -q 'work with 2 threads is left out' err && cmp -s m.json "$here/machine.json"
verdict "runs that are discarded: exit status 1, and the file stays" $? err
echo nonsense >m.json
pluss calibrate --machine m.json ./triangle 1 >out 2>err
same "a file that is none is not overwritten" "3 nonsense" "$? $(cat m.json)"
pluss calibrate --machine /proc/no/where.json --runs 1 ./triangle 6 >out 2>err
status=$?
{ [ $status -eq 3 ] && grep -q 'cannot be written' err; } || { [ $status -eq 1 ] && grep -q 'kept from running' err; }
verdict "a file that cannot be written" $? err
