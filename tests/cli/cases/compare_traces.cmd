pluss generate lines=90,60:shared=.5:accesses=3000 -o a.trace
pluss generate lines=90,90:shared=.5:accesses=3000 -o b.trace
levels='--cache L1=1K:ways=4,L2=8K:ways=8:shared'
pluss simulate a.trace $levels --json -o a.json.gz
pluss predict a.trace --model crd --json -o crd.json
echo "--- a prediction, then the simulation itself, against the trace"
pluss compare crd.json a.trace --cache none
pluss compare a.json.gz a.trace $levels --tolerance 1e-9; echo "status $?"
echo "--- two traces; by thread; compressed and through a pipe"
pluss compare a.trace b.trace $levels --each-thread --tolerance 1; echo "status $?"
gzip -k a.trace
pluss compare <(cat a.trace.gz) a.trace --cache none --csv --tolerance 1e-9 | wc -l
pluss compare - a.trace --cache none --tolerance 1e-9 <a.json.gz >/dev/null; echo "status $?"
echo "--- by levels"
pluss diff a.json.gz b.trace $levels --fail=+5%@L2; echo "status $?"
pluss diff <(cat a.trace.gz) a.trace $levels --fail=0% >/dev/null; echo "status $?"
pluss report <(cat a.trace.gz) $levels | tail -n +2 | head -n 3
echo "--- bad lines, options without effect, other lines"
cp plain.trace bad.trace
echo '0 0x40 8 q' >>bad.trace
pluss compare bad.trace plain.trace; echo "status $?"
pluss compare bad.trace plain.trace --skip-bad-lines --cache none --tolerance 1e-9 >/dev/null; echo "status $?"
for option in --line=64 --cache=1K --skip-bad-lines --each-thread; do pluss compare crd.json crd.json $option 2>&1 | head -n 1; done
pluss compare crd.json a.trace --line 128; echo "status $?"
