# a machine file with caches: shown, taken by --cache machine, kept beside what calibrations found; its faults by their place
v='-D ni=32 -D nj=32 -D nk=32'
pluss machine --machine small-machine.json; echo "status $?"
pluss machine --machine small-machine.json --json; echo "status $?"
pluss simulate gemm.nest $v -T 2,6,16 --cache machine --machine small-machine.json | grep -A 5 ': caches'
pluss simulate gemm.nest $v -T 2 --cache machine --machine small-machine.json --json | sed -n '/"levels"/,$p' >file.json
pluss simulate gemm.nest $v -T 2 --cache L1d=2K:ways=2,L2=8K:ways=4:inclusive,L3=12K:ways=12:shared=2:hashed --json | sed -n '/"levels"/,$p' >text.json
cmp file.json text.json; echo "as in the short form: $?"
pluss simulate gemm.nest $v --cache machine --machine small-machine.json --json | grep -o '"threads":8' | head -n 1
pluss simulate gemm.nest $v --cache machine --machine small-machine.json --line 128; echo "status $?"
echo '{"version": 1, "sigma": 0.1, "skew": 9, "skew_spread": 1, "stall_rate": 0, "stall": 0, "regions": []}' >kept.json
pluss machine --save kept.json >/dev/null; echo "status $?"
grep -cE '"(sigma|skew|regions|levels)"' kept.json
pluss predict gemm.nest $v -T 2 --cache none --progress rates --machine kept.json --json | grep -o '"from":"[a-z ]*"'
pluss predict gemm.nest $v -T 2 --cache none --progress rates --machine small-machine.json --json | grep -o '"from":"[a-z ]*"'
pluss machine --machine kept.json | tail -n 4
pluss machine --save new.json | tail -n 4
cmp <(pluss machine --machine new.json) <(pluss machine --machine kept.json); echo "the same caches: $?"
pluss machine --save new.json --machine new.json; echo "status $?"
echo '{"version": 1, "sigma": 0.1, "skew": 9, "skew_spread": 1, "stall_rate": 0, "stall": 0, "regions": []}' >rates.json
pluss machine --machine rates.json; echo "status $?"
pluss machine --machine none.json; echo "status $?"
wrong() {
    sed "$1" small-machine.json >wrong.json
    pluss simulate gemm.nest $v -T 2 --cache machine --machine wrong.json
    echo "status $?"
}
wrong 's/"ways": 4/"ways": 5/'
wrong 's/"ways": 4/"ways": 0/'
wrong 's/"ways": 4/"ways": [4]/'
wrong 's/"name": "L2"/"name": "L1d"/'
wrong 's/"name": "L2"/"name": ""/'
wrong 's/"name": "L2", //'
wrong 's/"bytes": 8192/"bytes": 8191/'
wrong 's/"bytes": 8192/"bytes": "8K"/'
wrong 's/"shared_by": 4/"shared_by": 3/'
wrong 's/"inclusive"/"enclosed"/'
wrong 's/"ways": 2,/&"inclusion": "exclusive",/'
wrong 's/"hashed": true/"hashed": 1/'
wrong 's/"hashed": true/"page_bytes": 100/'
wrong 's/"line_bytes": 64/"line_bytes": 48/'
wrong 's/"levels": \[/&7,/'
wrong 's/"levels": .*/"levels": []}/; /^  {/d'
wrong 's/"version": 1/"version": 2/'
