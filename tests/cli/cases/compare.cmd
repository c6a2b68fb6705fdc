pluss simulate two.nest -T 1,2 -D n=64 --progress round-robin --json -o a.json
pluss simulate two.nest -T 2,4 -D n=64 --progress sequential --json -o b.json
pluss compare a.json a.json; echo "status $?"
pluss compare a.json a.json --tolerance 0 >/dev/null; echo "status $?"
pluss compare b.json a.json --tolerance 0.5; echo "status $?"
pluss compare b.json a.json --grid paper --json 2>/dev/null; echo "status $?"
pluss compare - a.json < a.json >/dev/null; echo "status $?"
