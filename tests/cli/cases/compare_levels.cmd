# the same levels, predicted and simulated; other caches; a tolerance that curves keep and a level does not
v='-D ni=32 -D nj=32 -D nk=32'
caches=L1=2K:ways=2,L3=16K:ways=8:shared:hashed:pages=4K
pluss simulate gemm.nest $v -T 1,4 --cache $caches --json >exact.json
sed 's/"misses":37952,/"misses":38952,/' exact.json >more.json
pluss compare exact.json exact.json | tail -n 6
pluss compare more.json exact.json --tolerance 0.7; echo "status $?"
pluss compare more.json exact.json --tolerance 0.8 --json | sed -n '/^"levels"/,$p'; echo "status ${PIPESTATUS[0]}"
pluss predict gemm.nest $v -T 1,4 --cache L1=2K:ways=2,L3=16K:ways=8:shared --json >model.json
pluss simulate gemm.nest $v -T 1,4 --cache L1=2K:ways=2,L3=16K:ways=8:shared --json >plain.json
pluss compare model.json plain.json --tolerance 2 --json | python3 -c '
import json, sys
for l in json.load(sys.stdin)["levels"]:
    print(l["threads"], l["name"], abs(l["difference_points"]) < 4 * l["difference_points_error"] + .1)'
echo "status ${PIPESTATUS[0]}"
pluss simulate gemm.nest $v -T 4 --cache L1=2K:ways=4,L3=16K:ways=8:shared:hashed:pages=4K --json >other.json
pluss compare other.json exact.json | grep -A 9 'other misses'
pluss simulate gemm.nest $v -T 4 --cache none --json >none.json
pluss compare none.json none.json; echo "status $?"
for wrong in 's/"ways":2/"ways":3/' 's/"inclusion":"neither"/"inclusion":"none"/' 's/"kinds":{[^}]*}/"kinds":0/' 's/"sets":16/"sets":0/' \
    's/"hashed":false/"hashed":2/' 's/"misses":37952/"misses":-1/' 's/"by_reference":\[/"by_reference":[3,/' 's/"name":"L1"/"name":1/'; do
    sed "$wrong" exact.json >wrong.json
    pluss compare wrong.json exact.json; echo "status $?"
done
