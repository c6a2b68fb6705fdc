# misses per 1,000 instructions, of a nest with counts of operations: text, JSON and what is read back; a group without a meaning
sed 's/write C\[i\]\[j\]$/&\n      ops(dbl_add 2)/' gemm.nest >counted.nest
v='-D ni=32 -D nj=32 -D nk=32'
pluss simulate counted.nest $v -T 2 --cache L1=2K:ways=2,L2=16K:ways=8:shared | grep 'per 1,000'
pluss simulate counted.nest $v -T 2 --cache L1=2K:ways=2,L2=16K:ways=8:shared --json >counted.json
pluss predict counted.nest $v -T 2 --cache L1=2K:ways=2,L2=16K:ways=8:shared | grep -c 'per 1,000'
python3 -c '
import json
for l in json.load(open("counted.json"))["levels"]:
    print(l["name"], l["accesses"], l["instructions"], abs(l["mpki"] - 1000 * l["misses"] / l["instructions"]) < 0.001)'
pluss simulate gemm.nest $v -T 2 --cache L1=2K:ways=2 --json | grep -c mpki
sed 's/dbl_add/fadd/' counted.nest >other.nest
pluss simulate other.nest $v -T 2 --cache L1=2K:ways=2 | grep -c 'per 1,000'
