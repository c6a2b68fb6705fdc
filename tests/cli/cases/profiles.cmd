# the profiles behind curves, plain and compressed, are read by compare: of themselves, and of the curves made from them
pluss simulate two.nest -T 2 -D n=64 --json --save-profile s.json -o curves.json; echo "status $?"
pluss simulate two.nest -T 2 -D n=64 --save-profile s.json.gz -o /dev/null; echo "status $?"
gzip -dc s.json.gz | cmp - s.json && echo the same
pluss compare s.json.gz curves.json --tolerance 0; echo "status $?"
pluss predict two.nest -T 2 -D n=64 --save-profile p.json -o /dev/null; echo "status $?"
pluss compare p.json s.json --tolerance 1 >/dev/null; echo "status $?"
python3 - <<'P'
import json
for name in "s.json", "p.json":
    for p in json.load(open(name))["profiles"]:
        whole = p["cold"] + sum(p["weights"])
        parts = sum(r["cold"] + r["thread_first"] + sum(r["weights"]) for r in p["references"])
        print(p["region"], p["metric"], p["scope"], p["engine"], "references", [r["reference"] + " in " + r.get("loop", "-") for r in p["references"]], abs(whole - parts) < 1e-6 * whole)
P
# private intervals of each thread's cache
pluss predict two.nest -T 2 -D n=64 --model=cri --cache L1=1K --save-profile - -o /dev/null | grep -o '"threads_per_cache":.\|"metric":"[a-z]*"\|"scope":"[a-z]*"'
head -c 200 s.json.gz >cut.gz
pluss compare cut.gz s.json; echo "status $?"
pluss predict two.nest -T 2 -D n=64 --save-profile two.nest; echo "status $?"
pluss predict two.nest -T 2 -D n=64 --save-profile x -o x; echo "status $?"
pluss predict two.nest -T 2 -D n=64 --save-profile nowhere/x; echo "status $?"
# locality profiles, by phase: n lines of A that each thread has alone, and B[0], which all of them write
pluss simulate two.nest -T 4 -D n=256 --sharing; echo "status $?"
pluss run --sharing --save-profile x true; echo "status $?"
pluss simulate two.nest -T 4 -D n=256 --sharing --save-profile sharing.json -o /dev/null; echo "status $?"
printf '0 region 3\n1 region 3\n0 0 8 w\n1 0 8 r\n0 barrier\n1 barrier\n0 0 8 w\n1 64 8 w\n0 0 8 r\n1 0 8 w\n0 0 8 w\n' >marks.trace
pluss simulate marks.trace --sharing --save-profile marks.json -o /dev/null; echo "status $?"
python3 - <<'P'
import json
for name in "sharing.json", "marks.json":
    for p in json.load(open(name))["profiles"]:
        if "sharing" in p:
            print(p["region"], p["scope"], p["sharing"], p["phase"], [p["cold"], p["thread_first"], p.get("coherence", 0)], sum(p["weights"]))
P
pluss compare sharing.json sharing.json --tolerance 0 | head -4; echo "status $?"
