# curves of the same region with other values are of another problem
pluss simulate two.nest -T 1,2 -D n=640 --json -o a.json
pluss simulate two.nest -T 2 -D n=64 --json -o b.json
pluss compare a.json b.json
echo "status $?"
python3 - <<'P'
import json
a, b = json.load(open("a.json")), json.load(open("b.json"))
a["curves"] = b["curves"] + a["curves"]
json.dump(a, open("both.json", "w"))
P
# of several, the one with the same values
pluss compare both.json b.json
echo "status $?"
